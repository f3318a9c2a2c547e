package io.farheap;

import io.farheap.base.Ref;
import io.farheap.pmemobj.PoolCondition;
import io.farheap.pmemobj.PoolMutex;
import io.farheap.pmemobj.PoolReadWriteLock;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.BeforeEach;

/** An object with places for locks in it, and garbage there. */
abstract class LockFixture extends TransactionFixture {
    static final long OBJECT_BYTES = 512;
    static final long MUTEX = 64;
    static final long OTHER_MUTEX = 128;
    static final long READ_WRITE = 192;
    static final long CONDITION = 256;

    Ref object;

    @BeforeEach
    void anObjectWithGarbageInIt() {
        object = made();
    }

    final Ref made() {
        return pool.compute(
                tx -> {
                    Ref made = tx.allocate(OBJECT_BYTES, TYPE);
                    byte[] garbage = new byte[(int) tx.usableSize(made)];
                    Arrays.fill(garbage, (byte) 0xA5);
                    tx.writeBytes(made, 0, garbage);
                    return made;
                });
    }

    final PoolMutex mutex() {
        return pool.locks().mutex(object, MUTEX);
    }

    final PoolReadWriteLock readWriteLock() {
        return pool.locks().readWriteLock(object, READ_WRITE);
    }

    final PoolCondition condition() {
        return pool.locks().condition(object, CONDITION);
    }

    final byte[] bytes() {
        return pool.readBytes(object, 0, (int) OBJECT_BYTES);
    }

    final Lock readLock() {
        return readWriteLock().readLock();
    }

    final Lock writeLock() {
        return readWriteLock().writeLock();
    }

    static void under(Lock lock, List<String> order, String name) {
        lock.lock();
        try {
            order.add(name);
        } finally {
            lock.unlock();
        }
    }
}
