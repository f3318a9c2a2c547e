package io.farheap.it.failover;

import io.farheap.availability.etcd.EtcdProcesses;
import io.farheap.it.support.Network;
import io.farheap.it.support.SshServers;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@link FailOverRounds}, as many as {@code -Dfailover.rounds=200} says. */
class FailOverRoundsTest {
    private static final int FEW = 10;

    @TempDir private Path directory;

    @Test
    void whatWasAcknowledgedIsThereWhateverHappens() throws Exception {
        try (FailOverRounds rounds = FailOverRounds.throughCables(directory, seed())) {
            rounds.run(count());
        }
    }

    @Test
    @Tag("long")
    void whatWasAcknowledgedIsThereAfterEachPairOfProcessesWasKilledOrStopped() throws Exception {
        try (FailOverRounds rounds = FailOverRounds.throughCables(directory, seed())) {
            rounds.runPairs();
        }
    }

    /** Random rounds with real packets, and the real ssh. */
    @Test
    @Tag("deep")
    void whatWasAcknowledgedIsThereWhateverHappensOnANetwork() throws Exception {
        Network.require();
        SshServers.require();
        EtcdProcesses.requireInstalled();
        try (FailOverRounds rounds = FailOverRounds.onNetwork(directory, seed())) {
            rounds.run(count());
        }
    }

    private static long seed() {
        long seed = Long.getLong("failover.seed", new Random().nextLong() >>> 16);
        System.out.println("FailOverRoundsTest: -Dfailover.seed=" + seed);
        return seed;
    }

    private static int count() {
        return Integer.getInteger("failover.rounds", FEW);
    }
}
