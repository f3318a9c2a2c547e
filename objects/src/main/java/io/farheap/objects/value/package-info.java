/** How values of each kind lie in a slot of an object or of a collection's node. */
package io.farheap.objects.value;
