/** A heap of typed objects, object by object: out of a pool, and into an empty one. */
package io.farheap.objects.dump;
