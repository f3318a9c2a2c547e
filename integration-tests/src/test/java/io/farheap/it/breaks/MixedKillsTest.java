package io.farheap.it.breaks;

import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A few rounds of {@link MixedKills}; {@link ManyKillsTest} has as many as it is told. */
@Tag("deep")
class MixedKillsTest {
    private static final int FEW = 4;

    @Test
    @Timeout(300)
    void noCopyThatClaimsToBeCurrentLacksACommit() {
        kill(FEW);
    }

    static void kill(int rounds) {
        long seed = Long.getLong("kills.seed", new Random().nextLong() >>> 16);
        System.out.println("MixedKillsTest: seed " + seed);
        long begin = System.nanoTime();
        try (MixedKills kills = new MixedKills(seed)) {
            kills.run(rounds);
            System.out.printf(
                    "MixedKillsTest: %d rounds in %d s, %s%n",
                    rounds, (System.nanoTime() - begin) / 1_000_000_000, kills.summary());
        }
    }
}
