package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.CrashEnumeration.Step;
import io.farheap.base.Ref;
import io.farheap.pmemobj.PoolMutex;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/** What locks in pool memory change of a pool: nothing, but for being zeroed. */
final class LockSteps {
    private static final long TYPE = 0x4c4f434b;

    private LockSteps() {}

    static Map<String, Step> steps() {
        Map<String, Step> steps = new LinkedHashMap<>();
        steps.put("allocate locks that were never zeroed", LockSteps::allocate);
        steps.put("zero a mutex", pool -> pool.locks().mutex(object(pool), 0).zero());
        steps.put("zero a lock", pool -> pool.locks().readWriteLock(object(pool), 64).zero());
        steps.put("zero a condition", pool -> pool.locks().condition(object(pool), 128).zero());
        steps.put("change something under locks in the pool", LockSteps::underLocks);
        steps.put("free a lock that is held", LockSteps::freeHeld);
        return steps;
    }

    private static Ref object(ObjectPool pool) {
        return pool.objects(TYPE).iterator().next();
    }

    private static void allocate(ObjectPool pool) {
        byte[] garbage = new byte[256];
        Arrays.fill(garbage, (byte) 3);
        pool.transaction(tx -> tx.writeBytes(tx.allocate(256, TYPE), 0, garbage));
    }

    private static void underLocks(ObjectPool pool) {
        Ref object = object(pool);
        PoolMutex mutex = pool.locks().mutex(object, 0);
        pool.transaction(
                tx -> {
                    tx.lock(mutex);
                    tx.lock(pool.locks().readWriteLock(object, 64).writeLock());
                    tx.setLong(object, 200, 1);
                });
        assertThat(mutex.tryLock()).isTrue();
    }

    private static void freeHeld(ObjectPool pool) {
        Ref object = object(pool);
        PoolMutex mutex = pool.locks().mutex(object, 0);
        assertThat(mutex.isHeldByCurrentThread()).isTrue();
        pool.transaction(tx -> tx.free(object));
        mutex.unlock();
    }
}
