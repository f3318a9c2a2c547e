package io.farheap.it.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import io.farheap.base.StatisticsMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pools that grow in directories, grown by this library and by libpmemobj in turn. */
class DirectorySetInteropTest {
    private static final long STEP = 2L << 20;

    @TempDir Path directory;
    private Path set;

    @BeforeEach
    void nativeLibrary() throws IOException {
        NativeJudge.require();
        for (String name : List.of("a", "b", "r")) {
            Files.createDirectory(directory.resolve(name));
        }
        String lines = "OPTION SINGLEHDR\n150M @/a\n150M @/b\nREPLICA\n300M @/r\n";
        set = directory.resolve("pool.set");
        Files.writeString(set, "PMEMPOOLSET\n" + lines.replace("@", directory.toString()));
    }

    private long parts() throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(path -> path.toString().endsWith(".pmem")).count();
        }
    }

    private void assertSame() {
        NativeJudge.assertConsistent(set);
        assertThat(Listing.here(set)).isEqualTo(NativeJudge.list(set));
    }

    /** The C program's transactions, configured as ours would be. */
    private void work(String configuration, long seed, int steps) {
        NativeJudge.Answer answer =
                NativeJudge.run(
                        "env",
                        "PMEMOBJ_CONF=" + configuration,
                        NativeJudge.programPath(),
                        "work",
                        set.toString(),
                        Long.toString(seed),
                        Integer.toString(steps));
        assertThat(answer)
                .as("judge work with %s, seed %d", configuration, seed)
                .returns(0, NativeJudge.Answer::exitCode);
    }

    @Test
    void bothGrowAndReadWhatTheOtherGrew() throws IOException {
        long seed = 20_261_121;
        ObjectPool.create(set, "").close();
        assertThat(parts()).isEqualTo(2);
        for (int round = 0; round < 3; round++) {
            long before = parts();
            try (ObjectPool pool = ObjectPool.open(set, "")) {
                Listing.assertEveryObjectIsWhole(pool, "seed " + seed + ", round " + round);
                pool.heap().setGranularity(STEP);
                pool.heap().extend(STEP);
                new RandomWorkload(pool, seed + round).run(30);
            }
            assertThat(parts()).as("seed %d, round %d", seed, round).isGreaterThan(before);
            assertSame();
            work("heap.size.granularity=" + STEP, seed * 3 + round, 30);
            assertSame();
        }
    }

    @Test
    void aSetMadeByPmempoolGrowsHere() throws IOException {
        NativeJudge.Answer made =
                NativeJudge.run("pmempool", "create", "obj", "--layout=x", set.toString());
        assertThat(made).returns(0, NativeJudge.Answer::exitCode);
        try (ObjectPool pool = ObjectPool.open(set, "x")) {
            pool.heap().setGranularity(STEP);
            pool.transaction(
                    tx -> {
                        Ref large = tx.allocate(20 << 20, 1);
                        tx.setLong(large, 19 << 20, 1);
                    });
        }
        assertThat(parts()).isGreaterThan(2);
        assertSame();
    }

    /** As after a crash: libpmemobj must find a pool that it takes, once we had opened it. */
    @Test
    void whatACutGrowthLeavesIsPutRightForCToo() throws IOException {
        ObjectPool.create(set, "").close();
        try (ObjectPool pool = ObjectPool.open(set, "")) {
            pool.transaction(tx -> tx.setLong(tx.allocateZeroed(1000, 1), 8, 1));
        }
        Files.write(directory.resolve("b/000001.pmem"), new byte[(int) STEP]);
        assertThat(NativeJudge.judge("list", set.toString()))
                .as("libpmemobj by itself")
                .doesNotReturn(0, NativeJudge.Answer::exitCode);
        ObjectPool.open(set, "").close();
        assertSame();

        Files.write(directory.resolve("b/000001.pmem"), new byte[(int) STEP]);
        Files.write(directory.resolve("r/000001.pmem"), new byte[(int) STEP]);
        assertSame();
        try (ObjectPool pool = ObjectPool.open(set, "")) {
            long before = pool.heap().size();
            pool.heap().extend(STEP);
            assertThat(pool.heap().size()).isEqualTo(before + STEP);
            pool.transaction(tx -> tx.setLong(tx.allocateZeroed(4 << 20, 1), 8, 1));
        }
        assertThat(parts()).isEqualTo(4);
        assertSame();
    }

    /** Both count into the same word of the pool. */
    @Test
    void theCountOfAllocatedBytesIsTheSame() {
        ObjectPool.create(set, "").close();
        work("stats.enabled=persistent;heap.size.granularity=" + STEP, 9, 30);
        long objects = 0;
        try (ObjectPool pool = ObjectPool.open(set, "")) {
            for (Ref object : pool.objects()) {
                objects += pool.usableSize(object) + 16;
            }
            assertThat(pool.control().allocatedBytes()).as("what C counted").isEqualTo(objects);
            pool.control().setStatistics(StatisticsMode.PERSISTENT);
            pool.transaction(tx -> tx.objects().forEach(tx::free));
            assertThat(pool.control().allocatedBytes()).isZero();
        }
    }
}
