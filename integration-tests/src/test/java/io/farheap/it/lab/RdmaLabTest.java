package io.farheap.it.lab;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Starts machines with RDMA and persistent memory ({@code lab/rdma-lab}) and runs there the tests
 * that need them: {@code mvn verify -Prdma-lab -pl integration-tests -am}.
 */
@Tag("rdma-lab")
@Timeout(1800)
class RdmaLabTest {
    private static final String REPLICATION = "io.farheap.replication.";
    private static final String VERBS = REPLICATION + "fabric.verbs.";
    private static final String SYSTEM = "io.farheap.it.";
    private static final String LAB = SYSTEM + "lab.";

    /** Whoever emulates a machine has no use for bounds that are meant for real ones. */
    private static final String PATIENT =
            "-Djunit.jupiter.execution.timeout.mode=disabled -Dkills.slower=10 -Dkills.rounds="
                    + Integer.getInteger("kills.rounds", 4);

    /** On device DAX, where the platform and its driver keep what a READ pushed out. */
    private static final String BY_READS_OF_A_DEVICE =
            " -Drdma.method=APM -Drdma.journals=$LAB_DAX_DEVICE";

    private static final String BY_READS = " -Drdma.method=APM -Djava.io.tmpdir=/dev/shm";

    /** Of power cuts, for each kind of files. */
    private static final int ROUNDS = Integer.getInteger("power.rounds", 3);

    /** In seconds, for any number of them; a guest that hangs is ended much earlier. */
    private static final long MANY_ROUNDS = 6 * 3600L;

    @Test
    void theContractOfAllFabrics() throws Exception {
        RdmaLab.test("", VERBS + "VerbsFabricTest", VERBS + "VerbsRemovalTest");
    }

    /** Peers that are killed or stopped, and connections that break the rules. */
    @Test
    void whatGoesWrongWithAPeer() throws Exception {
        RdmaLab.test("", VERBS + "VerbsFailuresTest");
    }

    /** The target's machine is stopped in the end. */
    @Test
    void theEndsOnTwoMachines() throws Exception {
        RdmaLab.runOnTwo("", VERBS + "TwoMachines");
    }

    /** The same tests as over tcp: the stream of commits, with all that goes wrong. */
    @Test
    void commitsOverVerbs() throws Exception {
        RdmaLab.test(
                "", REPLICATION + "stream.CommitStreamTest", REPLICATION + "stream.ResendTest");
    }

    /** The same to targets whose journal is read, not asked. */
    @Test
    void commitsOverVerbsByReads() throws Exception {
        RdmaLab.test(
                "",
                REPLICATION + "stream.CommitStreamOverApmTest",
                REPLICATION + "stream.ResendOverApmTest");
    }

    /** A READ is all that proves a commit durable; on tmpfs, which the card can store to. */
    @Test
    void doorbellsAndWaitsOfACommitByReads() throws Exception {
        RdmaLab.test(PATIENT + BY_READS, LAB + "DoorbellTest");
    }

    @Test
    void programsAndAgentsAreKilledByReads() throws Exception {
        RdmaLab.test(PATIENT + BY_READS, SYSTEM + "system.KillTest");
    }

    @Test
    void aDeviceForJournals() throws Exception {
        RdmaLab.test(PATIENT + BY_READS_OF_A_DEVICE, LAB + "DeviceJournalTest");
    }

    @Test
    void doorbellsAndWaitsOfACommitByReadsOfADevice() throws Exception {
        RdmaLab.test(PATIENT + BY_READS_OF_A_DEVICE, LAB + "DoorbellTest");
    }

    @Test
    void programsAndAgentsAreKilledByReadsOfADevice() throws Exception {
        RdmaLab.test(PATIENT + BY_READS_OF_A_DEVICE, SYSTEM + "system.KillTest");
    }

    /** Real processes, pool and replica on DAX: killed at any moment, over and over. */
    @Test
    void programsAndAgentsAreKilled() throws Exception {
        RdmaLab.test(PATIENT, SYSTEM + "system.KillTest");
    }

    /**
     * The same with pool and program on one machine, replica and agent on another one, which is
     * stopped for good in the end.
     */
    @Test
    void programsAndAgentsAreKilledOnTwoMachines() throws Exception {
        RdmaLab.runOnTwo(PATIENT, LAB + "TwoMachineKills");
    }

    @Test
    void doorbellsAndWaitsOfACommit() throws Exception {
        RdmaLab.test(PATIENT, LAB + "DoorbellTest");
    }

    @Test
    void theHelloProgram() throws Exception {
        RdmaLab.test(PATIENT, SYSTEM + "examples.HelloRemoteTest");
    }

    /** The kernel maps the files with MAP_SYNC there. */
    @Test
    @Timeout(MANY_ROUNDS)
    void powerIsCutWithFilesOnDax() throws Exception {
        PowerCuts.onDax(ROUNDS).run();
    }

    @Test
    @Timeout(MANY_ROUNDS)
    void powerIsCutWithTheJournalOnADevice() throws Exception {
        PowerCuts.byReads(ROUNDS).run();
    }

    /** What the kernel had not written back is gone. */
    @Test
    @Timeout(MANY_ROUNDS)
    void powerIsCutWithFilesInThePageCache() throws Exception {
        PowerCuts.onDisk("pages", "PAGE_CACHE", ROUNDS).run();
    }

    /** The same; what a commit waited for is in the disk journal. */
    @Test
    @Timeout(MANY_ROUNDS)
    void powerIsCutWithADiskJournal() throws Exception {
        PowerCuts.onDisk("journal", "JOURNAL", ROUNDS).run();
    }
}
