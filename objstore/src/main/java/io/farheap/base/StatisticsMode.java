package io.farheap.base;

/** Which statistics a pool keeps (ctl {@code stats.enabled}). */
public enum StatisticsMode {
    /** Those of this run only: the default. */
    TRANSIENT(false, true),
    /** Those of this run, and the one that the pool itself keeps. */
    BOTH(true, true),
    /** Only the one that the pool itself keeps. */
    PERSISTENT(true, false),
    /** None. */
    DISABLED(false, false);

    private final boolean persistent;
    private final boolean ofThisRun;

    StatisticsMode(boolean persistent, boolean ofThisRun) {
        this.persistent = persistent;
        this.ofThisRun = ofThisRun;
    }

    /** Whether {@link io.farheap.pmemobj.PoolControl#allocatedBytes} is kept. */
    public boolean isPersistent() {
        return persistent;
    }

    /**
     * Whether {@link io.farheap.pmemobj.PoolControl#runBytes} and {@link
     * io.farheap.pmemobj.PoolControl#runBytesInUse} are told.
     */
    public boolean isTransient() {
        return ofThisRun;
    }
}
