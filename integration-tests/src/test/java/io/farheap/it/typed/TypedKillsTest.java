package io.farheap.it.typed;

import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@link TypedKills}: some rounds in each build, as many as it is told in the profile kills. */
class TypedKillsTest {
    private static final int FEW = 2;
    private static final int MANY = 50;

    @Test
    @Timeout(300)
    void aPromotedReplicaHasEveryTransactionThatReturned() {
        kill(FEW, false);
    }

    @Test
    @Tag("deep")
    @Timeout(300)
    void soHasThePoolAloneWithADiskJournal() {
        kill(FEW, true);
    }

    @Test
    @Tag("kills")
    void bothHaveOverManyKills() {
        kill(Integer.getInteger("kills.rounds", MANY), false);
        kill(Integer.getInteger("kills.rounds", MANY), true);
    }

    private static void kill(int rounds, boolean hasJournal) {
        long seed = Long.getLong("kills.seed", new Random().nextLong() >>> 16);
        long begin = System.nanoTime();
        try (TypedKills kills = new TypedKills(seed, hasJournal)) {
            kills.run(rounds);
            kills.assertLocalIsWhole();
            System.out.printf(
                    "TypedKillsTest: seed %d, %s, %d rounds in %d s, %s%n",
                    seed,
                    hasJournal ? "disk journal" : "replica",
                    rounds,
                    (System.nanoTime() - begin) / 1_000_000_000,
                    kills.summary());
        }
    }
}
