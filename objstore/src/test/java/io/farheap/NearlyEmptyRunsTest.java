package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.farheap.base.AllocationOptions;
import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.base.Ref;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Runs of all chunks are nearly empty: what is free in them is given out all the same, to objects
 * of any size that it has room for, until half of the heap is in use. Then small objects leave the
 * places of large ones to large ones.
 */
class NearlyEmptyRunsTest {
    private static final long POOL = 32 << 20;
    private static final int LARGE = 25;
    private static final int MOST_LARGE = 400_000;

    private static final Pattern FREE =
            Pattern.compile("([0-9]+) of [0-9]+ bytes are free in all, ([0-9]+) of them kept");

    @TempDir private Path directory;

    private Path file() {
        return directory.resolve("pool");
    }

    /** Large objects of different sizes have a run each, which takes 4 MiB. */
    private static void large(ObjectPool pool, Random random) {
        for (int i = 0; i < LARGE; i++) {
            int size = 1000 + random.nextInt(MOST_LARGE);
            Ref unused = pool.compute(tx -> tx.allocate(size, 1));
        }
    }

    private static List<Ref> fill(ObjectPool pool, int size) {
        List<Ref> objects = new ArrayList<>();
        try {
            while (true) {
                Ref object = pool.compute(tx -> tx.allocateZeroed(size, 2));
                pool.transaction(tx -> tx.setLong(object, size - 8, object.offset()));
                objects.add(object);
            }
        } catch (FarheapException full) {
            assertThat(full.category()).isEqualTo(Category.ENVIRONMENT);
            assertThat(full).hasMessageContaining("no room");
            Matcher free = FREE.matcher(full.getMessage());
            assertThat(free.find()).isTrue();
            assertThat(Long.parseLong(free.group(1)) - Long.parseLong(free.group(2)))
                    .as(full.getMessage())
                    .isLessThan(POOL / 2);
        }
        return objects;
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3})
    void smallObjectsFillThem(long seed) {
        List<Ref> small;
        try (ObjectPool pool = ObjectPool.at(file()).layout("runs").size(POOL).create()) {
            large(pool, new Random(seed));
            small = fill(pool, 1000);
            assertThat(small).hasSizeGreaterThan(100);
        }
        assertThat(ObjectPool.check(file()).inconsistencies()).isEmpty();
        try (ObjectPool pool = ObjectPool.open(file(), "runs")) {
            for (Ref object : small) {
                assertThat(pool.getLong(object, 992)).isEqualTo(object.offset());
            }
            pool.transaction(tx -> small.forEach(tx::free));
            assertThat(fill(pool, 1000)).hasSizeGreaterThanOrEqualTo(small.size());
        }
        assertThat(ObjectPool.check(file()).inconsistencies()).isEmpty();
    }

    /** Whoever names a class wants units of that size, or none. */
    @Test
    void aClassThatWasNamedIsKept() {
        try (ObjectPool pool = ObjectPool.at(file()).layout("runs").size(POOL).create()) {
            large(pool, new Random(4));
            List<Ref> small = fill(pool, 1000);
            Ref alone = small.stream().filter(one -> pool.usableSize(one) > 1100).findFirst().get();
            pool.transaction(tx -> tx.free(alone));
            AllocationOptions named = AllocationOptions.DEFAULT.inClass(1);
            assertThatThrownBy(
                            () -> {
                                for (int i = 0; i < 10_000; i++) {
                                    Ref one = pool.compute(tx -> tx.allocate(100, 3, named));
                                    assertThat(one.isNull()).isFalse();
                                }
                            })
                    .hasMessageContaining("no room");
            Ref anywhere = pool.compute(tx -> tx.allocate(100, 3));
            assertThat(anywhere.isNull()).isFalse();
        }
    }

    /** Else a heap in which sizes come and go holds less and less of them. */
    @Test
    void inAFullHeapThePlacesOfLargeObjectsAreKeptForLargeOnes() {
        try (ObjectPool pool = ObjectPool.at(file()).layout("runs").size(POOL).create()) {
            List<Ref> large = fill(pool, 20_000);
            List<Ref> freed = new ArrayList<>(); // a few of each run
            for (int i = 0; i < large.size(); i += 5) {
                freed.add(large.get(i));
            }
            assertThat(fill(pool, 104)).hasSizeLessThan(20_000);
            pool.transaction(tx -> freed.forEach(tx::free));
            List<Ref> small = fill(pool, 104);
            assertThat(fill(pool, 20_000))
                    .as("beside %d small ones", small.size())
                    .hasSameSizeAs(freed);
        }
    }

    /** Fills it with 104 bytes each but for the places of large objects. */
    private static FarheapException fillBesideLarge(ObjectPool pool) {
        List<Ref> large = fill(pool, 20_000);
        List<Ref> unused = fill(pool, 104);
        assertThat(refused(pool, 20_000))
                .as("without any unit that is as large")
                .hasMessageNotContaining("units for larger objects");
        pool.transaction(
                tx -> {
                    for (int i = 0; i < large.size(); i += 5) {
                        tx.free(large.get(i));
                    }
                });
        assertThat(fill(pool, 104)).hasSizeLessThan(20_000);
        return refused(pool, 104);
    }

    private static FarheapException refused(ObjectPool pool, int size) {
        return catchThrowableOfType(
                FarheapException.class,
                () -> {
                    Ref unused = pool.compute(tx -> tx.allocate(size, 2));
                });
    }

    @Test
    void whoIsRefusedForTheSakeOfLargeObjectsIsTold() {
        try (ObjectPool pool = ObjectPool.at(file()).layout("runs").size(POOL).create()) {
            assertThat(fillBesideLarge(pool))
                    .hasMessageContaining(
                            "what is left of units for larger objects is kept for those while no"
                                    + " more than half of the heap is free; free objects");
        }
    }

    /** A pool that has free bytes must not be without a root. */
    @Test
    void theRootTakesThePlaceOfALargeObject() {
        try (ObjectPool pool = ObjectPool.at(file()).layout("runs").size(POOL).create()) {
            FarheapException refused = fillBesideLarge(pool);
            assertThat(refused).hasMessageContaining("no room");
            assertThat(pool.usableSize(pool.root(104))).isGreaterThan(1_000);
            assertThat(pool.usableSize(pool.root(12_000))).isGreaterThan(12_000);
        }
        assertThat(ObjectPool.check(file()).inconsistencies()).isEmpty();
    }
}
