/**
 * The collections of typed objects: their structures in the pool, and the implementations of {@code
 * java.util}'s interfaces over them.
 */
package io.farheap.objects.collection;
