/**
 * libpmemobj's face, for programs that come from C or share their pools with ones in C: atomic
 * objects, actions, lists, locks in objects, stores outside of transactions, the heap's and the
 * pool's {@code ctl}. A pool hands each out.
 */
package io.farheap.pmemobj;
