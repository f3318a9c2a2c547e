package io.farheap.lock;

/**
 * What belongs to places in the pool but lives for one run only, in DRAM: locks and volatile
 * values. It dies with the object that holds the place. Thread-safe.
 */
public final class RunState {
    private final LockTable locks;
    private final VolatileValues values;

    /**
     * Nothing is locked, no value made.
     *
     * @param boundNanos the longest wait of those that name none
     */
    public RunState(LockTable.Liveness liveness, long boundNanos) {
        locks = new LockTable(liveness, boundNanos);
        values = new VolatileValues(liveness, boundNanos);
    }

    /** Mutexes, read-write locks and conditions. */
    public LockTable locks() {
        return locks;
    }

    /** Values made once per run. */
    public VolatileValues values() {
        return values;
    }

    /** Space is about to be given out again: whatever belonged to it is gone. */
    public void forget(long from, long to) {
        locks.forget(from, to);
        values.forget(from, to);
    }
}
