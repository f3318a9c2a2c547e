package io.farheap.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import io.farheap.pmemobj.MemoryOption;
import io.farheap.pmemobj.PoolMutex;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.function.Consumer;

/** Bytes stored outside transactions, the root that grows, and locks in pool memory. */
final class MemoryTour {
    private static final long TYPE = 81;
    private static final long BYTES = 1024;
    private static final long GROWN = 256;

    private MemoryTour() {}

    static void addTo(Map<String, Consumer<ObjectPool>> steps) {
        steps.put("memory: fill", p -> p.memory().fill(p.root(), BYTES, 111, (byte) 4));
        steps.put("memory: move", p -> p.memory().move(p.root(), BYTES, p.root(), BYTES + 40, 120));
        steps.put("memory: copy", p -> p.memory().copy(p.root(), BYTES, p.root(), 2000, 90));
        steps.put("memory: copy from elsewhere", MemoryTour::copyFromElsewhere);
        steps.put("memory: set one word", MemoryTour::setOneWord);
        steps.put("memory: set part of two words", MemoryTour::setAcrossWords);
        steps.put("memory: persist one word", p -> persist(p, BYTES + 64, 8));
        steps.put("memory: persist many bytes", p -> persist(p, BYTES + 301, 700));
        steps.put("memory: fill, not atomic", MemoryTour::fillNotAtomic);
        steps.put("memory: persist what is there", p -> p.memory().persist(p.root(), BYTES, 500));
        steps.put("memory: one field each", MemoryTour::setFields);
        steps.put("root: grow, constructed", MemoryTour::growTheRoot);
        steps.put("locks: allocate, never zeroed", MemoryTour::allocateLocks);
        steps.put("locks: zero", MemoryTour::zero);
        steps.put("locks: change something under them", MemoryTour::underLocks);
        steps.put("locks: a volatile value", MemoryTour::useVolatileValue);
        steps.put("locks: free", p -> p.atomic().free(locks(p)));
    }

    private static MemorySegment bytes(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (i + length);
        }
        return MemorySegment.ofArray(bytes);
    }

    private static void copyFromElsewhere(ObjectPool pool) {
        pool.memory().copy(bytes(300), 1, pool.root(), BYTES + 301, 277);
    }

    private static void setOneWord(ObjectPool pool) {
        pool.memory().raw().setLong(pool.root().offset(), BYTES + 8, 0x1234_5678_9abcL);
    }

    private static void setAcrossWords(ObjectPool pool) {
        pool.memory().raw().setLong(pool.root().offset(), BYTES + 21, 0x1234_5678_9abcL);
    }

    private static void persist(ObjectPool pool, long offset, int length) {
        pool.memory().raw().persistBytes(pool.root().offset(), offset, bytes(length), 0, length);
    }

    private static void fillNotAtomic(ObjectPool pool) {
        pool.memory().fill(pool.root(), BYTES + 5, 500, (byte) 6, MemoryOption.NOT_ATOMIC);
    }

    private static void setFields(ObjectPool pool) {
        Ref root = pool.root();
        pool.setLong(root, BYTES, 77);
        pool.setInt(root, BYTES + 9, 78);
        pool.setRef(root, BYTES + 16, root);
        pool.writeBytes(root, BYTES + 33, new byte[] {1, 2, 3});
        pool.copy(root, BYTES, root, BYTES + 500, 50);
    }

    private static void growTheRoot(ObjectPool pool) {
        long size = pool.rootSize();
        Ref root = pool.root(size + GROWN, made -> made.fill(size, GROWN, (byte) 5));
        assertThat(pool.getByte(root, size + GROWN - 1)).isEqualTo((byte) 5);
    }

    private static void allocateLocks(ObjectPool pool) {
        pool.transaction(tx -> tx.fill(tx.allocate(400, TYPE), 0, 400, (byte) 3));
    }

    private static Ref locks(ObjectPool pool) {
        return pool.objects(TYPE).iterator().next();
    }

    private static void zero(ObjectPool pool) {
        pool.locks().mutex(locks(pool), 0).zero();
        pool.locks().readWriteLock(locks(pool), 64).zero();
        pool.locks().condition(locks(pool), 128).zero();
    }

    private static void underLocks(ObjectPool pool) {
        Ref object = locks(pool);
        PoolMutex mutex = pool.locks().mutex(object, 0);
        pool.transaction(
                tx -> {
                    tx.lock(mutex);
                    tx.lock(pool.locks().readWriteLock(object, 64).writeLock());
                    tx.setLong(object, 300, 1);
                });
        assertThat(mutex.tryLock()).isTrue();
        mutex.unlock();
    }

    private static void useVolatileValue(ObjectPool pool) {
        pool.transaction(tx -> tx.fill(locks(pool), 192, 64, (byte) 0));
        assertThat(pool.locks().<String>volatileValue(locks(pool), 192).get(() -> "Ada"))
                .isEqualTo("Ada");
    }
}
