/**
 * The rest of libpmemobj's API, for programs that come from C or share their pools with programs in
 * C: atomic objects, actions, lists, locks in objects, stores outside of transactions, the {@code
 * ctl} of heap and pool. A pool gives access to each.
 */
package io.farheap.pmemobj;
