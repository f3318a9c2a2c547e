/** Persistent doubly linked lists in libpmemobj's format. */
package io.farheap.list;
