package io.farheap.it.failover;

import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@link FailOverRounds}, as many as {@code -Dfailover.rounds=200} says. */
class FailOverRoundsTest {
    private static final int FEW = 10;

    @TempDir private Path directory;

    @Test
    void whatWasAcknowledgedIsThereWhateverHappens() throws Exception {
        long seed = Long.getLong("failover.seed", new Random().nextLong() >>> 16);
        System.out.println("FailOverRoundsTest: -Dfailover.seed=" + seed);
        try (FailOverRounds rounds = new FailOverRounds(directory, seed)) {
            rounds.run(Integer.getInteger("failover.rounds", FEW));
        }
    }
}
