package io.farheap.it.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.base.CheckReport;
import io.farheap.it.support.Machines;
import io.farheap.ulog.LogState.Kind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * One pool made by libpmemobj and one made here, worked on by a C program and by a Java program in
 * turn: transactions, list operations, locks in the pool. Each is killed in the middle of its work,
 * and the other library recovers what it left. Both see the same, lists are what the operations
 * until the kill made of them, and no lock is held any more.
 */
@Tag("deep")
class AlternationTest {
    private static final int ROUNDS = 20;
    private static final int MEBIBYTES = 48;
    private static final int KEPT_OBJECTS = 60;
    private static final int STEPS = 30;

    /** In some of the rounds the kill must have left something to recover. */
    private static final int LEAST_OF_A_KIND = 3;

    private final Map<Kind, Integer> leftByC = new EnumMap<>(Kind.class);
    private final Map<Kind, Integer> leftByJava = new EnumMap<>(Kind.class);
    private int halts;
    private int locks;

    /** One of the two pools, and what its lists hold. */
    private static final class Shared {
        final PoolDirectory directory;
        Links links;

        Shared(Path directory) {
            this.directory = PoolDirectory.forFile(directory);
        }

        Path pool() {
            return directory.pool();
        }

        /** What was found is one of the states that the work went through. */
        void expect(Links found, List<Links> states, String where) {
            assertThat(states).as("states of the lists, left by %s", where).contains(found);
            links = found;
        }
    }

    @BeforeEach
    void nativeLibrary() {
        NativeJudge.require();
    }

    @Test
    void bothWorkOnPoolsThatTheOtherLeftInTheMiddle() throws Exception {
        long seed = 20_261_121;
        Random random = new Random(seed);
        try (Machines machines = Machines.with()) {
            Shared made = new Shared(machines.here().resolve("made-by-c"));
            NativeJudge.create(made.pool(), MEBIBYTES);
            Shared here = new Shared(machines.here().resolve("made-here"));
            ObjectPool.at(here.pool()).layout("").size((long) MEBIBYTES << 20).create().close();
            List<Shared> pools = List.of(made, here);
            for (Shared pool : pools) {
                pool.links = recoverHere(pool, "at the begin");
            }
            for (int round = 0; round < ROUNDS; round++) {
                String where = "round " + round + ", seed " + seed;
                for (Shared pool : pools) {
                    workInC(pool, random, where);
                }
                workHere(machines, pools, random, where);
            }
        }
        report(seed);
    }

    // ---- C works, this library recovers ----

    private void workInC(Shared pool, Random random, String where) throws IOException {
        long seed = random.nextInt(1 << 30);
        int transactionSteps = 1 + random.nextInt(600);
        int listSteps = 1 + random.nextInt(600);
        int last = random.nextInt(3);
        if (last == 0) {
            halted(NativeJudge.halt(pool.pool(), seed, STEPS, transactionSteps));
        }
        halted(NativeJudge.link(pool.pool(), seed, STEPS, listSteps));
        if (last == 1) {
            halted(NativeJudge.halt(pool.pool(), seed, STEPS, transactionSteps));
        } else if (last == 2) {
            NativeJudge.die(pool.pool(), seed, STEPS);
            halted(true);
        }
        count(pool, leftByC);
        pool.expect(recoverHere(pool, where), pool.links.states(seed, STEPS), "C, " + where);
        assertBothSeeTheSame(pool, where);
    }

    private void halted(boolean halted) {
        halts += halted ? 1 : 0;
    }

    /** Opens it, checks all that this library can see, and makes room for more. */
    private Links recoverHere(Shared shared, String where) {
        try (ObjectPool pool = ObjectPool.open(shared.pool(), null)) {
            Listing.assertEveryObjectIsWhole(pool, where);
            Links found = Links.of(pool);
            CheckReport report = pool.check(Links.places(Links.holder(pool)));
            assertThat(report.inconsistencies()).as(where).isEmpty();
            locks += LinkWork.takeAllLocks(pool);
            new RandomWorkload(pool, 1).trim(KEPT_OBJECTS);
            return found; // with all locks held
        }
    }

    // ---- this library works, C recovers ----

    private void workHere(Machines machines, List<Shared> pools, Random random, String where)
            throws Exception {
        long seed = random.nextInt(1 << 30);
        List<String> arguments = new ArrayList<>(List.of(Long.toString(seed)));
        for (Shared pool : pools) {
            arguments.add(pool.pool().toString());
            arguments.add(Integer.toString(1 + random.nextInt(500)));
        }
        int exit =
                machines.java(AlternatingWork.class, arguments.toArray(String[]::new))
                        .start()
                        .waitFor();
        assertThat(exit).as(where).isEqualTo(AlternatingWork.HALTED);
        halts += pools.size();
        for (Shared pool : pools) {
            count(pool, leftByJava);
            Links found = NativeJudge.lists(pool.pool()); // recovers
            List<Links> states = pool.links.states(seed, AlternatingWork.STEPS);
            pool.expect(found, states, "this library, " + where);
            locks += NativeJudge.takeAllLocks(pool.pool());
            NativeJudge.assertConsistent(pool.pool());
            assertBothSeeTheSame(pool, where);
        }
    }

    private static void assertBothSeeTheSame(Shared pool, String where) {
        Listing here = Listing.here(pool.pool());
        assertThat(NativeJudge.list(pool.pool())).as(where).isEqualTo(here);
        assertThat(NativeJudge.lists(pool.pool())).as(where).isEqualTo(pool.links);
    }

    // ---- what the kills left ----

    private static void count(Shared pool, Map<Kind, Integer> counts) {
        for (Kind kind : Kind.values()) {
            if (!pool.directory.validLogs(kind).isEmpty()) {
                counts.merge(kind, 1, Integer::sum);
            }
        }
    }

    private void report(long seed) {
        System.out.printf(
                "%d rounds of C and Java on two pools, seed %d: %d kills, %d locks found free; pools"
                        + " with a valid log left by C: %s, left by Java: %s%n",
                ROUNDS, seed, halts, locks, leftByC, leftByJava);
        assertThat(halts).isGreaterThan(4 * ROUNDS);
        for (Map<Kind, Integer> left : List.of(leftByC, leftByJava)) {
            assertThat(left.get(Kind.UNDO)).isGreaterThanOrEqualTo(LEAST_OF_A_KIND);
            assertThat(left.get(Kind.EXTERNAL)).isGreaterThanOrEqualTo(LEAST_OF_A_KIND);
        }
    }
}
