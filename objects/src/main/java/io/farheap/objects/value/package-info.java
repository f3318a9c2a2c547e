/** How values of each type are stored in a slot of an object or of a collection's node. */
package io.farheap.objects.value;
