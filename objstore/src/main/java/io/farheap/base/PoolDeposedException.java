package io.farheap.base;

/**
 * Another node has taken the pool over: nothing is committed here any more, whatever is reached
 * again (docs/high-availability.md). Close the pool; it is the other node's turn to write.
 *
 * <p>A commit that waited for its replicas when that became known was rolled back here and throws
 * this, too; whether the other node's pool has it is unknown ({@link #isOutcomeUnknown}).
 */
public class PoolDeposedException extends FarheapException {
    private static final long serialVersionUID = 1L;

    private final long term;
    private final boolean outcomeUnknown;

    /**
     * @param pool its poolset file
     * @param term the one that is over
     * @param why a sentence that names who took over, as far as that is known
     */
    public PoolDeposedException(String pool, long term, String why) {
        this(
                term,
                pool
                        + ": term "
                        + term
                        + " of this writer is over, and nothing is committed here any more; close"
                        + " the pool: "
                        + why,
                false,
                null);
    }

    private PoolDeposedException(
            long term, String message, boolean outcomeUnknown, PoolDeposedException cause) {
        super(Category.REPLICA, message, cause);
        this.term = term;
        this.outcomeUnknown = outcomeUnknown;
    }

    /** The same for a call that has committed nothing. */
    public PoolDeposedException again() {
        return new PoolDeposedException(term, getMessage(), false, this);
    }

    /** The same for a commit that other nodes may have. */
    public PoolDeposedException ofWaiting() {
        return new PoolDeposedException(
                term,
                "the commit was rolled back here; whether the other node has it is unknown: "
                        + getMessage(),
                true,
                this);
    }

    /** The term that is over. */
    public long term() {
        return term;
    }

    /** Whether the commit that threw this may be in the other node's pool. */
    public boolean isOutcomeUnknown() {
        return outcomeUnknown;
    }
}
