package io.farheap.objects;

import io.farheap.base.FarheapException;
import io.farheap.base.TransactionConflictException;
import io.farheap.objects.transaction.ManualHeapTransaction;

/**
 * A transaction begun by {@link PersistentHeap#begin} and ended by hand. Whatever its thread does
 * with the heap in between is part of it. Belongs to the thread that began it.
 *
 * <pre>
 * try (TransactionHandle transaction = heap.begin()) {
 *     heap.root().total(sum);
 *     transaction.commit();
 * } // without commit(): rolled back
 * </pre>
 */
public final class TransactionHandle implements AutoCloseable {
    private final ManualHeapTransaction transaction;

    TransactionHandle(ManualHeapTransaction transaction) {
        this.transaction = transaction;
    }

    /**
     * Ends it; durable here and on every replica when this returns. Then the actions given to
     * {@link PersistentHeap#afterCommit} run; an exception of theirs travels on, and the
     * transaction stays committed.
     *
     * @throws TransactionConflictException when another one changed what it read or writes: nothing
     *     of it remains, and nobody runs it again but the caller
     * @throws FarheapException WRONG_USE when it has ended, or in another thread
     */
    public void commit() {
        transaction.commit();
    }

    /**
     * Ends it: nothing of it remains.
     *
     * @throws FarheapException as {@link #commit}
     */
    public void rollback() {
        transaction.rollback();
    }

    /** Rolls back what has not ended. */
    @Override
    public void close() {
        transaction.close();
    }
}
