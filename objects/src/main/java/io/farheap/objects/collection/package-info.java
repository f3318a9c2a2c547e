/** The collections of typed objects: their bytes, and {@code java.util}'s interfaces over them. */
package io.farheap.objects.collection;
