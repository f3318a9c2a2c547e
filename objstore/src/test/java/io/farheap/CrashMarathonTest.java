package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.CrashEnumeration.Effort;
import io.farheap.CrashEnumeration.Findings;
import io.farheap.testing.CrashSimulation;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What {@link CrashStatesTest} does, more thoroughly and again and again with new seeds, until the
 * time is over: {@code mvn verify -Pcrash -Dcrash.minutes=60 -pl objstore -am}; {@code
 * -Dcrash.seed=N} begins with that seed.
 */
@Tag("crash")
@Tag("long")
class CrashMarathonTest {
    private static final Effort EFFORT = new Effort(1024, 40, 6, 4);

    @Test
    void untilTheTimeIsOver() throws Exception {
        long minutes = Long.getLong("crash.minutes", 10);
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(minutes);
        long first = Long.getLong("crash.seed", System.currentTimeMillis());
        SplittableRandom seeds = new SplittableRandom(first);
        long states = 0;
        long seed = first;
        do {
            List<Findings> round = round(seed, deadline);
            states += CrashTable.states(round);
            System.out.println(CrashTable.of(round, seed));
            System.out.println(states + " states in all");
            assertThat(round).allSatisfy(CrashMarathonTest::assertNothingFound);
            seed = seeds.nextLong();
        } while (System.nanoTime() < deadline);
    }

    private static void assertNothingFound(Findings findings) {
        assertThat(findings.wrong()).as(findings.name()).isEmpty();
        assertThat(findings.unflushed()).as(findings.name()).isEmpty();
    }

    /** All operations on a new pool, or as many as there is time for. */
    private static List<Findings> round(long seed, long deadline) throws Exception {
        CrashSimulation machine = SimulatedPool.formatted(CrashStatesTest.SIZE);
        List<Findings> round = new ArrayList<>();
        try (ObjectPool pool = SimulatedPool.open(machine);
                CrashEnumeration enumeration = new CrashEnumeration(machine, EFFORT, seed)) {
            for (var step : ApiWorkload.steps().entrySet()) {
                if (System.nanoTime() < deadline) {
                    round.add(enumeration.explore(pool, step.getKey(), step.getValue()));
                }
            }
        }
        return round;
    }
}
