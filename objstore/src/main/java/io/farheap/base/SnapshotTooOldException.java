package io.farheap.base;

/**
 * A read took too long. One of typed objects needs old bytes that were dropped, because more was
 * written meanwhile than is kept for readers. The heap runs the body again by itself, and the third
 * time it holds writers back; only who begins a read by hand sees this, and begins again. One of a
 * replica stood in the way of what is to be applied there: it is run again a few times, and then
 * this is thrown.
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

    /**
     * Of a replica.
     *
     * @param place its first part
     * @param attempts how often the read was run
     */
    public SnapshotTooOldException(Object place, int attempts) {
        super(
                Category.ENVIRONMENT,
                "A read of the replica "
                        + place
                        + " took longer than commits may wait there, "
                        + attempts
                        + " times; read less at once, give it more time (read-hold in the agent's"
                        + " settings), or read a copy (farheap backup).");
    }
}
