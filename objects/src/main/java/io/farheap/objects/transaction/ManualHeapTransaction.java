package io.farheap.objects.transaction;

import io.farheap.base.FarheapException;
import io.farheap.base.TransactionConflictException;

/**
 * A transaction begun by {@link HeapTransactions#begin} and ended by hand. Whatever its thread does
 * with the heap in between joins it. Nobody runs it again: a conflict is the caller's. Belongs to
 * the thread that began it.
 */
public final class ManualHeapTransaction implements AutoCloseable {
    private final HeapTransaction tx;
    private final Thread owner = Thread.currentThread();
    private boolean ended;

    ManualHeapTransaction(HeapTransaction tx) {
        this.tx = tx;
    }

    /**
     * Ends it; durable when this returns.
     *
     * @throws TransactionConflictException when another one changed what it read or writes: nothing
     *     of it remains, begin again
     */
    public void commit() {
        requireUnderWay();
        Throwable cause = null;
        try {
            if (!tx.commit()) {
                throw new TransactionConflictException();
            }
        } catch (RuntimeException | Error failure) {
            cause = failure;
            throw failure;
        } finally {
            ended = true;
            tx.endTransaction(cause);
        }
        tx.actions().runAfterCommit();
    }

    /** Ends it: nothing of it remains. */
    public void rollback() {
        requireUnderWay();
        ended = true;
        tx.endTransaction(
                FarheapException.wrongUse("The transaction was rolled back by its program."));
    }

    /** Rolls back what was not ended. */
    @Override
    public void close() {
        if (!ended) {
            rollback();
        }
    }

    private void requireUnderWay() {
        if (ended) {
            throw FarheapException.wrongUse("The transaction has ended; begin another one.");
        }
        if (Thread.currentThread() != owner) {
            throw FarheapException.wrongUse(
                    "The transaction belongs to thread %s; end it there.", owner.getName());
        }
    }
}
