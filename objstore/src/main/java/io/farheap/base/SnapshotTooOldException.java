package io.farheap.base;

/**
 * A long read of typed objects needs old bytes that were dropped, because more was written
 * meanwhile than is kept for readers. The heap runs the body again by itself, and the third time it
 * holds writers back; only who begins a read by hand sees this, and begins again.
 */
public final class SnapshotTooOldException extends FarheapException {
    private static final long serialVersionUID = 1L;

    /**
     * @param bound bytes that are kept for readers
     */
    public SnapshotTooOldException(long bound) {
        super(
                Category.ENVIRONMENT,
                "More than the "
                        + bound
                        + " bytes that are kept for readers changed while this read ran, and what"
                        + " it would read is gone; run it again, shorter if it can be.");
    }
}
