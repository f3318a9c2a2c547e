package io.farheap.pmemobj;

import io.farheap.engine.PoolEngine;
import io.farheap.lock.LockKind;

/**
 * A mutex that lies in an object, a PMEMmutex of libpmemobj: free at the begin of every run, not
 * reentrant, given back by the thread that took it. Two of one place are equal and are one lock.
 * See {@link PoolLocks}.
 */
public final class PoolMutex extends InPoolLock {
    PoolMutex(PoolEngine engine, long object, long place) {
        super(engine, object, place, LockKind.MUTEX, false);
    }

    /**
     * Makes the place a mutex that nobody holds, durably and on every replica: for objects whose
     * bytes were never zeroed, which a C program might take for a lock in use.
     */
    public void zero() {
        engine().zeroLock(object(), place());
    }
}
