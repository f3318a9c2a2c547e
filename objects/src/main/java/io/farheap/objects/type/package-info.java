/** The types of the program and those stored in the pool, and how the two are matched. */
package io.farheap.objects.type;
