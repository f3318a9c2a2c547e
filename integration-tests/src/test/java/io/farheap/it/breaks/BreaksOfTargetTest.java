package io.farheap.it.breaks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.farheap.base.FarheapException;
import io.farheap.base.Ref;
import io.farheap.base.ReplicaPolicy;
import io.farheap.base.ReplicaStatus.State;
import io.farheap.it.support.Machines;
import io.farheap.it.support.SmallDisk;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The target's disk and journal are not as they should be, while a program has its pool open. */
@Timeout(180)
class BreaksOfTargetTest {
    private static final Duration COMMIT_TIMEOUT = Duration.ofSeconds(3);
    private static final int LARGE = 3 << 20;

    private final Machines machines = Machines.with(Counted.TARGET);
    private final Path there = machines.machine(Counted.TARGET);
    private SmallDisk disk;
    private Counted counted;

    @AfterEach
    void endAll() {
        if (counted != null) {
            counted.close();
        }
        machines.close();
        if (disk != null) {
            disk.close();
        }
    }

    private void onSmallDisk() throws Exception {
        SmallDisk.require();
        disk = SmallDisk.mount(there, 12);
        String agent = machines.settings().agentCommand(0).replaceFirst("^exec ", "");
        machines.set("RPMEM_CMD", "exec " + String.join(" ", disk.entering()) + " " + agent);
        Path unused =
                machines.write(
                        there.resolve("copy.set"),
                        "PMEMPOOLSET\n8M " + there + "/small/copy.part0\n");
        counted = new Counted(machines, "bank", "8M");
    }

    /** All of a replica's files have their bytes since they were made. */
    @Test
    void aFullDiskStopsNobody() throws Exception {
        onSmallDisk();
        counted.open(ReplicaPolicy.FAIL).commit();
        disk.fill("full");
        counted.commit();
        machines.killAll(Counted.TARGET);
        machines.bringUp(Counted.TARGET);
        await().ignoreExceptionsMatching(FarheapException.class::isInstance)
                .until(
                        () -> {
                            counted.commit();
                            return true;
                        });
        counted.assertCurrent(disk.file("copy.part0"));
    }

    @ParameterizedTest
    @EnumSource(names = {"FAIL", "DEGRADE"})
    @Tag("deep")
    void theDiskBecomesReadOnly(ReplicaPolicy policy) throws Exception {
        onSmallDisk();
        counted.open(policy).commit();
        machines.killAll(Counted.TARGET);
        disk.remount("ro");
        machines.bringUp(Counted.TARGET);

        String[] why = {"replica " + Counted.REPLICA, "small/copy.part0", "Read-only file system"};
        if (policy == ReplicaPolicy.DEGRADE) {
            assertThat(counted.await(State.LOST, why).nextStep())
                    .contains("do what the reason says");
            counted.commit();
        } else {
            await().untilAsserted(
                            () ->
                                    assertThatThrownBy(() -> counted.commit())
                                            .isInstanceOf(FarheapException.class)
                                            .hasMessageContainingAll(why));
        }
        disk.remount("rw");
        counted.assertCurrent(disk.file("copy.part0"));
    }

    /** More comes than the journal has room for, and nothing of it is applied. */
    @Test
    void theJournalFillsUp() {
        machines.configure(Counted.TARGET, "journal-size = 1M", "heartbeat-bound = 60000");
        machines.poolSet(Counted.TARGET, "copy.set", "16M");
        counted = new Counted(machines, "bank", "16M");
        Duration patience = Duration.ofSeconds(30);
        Duration heartbeat = Duration.ofSeconds(20);
        counted.open(ReplicaPolicy.FAIL, machines.settings(patience, COMMIT_TIMEOUT, heartbeat))
                .commit();
        long begin = System.nanoTime();
        assertThatThrownBy(this::writeLarge)
                .isInstanceOf(FarheapException.class)
                .satisfies(
                        e ->
                                assertThat(e.getMessage())
                                        .contains(Counted.REPLICA)
                                        .containsAnyOf(
                                                "had no room within 3000 ms; does its agent still"
                                                        + " apply?",
                                                "no answer within 3000 ms"));
        assertThat(Duration.ofNanos(System.nanoTime() - begin))
                .isBetween(COMMIT_TIMEOUT.minusMillis(500), COMMIT_TIMEOUT.plus(BreakSite.MARGIN));
    }

    /** More than the journal takes, when all else is done that waits for an answer. */
    private void writeLarge() {
        byte[] content = new byte[LARGE];
        ProcessHandle agent = machines.agentOf(counted.replicaPart());
        counted.pool()
                .transaction(
                        tx -> {
                            Ref fresh = tx.allocate(LARGE, 9);
                            Machines.signal("STOP", agent);
                            tx.writeBytes(fresh, 0, content);
                        });
    }
}
