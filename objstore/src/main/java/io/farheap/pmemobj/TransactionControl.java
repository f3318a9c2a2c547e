package io.farheap.pmemobj;

import io.farheap.base.FarheapException;
import io.farheap.base.TransactionStage;
import io.farheap.engine.PoolEngine;

/** What concerns the transactions of a pool but no single one. Thread-safe. */
public final class TransactionControl {
    private final PoolEngine engine;

    TransactionControl(PoolEngine engine) {
        this.engine = engine;
    }

    /** The stage of the transaction that the calling thread has under way in this pool. */
    public TransactionStage stage() {
        return engine.stage();
    }

    /**
     * Bytes of undo log that one extension takes, beyond the lane's own 2048 (libpmemobj: ctl
     * {@code tx.cache.size}, default 32768). The first extension of a lane stays with it.
     */
    public long cacheSize() {
        return engine.undoExtensionBytes();
    }

    /**
     * For extensions made from now on, until the pool is closed. A longer range gets a longer one.
     *
     * @param bytes 0 to the largest object, 17,177,771,968
     * @throws FarheapException WRONG_USE beyond that
     */
    public void setCacheSize(long bytes) {
        engine.setUndoExtensionBytes(bytes);
    }
}
