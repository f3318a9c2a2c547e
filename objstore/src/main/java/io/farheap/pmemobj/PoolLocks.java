package io.farheap.pmemobj;

import io.farheap.base.FarheapException;
import io.farheap.base.Ref;
import io.farheap.engine.PoolEngine;
import io.farheap.engine.PoolReferences;

/**
 * What lies in an object but lives for one run: locks and volatile values, where a C program has
 * its PMEMmutex, PMEMrwlock, PMEMcond and PMEMvlt.
 *
 * <p>Whatever run ended without giving a lock back, it is free in the next: nothing of it is
 * persistent, and nothing goes to replicas. All handles of one place are the same lock. The bytes
 * of the place are not touched, except by {@code zero()}: a C program that opens the pool later
 * initialises them afresh, because it has a run of its own (docs/format.md#structures-in-objects).
 * With the object its locks and values go: who waits for one is refused, who holds one may still
 * give it back, and an object allocated in the same place has new ones.
 *
 * <p>A place is {@value #LOCK_BYTES} bytes inside an object at an offset that is a multiple of 8.
 * Making a handle costs little; it may be kept as long as the object lives. Thread-safe.
 */
public final class PoolLocks {

    /** Bytes that a lock takes in an object. */
    public static final int LOCK_BYTES = 64;

    private final PoolEngine engine;
    private final long poolId;

    PoolLocks(PoolEngine engine, long poolId) {
        this.engine = engine;
        this.poolId = poolId;
    }

    /** The mutex at {@code offset} in an object. */
    public PoolMutex mutex(Ref object, long offset) {
        return new PoolMutex(engine, offset(object), place(object, offset, LOCK_BYTES));
    }

    /** The read-write lock at {@code offset} in an object. */
    public PoolReadWriteLock readWriteLock(Ref object, long offset) {
        return new PoolReadWriteLock(engine, offset(object), place(object, offset, LOCK_BYTES));
    }

    /** The condition at {@code offset} in an object. */
    public PoolCondition condition(Ref object, long offset) {
        return new PoolCondition(engine, offset(object), place(object, offset, LOCK_BYTES));
    }

    /**
     * The volatile value at {@code offset} in an object: the place of a PMEMvlt, whose first 8
     * bytes are the run id.
     */
    public <T> VolatileValue<T> volatileValue(Ref object, long offset) {
        return new VolatileValue<>(engine, offset(object), place(object, offset, Long.BYTES));
    }

    private long offset(Ref object) {
        return PoolReferences.offset(object, poolId);
    }

    private long place(Ref object, long offset, long bytes) {
        long start = offset(object);
        engine.checkReadable(start, offset, bytes);
        if (((start + offset) & (Long.BYTES - 1)) != 0) {
            throw FarheapException.wrongUse(
                    "A lock or volatile value at offset %s of the object at 0x%s is not"
                            + " aligned; its offset must be a multiple of 8.",
                    offset, Long.toHexString(start));
        }
        return start + offset;
    }
}
