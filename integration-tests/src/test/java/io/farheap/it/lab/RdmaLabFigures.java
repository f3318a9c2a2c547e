package io.farheap.it.lab;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What the lab shows in figures, for whoever wants to read them: run by name only, as {@code mvn
 * verify -Prdma-lab -pl integration-tests -am -Dtest='RdmaLabFigures#METHOD'
 * -Dsurefire.failIfNoSpecifiedTests=false}.
 */
@Tag("rdma-lab")
@Timeout(1800)
class RdmaLabFigures {
    private static final String PROGRAM = "io.farheap.replication.fabric.verbs.DisniProgram";

    /** Of each kind that is compared; more of them take longer. */
    private static final String BLOCKS = System.getProperty("figures.blocks", "30");

    private static final String ROUNDS = System.getProperty("figures.rounds", "4");

    /** What a WRITE with an immediate would gain, both ends on one machine. */
    @Test
    void writesWithImmediate() throws Exception {
        RdmaLab.run(PROGRAM, "ImmediateComparison", BLOCKS);
    }

    @Test
    void writesWithImmediateBetweenTwoMachines() throws Exception {
        RdmaLab.runOnTwo("", PROGRAM, "ImmediateComparison", BLOCKS);
    }

    /** Whether a killed process's memory can be written to when its lock is another one's. */
    @Test
    void writesAfterTheLock() throws Exception {
        RdmaLab.run(PROGRAM, "WritesAfterLock", "watch", ROUNDS);
    }
}
