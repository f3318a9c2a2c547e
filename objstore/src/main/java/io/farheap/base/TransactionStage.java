package io.farheap.base;

/**
 * Where a transaction is (libpmemobj: {@code enum pobj_tx_stage}; the ordinals are its numbers).
 *
 * <pre>
 * NONE --begin--> WORK --commit--> ONCOMMIT --process--> FINALLY --end--> NONE, or WORK of the outer
 *                   \---abort----> ONABORT  --process--> FINALLY
 * </pre>
 */
public enum TransactionStage {
    /** No transaction is under way. */
    NONE,
    /** Objects may be used and changed. */
    WORK,
    /**
     * It committed: durable, but for the locks all over. Of an inner one: it will, with the outer.
     */
    ONCOMMIT,
    /** It was aborted; of the outermost everything is rolled back, the locks are still held. */
    ONABORT,
    /** It is over in either way; only the end is left. */
    FINALLY
}
