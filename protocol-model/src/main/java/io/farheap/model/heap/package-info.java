/**
 * A model of the transactions of typed objects (docs/objects-transactions.md): two writers and a
 * read, step by step. Read {@code ModeledHeap} (one state), {@code HeapModel} (what may happen),
 * {@code Script} (what the writers do), {@code Judge} (what must hold), {@code HeapRule} (what is
 * taken away). Nothing of the product is used.
 */
package io.farheap.model.heap;
