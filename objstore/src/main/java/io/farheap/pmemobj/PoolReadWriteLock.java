package io.farheap.pmemobj;

import io.farheap.engine.PoolEngine;
import io.farheap.lock.LockKind;
import java.util.concurrent.locks.ReadWriteLock;

/**
 * A read-write lock that lies in an object, a PMEMrwlock of libpmemobj: any number of readers or
 * one writer. A reader may read again but not become the writer; readers let a waiting writer go
 * first. See {@link PoolLocks}.
 */
public final class PoolReadWriteLock implements ReadWriteLock {

    /** One of the two ways to hold it; two of one place and way are equal. */
    public static final class Half extends InPoolLock {
        Half(PoolEngine engine, long object, long place, boolean shared) {
            super(engine, object, place, LockKind.READ_WRITE, shared);
        }
    }

    private final Half read;
    private final Half write;

    PoolReadWriteLock(PoolEngine engine, long object, long place) {
        read = new Half(engine, object, place, true);
        write = new Half(engine, object, place, false);
    }

    /** Held by any number of threads at once, also repeatedly by one. */
    @Override
    public Half readLock() {
        return read;
    }

    /** Held by one thread while nobody reads. */
    @Override
    public Half writeLock() {
        return write;
    }

    /** Makes the place a lock that nobody holds; as {@link PoolMutex#zero}. */
    public void zero() {
        read.engine().zeroLock(read.object(), read.place());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PoolReadWriteLock && ((PoolReadWriteLock) other).read.equals(read);
    }

    @Override
    public int hashCode() {
        return read.hashCode();
    }
}
