/**
 * Looks at a whole pool and says what is wrong with it: part headers, descriptor, lanes, heap,
 * objects and lists. libpmemobj's own check stops at the chunk headers.
 *
 * <p>{@link io.farheap.ObjectPool#check} is the way in. Nothing here changes a file.
 */
package io.farheap.check;
