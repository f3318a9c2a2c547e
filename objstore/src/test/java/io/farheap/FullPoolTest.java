package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.CrashEnumeration.Effort;
import io.farheap.CrashEnumeration.Findings;
import io.farheap.base.Errno;
import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.base.Ref;
import io.farheap.pmemobj.Actions;
import io.farheap.testing.CrashSimulation;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A pool in which nothing more fits: what is in it can be freed and changed all the same. */
class FullPoolTest {
    private static final long SEED = 20261123;
    private static final boolean DEEP = Boolean.getBoolean("test.deep");
    private static final int CHUNK = 1 << 18;
    private static final long TYPE = 7;

    private static final Effort EFFORT = DEEP ? new Effort(64, 6, 1, 16) : new Effort(8, 1, 0, 64);

    @TempDir private Path directory;

    private Path file() {
        return directory.resolve("full");
    }

    /** Fills a pool with objects of one size, then with smaller ones until nothing fits. */
    private static List<Ref> fill(ObjectPool pool, int size) {
        List<Ref> objects = new ArrayList<>();
        for (int bytes = size; bytes > 0; bytes /= 2) {
            int each = bytes;
            try {
                while (true) {
                    objects.add(pool.compute(tx -> tx.allocate(each, TYPE)));
                }
            } catch (FarheapException full) {
                assertThat(full.category()).isEqualTo(Category.ENVIRONMENT);
                assertThat(full).hasMessageContaining("kept for the logs");
            }
        }
        return objects;
    }

    private static long count(ObjectPool pool) {
        long count = 0;
        for (Ref ignored : pool.objects()) {
            count++;
        }
        return count;
    }

    @ParameterizedTest
    @CsvSource({"8,1000", "8,48", "8,5000", "24,262128", "24,100000", "300,262128"})
    void allOfItIsFreedInOneTransaction(int mebibytes, int size) {
        try (ObjectPool pool =
                ObjectPool.at(file()).layout("full").size((long) mebibytes << 20).create()) {
            List<Ref> objects = fill(pool, size);
            Collections.shuffle(objects, new Random(SEED));
            pool.transaction(tx -> objects.forEach(tx::free));
            assertThat(count(pool)).isZero();
            assertThat(fill(pool, size)).as("the same fits again").hasSameSizeAs(objects);
        }
        assertThat(ObjectPool.check(file()).inconsistencies()).isEmpty();
    }

    @Test
    void allOfItIsFreedByActions() {
        try (ObjectPool pool = ObjectPool.at(file()).layout("full").size(8 << 20).create()) {
            List<Ref> objects = fill(pool, 3000);
            Collections.shuffle(objects, new Random(SEED));
            Actions actions = pool.actions();
            objects.forEach(actions::deferFree);
            actions.publish();
            assertThat(count(pool)).isZero();
        }
    }

    @Test
    void whatIsRolledBackIsThereAndTheReserveIsKeptFromOthers() {
        try (ObjectPool pool = ObjectPool.at(file()).layout("full").size(24 << 20).create()) {
            List<Ref> objects = fill(pool, CHUNK - 16);
            for (int round = 0; round < 3; round++) {
                assertThatThrownBy(
                                () ->
                                        pool.transaction(
                                                tx -> {
                                                    objects.forEach(tx::free);
                                                    throw new IllegalStateException("no");
                                                }))
                        .hasMessage("no");
                assertThat(count(pool)).isEqualTo(objects.size());
                assertThatThrownBy(() -> pool.transaction(tx -> tx.allocate(CHUNK - 16, TYPE)))
                        .hasMessageContaining("no room");
            }
            pool.transaction(tx -> objects.forEach(tx::free));
            assertThat(count(pool)).isZero();
        }
    }

    @Test
    void manyRangesOfAnObjectAreChangedInAFullPoolOnOneLaneAfterTheOther() throws Exception {
        try (ObjectPool pool = ObjectPool.at(file()).layout("full").size(8 << 20).create()) {
            Ref big = pool.compute(tx -> tx.allocateZeroed(1 << 20, 1));
            List<Ref> objects = fill(pool, 1000);
            for (int i = 1; i <= 3; i++) {
                long value = i;
                OtherThread.running(
                                () ->
                                        pool.transaction(
                                                tx -> {
                                                    for (int k = 0; k < 512; k++) {
                                                        tx.setLong(big, k * 1024L, value + k);
                                                    }
                                                }))
                        .result();
                assertThat(pool.getLong(big, 511 * 1024L)).isEqualTo(value + 511);
            }
            pool.transaction(tx -> objects.forEach(tx::free));
            assertThat(count(pool)).isEqualTo(1);
        }
    }

    @Test
    void whoFindsTheReserveTakenIsToldWhatTheLogNeedsAndHowToGoOn() throws Exception {
        try (ObjectPool pool = ObjectPool.at(file()).layout("full").size(48 << 20).create()) {
            List<Ref> objects = fill(pool, CHUNK - 16);
            List<Ref> left = objects.subList(0, 60);
            List<Ref> right = objects.subList(60, 120);
            pool.transaction(
                    tx -> {
                        left.forEach(tx::free);
                        OtherThread<Void> other =
                                OtherThread.running(
                                        () -> pool.transaction(t -> right.forEach(t::free)));
                        assertThatThrownBy(other::result)
                                .isInstanceOf(FarheapException.class)
                                .hasMessageStartingWith("The external redo log of lane ")
                                .hasMessageContaining(" has 640 bytes and needs 64 more")
                                .hasMessageContaining("free objects in transactions that each fit")
                                .satisfies(e -> assertThat(Errno.of(e)).isEqualTo(Errno.ENOMEM));
                    });
            pool.transaction(tx -> right.forEach(tx::free));
            assertThat(count(pool)).isEqualTo(objects.size() - 120);
        }
    }

    @Test
    @Tag("sliced")
    void everyCrashFindsAllOfItOrNothing() {
        CrashSimulation machine = SimulatedPool.formatted();
        ObjectPool pool = SimulatedPool.open(machine);
        pool.root(64);
        List<Ref> objects = fill(pool, 40_000);
        // What is found after a crash is used: for that there is room.
        Ref small = objects.removeLast();
        pool.transaction(tx -> tx.free(small));
        Collections.shuffle(objects, new Random(SEED));
        int states = 0;
        try (CrashEnumeration crashes = new CrashEnumeration(machine, EFFORT, SEED)) {
            Findings freed =
                    crashes.step(
                            pool, "free all", p -> p.transaction(tx -> objects.forEach(tx::free)));
            states += freed.states();
        }
        assertThat(count(pool)).isZero();
        assertThat(states).isGreaterThan(DEEP ? 500 : 100);
    }
}
