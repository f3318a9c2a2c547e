/**
 * Remote memory: bytes of this program that are made durable on another machine, without a pool.
 * What librpmem does in C. {@code docs/librpmem.md} has each of its functions.
 *
 * <p>The program has memory of its own and says which range of it is to be durable on the target;
 * it can read the target's copy back, in the next run too. Objects, transactions and replicas are
 * in {@link io.farheap}, and need nothing from here.
 */
package io.farheap.remote;
