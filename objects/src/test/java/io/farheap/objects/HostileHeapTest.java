package io.farheap.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.farheap.ObjectPool;
import io.farheap.base.FarheapException;
import io.farheap.base.Ref;
import io.farheap.objects.transaction.HeapTransactions;
import io.farheap.objects.type.RootLayout;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Pools whose bytes no program wrote are refused with a sentence, and never followed. */
class HostileHeapTest {
    private static final int ROUNDS = Boolean.getBoolean("test.deep") ? 2_000 : 500;

    private final long seed = Long.getLong("seed", new Random().nextLong());
    private final Random random = new Random(seed);

    private PersistentHeap<EveryValue.Root> heap;
    private ObjectPool pool;
    private HeapTransactions writer;

    @BeforeEach
    void fill() {
        heap = EveryValue.make();
        pool = heap.pool();
        writer = new HeapTransactions(pool);
    }

    @AfterEach
    void close() {
        heap.close();
    }

    @Test
    @Tag("sliced")
    void aDamagedTypeTableIsRefusedOrHarmless() {
        int refused = rounds(List.of(RootLayout.TYPE_NUMBER), true);
        assertThat(refused).as("seed %d", seed).isGreaterThan(ROUNDS / 10);
    }

    @Test
    @Tag("sliced")
    void aDamagedObjectIsRefusedOrHarmless() {
        List<Long> typeNumbers = new ArrayList<>();
        for (Ref object : pool.objects()) {
            long number = pool.typeNumber(object);
            if (number != RootLayout.TYPE_NUMBER && !typeNumbers.contains(number)) {
                typeNumbers.add(number);
            }
        }
        int refused = rounds(typeNumbers, false);
        assertThat(refused).as("seed %d", seed).isGreaterThan(ROUNDS / 20);
    }

    private int rounds(List<Long> typeNumbers, boolean withRoot) {
        List<Ref> victims = new ArrayList<>();
        typeNumbers.forEach(number -> pool.objects(number).forEach(victims::add));
        if (withRoot) {
            victims.add(pool.root());
        }
        int refused = 0;
        for (int i = 0; i < ROUNDS; i++) {
            Ref victim = victims.get(random.nextInt(victims.size()));
            int size = (int) (victim.equals(pool.root()) ? 48 : pool.usableSize(victim));
            byte[] good = pool.readBytes(victim, 0, size);
            byte[] goodRoot = pool.readBytes(pool.root(), 0, RootLayout.BYTES);
            write(victim, 0, RandomDamage.of(random, good, victims));
            refused += isRefused() ? 1 : 0;
            write(victim, 0, good);
            write(pool.root(), 0, goodRoot); // what was opened may have added types
        }
        assertThat(isRefused()).as("with its own bytes again").isFalse();
        return refused;
    }

    /** Below what checks: the pool refuses such writes while the heap is open. */
    private void write(Ref victim, long offset, byte[] bytes) {
        writer.transaction(
                tx -> {
                    tx.write(
                            victim.offset(), offset, MemorySegment.ofArray(bytes), 0, bytes.length);
                    return null;
                });
    }

    private boolean isRefused() {
        try {
            Object unused = EveryValue.openAndRead(pool);
            return false;
        } catch (FarheapException e) {
            return true;
        } catch (RuntimeException | OutOfMemoryError e) {
            return fail("seed " + seed, e);
        }
    }
}
