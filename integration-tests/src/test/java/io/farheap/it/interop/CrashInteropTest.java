package io.farheap.it.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.it.support.Machines;
import io.farheap.ulog.LogState;
import io.farheap.ulog.LogState.Kind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A program dies in the middle of its work on a pool, and the other library finds the pool: it
 * recovers to the same objects as this library does from a copy. What is in the files is what was
 * stored until then, since the page cache outlives the process.
 */
class CrashInteropTest {
    private static final int LEAST_OF_A_KIND = Boolean.getBoolean("test.deep") ? 10 : 1;
    private static final int POOLS = 2 * LEAST_OF_A_KIND + 2;
    private static final int STEPS = 40;
    private static final int ROUNDS_UNTIL_FULL = 40;

    @TempDir Path directory;
    private final Map<Kind, Integer> pools = new EnumMap<>(Kind.class);
    private int extended;

    @BeforeEach
    void nativeLibrary() {
        NativeJudge.require();
    }

    @Test
    @Tag("sliced")
    void whatAHaltedJvmLeavesIsRecoveredInC() throws Exception {
        long seed = 20_261_121;
        try (Machines machines = Machines.with()) {
            int exit =
                    machines.java(
                                    HaltedPools.class,
                                    machines.here().toString(),
                                    Integer.toString(POOLS),
                                    Long.toString(seed))
                            .start()
                            .waitFor();
            assertThat(exit).as("seed %d", seed).isEqualTo(HaltedPools.HALTED);
            for (int i = 0; i < POOLS; i++) {
                PoolDirectory pool = HaltedPools.directory(machines.here(), i);
                String where = "pool " + i + ", seed " + seed;
                assertThat(count(pool)).as(where).contains(HaltedPools.wanted(i));
                recoverBothWays(pool, directory.resolve("copy-" + i), where);
            }
        }
        report("A JVM was halted", seed);
    }

    @Test
    @Tag("sliced")
    void whatADeadCProgramLeavesIsRecoveredHere() throws IOException {
        long seed = 4711;
        PoolDirectory pool = worked(directory.resolve("pool"), seed);
        PoolDirectory start = pool.copyTo(directory.resolve("start"));
        Random random = new Random(seed);
        int round = 0;
        while (few(Kind.UNDO) || few(Kind.EXTERNAL)) {
            round++;
            int halt = 1 + random.nextInt(400);
            String where = "round " + round + ", halted after " + halt;
            assertThat(round).as("rounds").isLessThan(1000);
            boolean halted = NativeJudge.halt(pool.pool(), seed + round, STEPS, halt);
            if (halted && tellsSomethingNew(pool)) {
                assertThat(count(pool)).as(where).isNotEmpty();
                recoverBothWays(pool, directory.resolve("copy"), where);
            }
            if (round % ROUNDS_UNTIL_FULL == 0) {
                start.copyTo(pool.directory());
            }
        }
        report("A C program was halted in " + round + " rounds", seed);
    }

    private static PoolDirectory worked(Path directory, long seed) {
        PoolDirectory pool = PoolDirectory.forFile(directory);
        ObjectPool.at(pool.pool()).layout("").size(16 << 20).create().close();
        NativeJudge.work(pool.pool(), seed, 60);
        try (ObjectPool here = ObjectPool.open(pool.pool(), "")) {
            here.root(1000);
        }
        return pool;
    }

    private boolean tellsSomethingNew(PoolDirectory pool) {
        return pool.validLogs(Kind.EXTERNAL).isEmpty()
                ? few(Kind.UNDO) && !pool.validLogs(Kind.UNDO).isEmpty()
                : few(Kind.EXTERNAL);
    }

    private boolean few(Kind kind) {
        return pools.getOrDefault(kind, 0) < LEAST_OF_A_KIND + 2;
    }

    /** Which logs a recovery would apply; each kind counts once for a pool. */
    private List<Kind> count(PoolDirectory pool) {
        List<Kind> kinds =
                List.of(Kind.values()).stream()
                        .filter(kind -> !pool.validLogs(kind).isEmpty())
                        .toList();
        kinds.forEach(kind -> pools.merge(kind, 1, Integer::sum));
        boolean chained =
                kinds.stream()
                        .flatMap(kind -> pool.validLogs(kind).stream())
                        .map(LogState::extensions)
                        .anyMatch(extensions -> !extensions.isEmpty());
        extended += chained ? 1 : 0;
        return kinds;
    }

    /** The pool goes to C, the copy to this library. */
    private static void recoverBothWays(PoolDirectory pool, Path other, String where)
            throws IOException {
        PoolDirectory copy = pool.copyTo(other);
        Listing here;
        try (ObjectPool recovered = ObjectPool.open(copy.pool(), null)) {
            here = Listing.of(recovered);
            Listing.assertEveryObjectIsWhole(recovered, where);
        }
        assertThat(here.objects()).as(where).isNotEmpty();
        assertThat(NativeJudge.list(pool.pool())).as(where).isEqualTo(here);
        assertThat(Listing.here(pool.pool())).as("recovered in C, %s", where).isEqualTo(here);
        assertThat(NativeJudge.list(copy.pool())).as("recovered here, %s", where).isEqualTo(here);
        NativeJudge.assertConsistent(pool.pool());
        NativeJudge.assertConsistent(copy.pool());
        copy.delete();
    }

    private void report(String what, long seed) {
        String counts =
                "%s, seed %d: pools with a valid log when the other library opened them: %s; %d with"
                        + " extensions";
        System.out.printf(counts + "%n", what, seed, pools, extended);
        assertThat(pools.get(Kind.UNDO)).isGreaterThanOrEqualTo(LEAST_OF_A_KIND);
        assertThat(pools.get(Kind.EXTERNAL)).isGreaterThanOrEqualTo(LEAST_OF_A_KIND);
    }
}
