package io.farheap.it.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import io.farheap.layout.Descriptor;
import io.farheap.pmemobj.PoolLocks;
import io.farheap.pool.PoolFiles;
import io.farheap.pool.PoolSource;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lists and locks of one library in the hands of the other. */
class ListInteropTest {
    private static final long POOL_BYTES = 16L << 20;

    @TempDir Path directory;
    private Path file;

    @BeforeEach
    void nativeLibrary() {
        NativeJudge.require();
        file = directory.resolve("shared.pool");
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {3, 4711})
    void eachReadsAndContinuesTheOthersLists(long seed) {
        ObjectPool.at(file).layout("").size(POOL_BYTES).create().close();
        Links expected = Links.parse("list\nlist\nlist\nloose");
        for (int round = 0; round < 4; round++) {
            try (ObjectPool pool = ObjectPool.open(file, null)) {
                LinkWork work = new LinkWork(pool, seed + 2 * round);
                for (int i = 0; i < 100; i++) {
                    work.step();
                }
                expected = last(expected, seed + 2 * round);
                assertThat(Links.of(pool)).as("round %d", round).isEqualTo(expected);
            }
            assertThat(NativeJudge.lists(file)).as("in C, round %d", round).isEqualTo(expected);

            NativeJudge.link(file, seed * 31 + 2 * round, 100, 0);

            expected = last(expected, seed * 31 + 2 * round);
            assertThat(NativeJudge.lists(file)).as("by C, round %d", round).isEqualTo(expected);
            try (ObjectPool pool = ObjectPool.open(file, null)) {
                assertThat(Links.of(pool)).as("here, round %d", round).isEqualTo(expected);
            }
            NativeJudge.assertConsistent(file);
            assertThat(Listing.here(file)).isEqualTo(NativeJudge.list(file));
        }
    }

    private static Links last(Links start, long seed) {
        return start.states(seed, 100).get(100);
    }

    /**
     * The bytes of a list depend on nothing but the operations: the same ones, done by either
     * library on copies of one pool, leave the same links, cleared ones included.
     */
    @Test
    void bothLeaveTheSameBytes() throws Exception {
        PoolDirectory here = PoolDirectory.forFile(directory.resolve("here"));
        ObjectPool.at(here.pool()).layout("").size(POOL_BYTES).create().close();
        NativeJudge.link(here.pool(), 99, 60, 0);
        for (long seed = 1; seed <= 80; seed += 2) {
            PoolDirectory copy = here.copyTo(directory.resolve("copy"));
            String where = "seed " + seed;

            NativeJudge.link(copy.pool(), seed, 1, 0);
            try (ObjectPool pool = ObjectPool.open(here.pool(), null)) {
                new LinkWork(pool, seed).step();
            }

            Links links;
            LinkBytes bytes;
            try (ObjectPool byC = ObjectPool.open(copy.pool(), null)) {
                links = Links.of(byC);
                bytes = LinkBytes.of(byC);
            }
            try (ObjectPool byJava = ObjectPool.open(here.pool(), null)) {
                assertThat(Links.of(byJava)).as(where).isEqualTo(links);
                assertThat(LinkBytes.of(byJava)).as(where).isEqualTo(bytes);
            }
        }
    }

    // ---- locks ----

    @Test
    void locksThatCDiedWithAreFreeHereAndTheOtherWayRound() {
        ObjectPool.at(file).layout("").size(POOL_BYTES).create().close();
        NativeJudge.link(file, 5, 50, 0);
        int locks = NativeJudge.takeAllLocks(file);

        for (int run = 0; run < 3; run++) {
            try (ObjectPool pool = ObjectPool.open(file, null)) {
                int members = Links.members(pool).size();
                assertThat(LinkWork.takeAllLocks(pool)).isEqualTo(Links.LISTS + members + 2);
            }
            assertThat(NativeJudge.takeAllLocks(file)).as("again, a new run").isEqualTo(locks);
        }
    }

    @Test
    void aLockThatIsZeroedHereIsFreeInCWhateverItsBytesWere() {
        ObjectPool.at(file).layout("").size(POOL_BYTES).create().close();
        NativeJudge.link(file, 5, 20, 0);
        NativeJudge.takeAllLocks(file);
        long run = runAfterNext();
        try (ObjectPool pool = ObjectPool.open(file, null)) {
            Ref holder = Links.holder(pool);
            // The next run is the C program's: to it this lock is initialised, and held.
            pool.setLong(holder, Links.MUTEX, run);
            assertThat(pool.getInt(holder, Links.MUTEX + 8)).as("held when C died").isPositive();
        }
        assertThat(NativeJudge.judge("locks", file.toString()).out()).contains("mutex: ");

        run = runAfterNext();
        try (ObjectPool pool = ObjectPool.open(file, null)) {
            Ref holder = Links.holder(pool);
            pool.setLong(holder, Links.MUTEX, run);
            PoolLocks locks = pool.locks();
            locks.mutex(holder, Links.MUTEX).zero();
            locks.readWriteLock(holder, Links.READ_WRITE_LOCK).zero();
            locks.condition(holder, Links.CONDITION).zero();
        }

        assertThat(NativeJudge.takeAllLocks(file)).isPositive();
    }

    /** The run of who opens the pool after who opens it next. */
    private long runAfterNext() {
        try (PoolFiles files = PoolFiles.openPrivate(PoolSource.of(file), null)) {
            long run = new Descriptor(files.memory()).runId();
            return Descriptor.nextRunId(Descriptor.nextRunId(run));
        }
    }

    @Test
    void aVolatileValueOfCIsMadeAnewHereAndTheOtherWayRound() {
        ObjectPool.at(file).layout("").size(POOL_BYTES).create().close();
        NativeJudge.takeAllLocks(file); // makes its value 42
        try (ObjectPool pool = ObjectPool.open(file, null)) {
            Ref holder = Links.holder(pool);
            assertThat(pool.getLong(holder, Links.VOLATILE + 8)).isEqualTo(42);
            AtomicInteger made = new AtomicInteger();
            assertThat(pool.locks().volatileValue(holder, Links.VOLATILE).get(() -> made))
                    .isSameAs(made);
            pool.setLong(holder, Links.VOLATILE + 8, 7);
        }

        assertThat(NativeJudge.takeAllLocks(file)).as("checks that it is 42").isPositive();
    }
}
