/** Typed persistent objects and collections: what programs use. */
package io.farheap.objects;
