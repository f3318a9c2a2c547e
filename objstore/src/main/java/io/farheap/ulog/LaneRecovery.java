package io.farheap.ulog;

/**
 * Brings a pool that was not closed back to a transaction boundary (spec: lanes and logs, 6).
 *
 * <p>Order: {@link #recoverRedo}, then the heap is booted, then {@link #recoverUndo}. Every method
 * may be cut short by a crash and repeated. Every offset is validated before it is used.
 *
 * <p>Each method throws {@link io.farheap.FarheapException} BAD_DATA, naming lane and log, when a
 * valid log leads outside the heap, the lanes and the root fields; the log is not applied then, not
 * even in part.
 */
public final class LaneRecovery {

    public LaneRecovery(LaneArea lanes) {
        throw new UnsupportedOperationException(lanes.toString());
    }

    /** Applies and discards the stored redo logs of every lane; durable when it returns. */
    public void recoverRedo() {
        throw new UnsupportedOperationException();
    }

    /**
     * Rolls back every transaction that was not committed, and frees the undo logs' extensions;
     * durable when it returns.
     */
    public void recoverUndo(LogSpace space) {
        throw new UnsupportedOperationException(space.toString());
    }

    /**
     * Frees whatever extensions are still linked, of redo logs too, so that no block of the heap
     * belongs to a lane: needed before replicas attach, which have no lanes.
     */
    public void releaseExtensions(LogSpace space) {
        throw new UnsupportedOperationException(space.toString());
    }
}
