package io.farheap.it.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.heap.HeapWalk;
import io.farheap.heap.RunUnits;
import io.farheap.layout.Descriptor;
import io.farheap.pool.PoolFiles;
import io.farheap.pool.PoolSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A pool goes to and fro between this library and libpmemobj, and both see the same in it. */
class NativeInteropTest {
    private static final long POOL_BYTES = 96L << 20;

    @TempDir Path directory;
    private Path file;

    @BeforeEach
    void nativeLibrary() {
        NativeJudge.require();
        file = directory.resolve("shared.pool");
    }

    @AfterEach
    void removePool() throws IOException {
        Files.deleteIfExists(file);
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 20_261_121, 77})
    void aPoolMadeHereIsConsistentAndListsTheSameInC(long seed) {
        try (ObjectPool pool = ObjectPool.at(file).layout("").size(POOL_BYTES).create()) {
            pool.root(1000);
            new RandomWorkload(pool, seed).run(150);
        }
        NativeJudge.assertConsistent(file);
        assertSameListing();
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {3, 4711})
    void bothContinueEachOthersWork(long seed) {
        ObjectPool.at(file).layout("").size(POOL_BYTES).create().close();
        for (int round = 0; round < 6; round++) {
            NativeJudge.work(file, seed + round, 60);
            try (ObjectPool pool = ObjectPool.open(file, "")) {
                Listing.assertEveryObjectIsWhole(pool, "round " + round);
                new RandomWorkload(pool, seed * 31 + round).run(60);
            }
            NativeJudge.assertConsistent(file);
            assertSameListing();
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {5, 6, 7, 8, 9, 10})
    void whatCLeftInsideATransactionIsRolledBackHere(long seed) {
        ObjectPool.at(file).layout("").size(POOL_BYTES).create().close();
        NativeJudge.die(file, seed, 50);
        try (ObjectPool pool = ObjectPool.open(file, "")) {
            Listing.assertEveryObjectIsWhole(pool, "seed " + seed);
            new RandomWorkload(pool, seed).run(30);
        }
        NativeJudge.assertConsistent(file);
        assertSameListing();
    }

    @Test
    void everyAllocationClassIsUsedAsTheLibraryWould() throws IOException {
        long seed = 54;
        List<Long> all = LongStream.of(RunUnits.bytes()).boxed().toList();
        try (ObjectPool pool = ObjectPool.at(file).layout("").size(3 * POOL_BYTES).create()) {
            RandomWorkload workload = new RandomWorkload(pool, seed);
            workload.allocateOfEveryClass();
            workload.run(60);
            workload.allocateOfEveryClass();
        }
        assertThat(usedClasses()).hasSize(54).containsAll(all);
        NativeJudge.assertConsistent(file);
        assertSameListing();

        NativeJudge.work(file, seed, 100);

        try (ObjectPool pool = ObjectPool.open(file, "")) {
            Listing.assertEveryObjectIsWhole(pool, "seed " + seed);
        }
        assertThat(usedClasses()).hasSize(54);
        assertSameListing();
    }

    /** How many classes have runs or, the huge one, chunks of their own. */
    private Set<Long> usedClasses() {
        Set<Long> units = new TreeSet<>();
        try (PoolFiles files = PoolFiles.openPrivate(PoolSource.of(file), null)) {
            Descriptor descriptor = new Descriptor(files.memory());
            HeapWalk.walk(
                    files.memory().image(),
                    descriptor.heapOffset(),
                    descriptor.heapSize(),
                    new HeapWalk.Visitor() {
                        @Override
                        public void block(HeapWalk.Block block) {
                            if (block.type() != HeapWalk.BlockType.FREE) {
                                units.add(block.run() == null ? 0L : block.run().unitSize());
                            }
                        }

                        @Override
                        public void inconsistency(HeapWalk.Inconsistency inconsistency) {
                            throw new AssertionError(inconsistency.message());
                        }
                    });
        }
        return units;
    }

    @Test
    void anEmptyPoolIsConsistentInC() {
        ObjectPool.at(file).layout("empty").size(8 << 20).create().close();
        NativeJudge.assertConsistent(file);
        assertThat(NativeJudge.list(file).objects()).isEmpty();
    }

    private void assertSameListing() {
        assertThat(Listing.here(file)).isEqualTo(NativeJudge.list(file));
    }
}
