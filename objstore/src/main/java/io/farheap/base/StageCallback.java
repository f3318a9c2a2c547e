package io.farheap.base;

/**
 * Hears of the stages of one outermost transaction, in the thread that runs it: {@link
 * TransactionStage#WORK} before the commit, then ONCOMMIT or ONABORT, FINALLY, and NONE when locks
 * and lane are given back (libpmemobj: {@code pmemobj_tx_callback}). Nested ones are not told.
 *
 * <p>An exception at WORK aborts the transaction. Later ones change nothing of the outcome: the
 * transaction goes on to its end, and the exception travels out of the call that moved the stage.
 * No transaction of the same pool can begin before NONE.
 */
@FunctionalInterface
public interface StageCallback {
    /** The transaction is in this stage from now on. */
    void entered(TransactionStage stage);
}
