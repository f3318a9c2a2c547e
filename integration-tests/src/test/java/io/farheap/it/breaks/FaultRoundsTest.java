package io.farheap.it.breaks;

import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * {@link FaultRounds}: a few in each build, more in the deep one, as many as it is told in the
 * profile {@code kills}.
 */
class FaultRoundsTest {
    private static final int FEW = Boolean.getBoolean("test.deep") ? 12 : 2;
    private static final int MANY = 300;

    @Test
    @Tag("sliced")
    @Timeout(900)
    void noFaultTakesACommitThatReturned() {
        run(FEW);
    }

    @Test
    @Tag("kills")
    void noFaultOfManyTakesACommitThatReturned() {
        run(Integer.getInteger("kills.rounds", MANY));
    }

    private static void run(int rounds) {
        long seed = Long.getLong("kills.seed", new Random().nextLong() >>> 16);
        System.out.println("FaultRoundsTest: seed " + seed);
        long begin = System.nanoTime();
        try (FaultRounds faults = new FaultRounds(seed)) {
            faults.run(rounds);
            System.out.printf(
                    "FaultRoundsTest: %d rounds in %d s, %s%n",
                    rounds, (System.nanoTime() - begin) / 1_000_000_000, faults.summary());
        }
    }
}
