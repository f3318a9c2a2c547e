package io.farheap.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.farheap.base.FarheapException;
import io.farheap.layout.Descriptor;
import io.farheap.layout.PoolUuid;
import io.farheap.replication.config.AttachOptions;
import io.farheap.replication.config.Pacer;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.config.SyncProgress;
import io.farheap.replication.config.TlsAgents;
import io.farheap.replication.control.ControlClient;
import io.farheap.replication.control.ControlTimes;
import io.farheap.replication.control.Request;
import io.farheap.replication.dirty.DirtyMapFiles;
import io.farheap.replication.epoch.EpochSwitch;
import io.farheap.replication.epoch.EpochSwitchTest;
import io.farheap.replication.fabric.Deadline;
import io.farheap.replication.fabric.WaitStrategy;
import io.farheap.replication.fabric.tcp.TcpFabric;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.replication.session.ComparedReplica;
import io.farheap.replication.session.Fabrics;
import io.farheap.replication.session.ImageSums;
import io.farheap.replication.session.KeptAgents;
import io.farheap.replication.session.ReplicaReport;
import io.farheap.replication.session.ReplicaSession;
import io.farheap.replication.stream.FakeReplica;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class RemoteReplicaClientTest {
    private static final long IMAGE = (5 << 20) + 4096;
    private static final long PLACE = Descriptor.DEFAULT_HEAP_OFFSET + 4096;

    private final FakeTargets targets = new FakeTargets(1, IMAGE);
    private final FakePool pool = new FakePool(targets.remotes(), IMAGE, 5);
    private final FakeReplica replica = targets.replicas.get(0);
    private final Fabrics fabrics = Fabrics.only(new TcpFabric(WaitStrategy.BLOCKING));
    private final RemoteReplicaClient client =
            new RemoteReplicaClient(replica.remote, 0, EpochSwitchTest.SETTINGS, targets, fabrics);

    /** Else its heartbeats keep the replica for as long as this program runs. */
    @Test
    void whateverEndsTheHelloTheAgentIsLetGo() {
        ReplicationSettings usual = EpochSwitchTest.SETTINGS;
        ReplicationSettings beyondAllClocks =
                new ReplicationSettings(
                        usual.attachTimeout(),
                        usual.commitTimeout(),
                        usual.heartbeat(),
                        Duration.ofSeconds(Long.MAX_VALUE),
                        usual.waiting(),
                        usual.dataThroughSsh(),
                        usual.remoteShell(),
                        usual.agentCommands(),
                        usual.policies(),
                        usual.longestPause(),
                        usual.lag(),
                        usual.fabrics(),
                        TlsAgents.NONE,
                        Pacer.NO_LIMIT);
        RemoteReplicaClient unclocked =
                new RemoteReplicaClient(replica.remote, 0, beyondAllClocks, targets, fabrics);

        assertThatThrownBy(unclocked::inspect).isInstanceOf(ArithmeticException.class);

        await().untilAsserted(
                        () -> assertThat(targets.agents).isNotEmpty().allMatch(FakeAgent::isDead));
    }

    @Test
    void inspectSaysWhatIsThereAndHoldsNothing() throws Exception {
        attachOnce();
        await().untilAsserted(() -> assertThat(client.inspect().holder()).isEmpty());
        ReplicaReport report = client.inspect();
        assertThat(report.slot().state()).isEqualTo(ReplicaState.INSYNC);
        assertThat(report.slot().cur()).isEqualTo(pool.runId());
        assertThat(report.imageSize()).isEqualTo(IMAGE);
        assertThat(report.header().length()).isEqualTo(4096);
        assertThat(client.inspect()).isEqualTo(report);
    }

    @Test
    void aLostPoolComesBackWithTheTailAndIsRecognisedAfterwards() throws Exception {
        attachOnce();
        EpochSwitchTest.unacknowledged(replica, 2, PLACE);
        MemorySegment local = Arena.ofAuto().allocate(IMAGE);
        List<Long> steps = new ArrayList<>();
        long next;
        try (Restoration restoration = client.restore(false)) {
            assertThat(restoration.replayedRecords()).isEqualTo(2);
            assertThat(restoration.imageSize()).isEqualTo(IMAGE);
            restoration.copyTo(local, (remote, done, total) -> steps.add(done));
            next = restoration.nextRunId();
            restoration.complete();
        }
        assertThat(MemorySegment.mismatch(local, 4096, IMAGE, replica.image, 4096, IMAGE))
                .isEqualTo(-1);
        assertThat(local.get(ValueLayout.JAVA_LONG, PLACE)).isEqualTo(2);
        assertThat(steps).isSorted().endsWith(IMAGE);
        assertThat(replica.state).isEqualTo(ReplicaState.PROMOTED);
        assertThat(next).isEven().isGreaterThan(replica.cur);

        FakePool restored = new FakePool(targets.remotes(), IMAGE, 5);
        MemorySegment.copy(local, 0, restored.image, 0, IMAGE);
        restored.switchRunId(next);
        long extension =
                PLACE + 4096; // the promoted pool's own log, given back when this was opened
        replica.image.set(ValueLayout.JAVA_LONG, extension, -1);
        replica.history.clear();
        newSwitch(restored).atOpen(AttachOptions.NONE).forEach(ReplicaSession::abandon);
        assertThat(replica.history).containsExactly("startSync", "syncComplete", "confirm");
        assertThat(replica.differs(restored)).isEqualTo(-1);
        assertThat(replica.state).isEqualTo(ReplicaState.INSYNC);
        assertThat(replica.cur).isEqualTo(restored.runId());
    }

    @Test
    void aRestorationThatWasCutIsDoneAgainWithAnotherNumber() throws Exception {
        attachOnce();
        targets.dieAfter = request -> request instanceof Request.RestoreComplete;
        long first;
        try (Restoration restoration = client.restore(false)) {
            first = restoration.nextRunId();
            assertThatThrownBy(restoration::complete).isInstanceOf(FarheapException.class);
        }
        targets.noMoreFaults();
        try (Restoration restoration = client.restore(false)) {
            assertThat(restoration.nextRunId()).isGreaterThan(first);
            restoration.complete();
            assertThat(replica.next).isEqualTo(restoration.nextRunId());
        }
    }

    @Test
    void theOldInitiatorIsRefusedAfterATakeOver() throws Exception {
        attachOnce();
        client.restore(false).close();
        assertThatThrownBy(this::attachOnce).hasMessageContaining("taken over");
    }

    @ParameterizedTest
    @EnumSource(names = {"NEW", "SYNCING"})
    void whatIsNoCompleteCopyIsNotRestoredFrom(ReplicaState state) {
        replica.state = state;
        assertThatThrownBy(() -> client.restore(false))
                .hasMessageContaining("no complete copy")
                .hasMessageContaining(state.name());
        assertThat(replica.history).isEmpty();
    }

    @Test
    void aFlippedBitOnTheWayBackIsNoticed() throws Exception {
        attachOnce();
        MemorySegment local = Arena.ofAuto().allocate(IMAGE);
        try (Restoration restoration = client.restore(false)) {
            SyncProgress flips =
                    (remote, done, total) -> {
                        if (done == total) {
                            byte old = local.get(ValueLayout.JAVA_BYTE, PLACE);
                            local.set(ValueLayout.JAVA_BYTE, PLACE, (byte) (old ^ 4));
                        }
                    };
            assertThatThrownBy(() -> restoration.copyTo(local, flips))
                    .hasMessageContaining("differs from the original at offset");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aBitThatATargetStoredWronglyIsNoticedWhereTheCopyIsVerified(boolean verify)
            throws Exception {
        replica.spoils = true;
        AttachOptions options =
                new AttachOptions(Set.of(), false, verify, SyncProgress.NONE, Pacer.UNLIMITED);
        if (verify) {
            assertThatThrownBy(() -> newSwitch(pool).atOpen(options))
                    .hasMessageContaining("the copy differs from the original at offset");
            assertThat(replica.state).isNotEqualTo(ReplicaState.INSYNC);
        } else {
            newSwitch(pool).atOpen(options).forEach(ReplicaSession::abandon);
        }
    }

    @Test
    void anAgentThatWasKeptAfterALookDoesWhatIsDoneNext() throws Exception {
        attachOnce();
        int before = targets.agents.size();
        try (KeptAgents kept = new KeptAgents(targets)) {
            RemoteReplicaClient keeping =
                    new RemoteReplicaClient(
                            replica.remote, 0, EpochSwitchTest.SETTINGS, kept, fabrics);
            // Until the agent of the first attachment knows that this has ended.
            ReplicaReport report =
                    await().until(() -> keeping.inspect(kept), one -> one.holder().isEmpty());
            assertThat(keeping.inspect(kept)).as("another look by it").isEqualTo(report);
            try (ComparedReplica compared = keeping.compare()) {
                assertThat(compared.slot().state()).isEqualTo(ReplicaState.INSYNC);
            }
            assertThat(targets.agents).hasSize(before + 1);
            keeping.compare().close();
            assertThat(targets.agents).as("it was used up").hasSize(before + 2);
        }
    }

    @Test
    void anAgentThatIsLostWhileItIsKeptIsStartedAnew() throws Exception {
        attachOnce();
        try (KeptAgents kept = new KeptAgents(targets)) {
            RemoteReplicaClient keeping =
                    new RemoteReplicaClient(
                            replica.remote, 0, EpochSwitchTest.SETTINGS, kept, fabrics);
            ReplicaReport unused = keeping.inspect(kept);
            targets.agents.forEach(FakeAgent::die);
            await().untilAsserted(
                            () -> {
                                keeping.compare().close();
                                assertThat(targets.agents.getLast().isDead()).isTrue();
                            });
        }
    }

    @Test
    void ofTwoAgentsThatLookedTheLastOneIsKept() throws Exception {
        attachOnce();
        int before = targets.agents.size();
        try (KeptAgents kept = new KeptAgents(targets)) {
            ReplicaReport unused = client.inspect(kept);
            unused = client.inspect(kept);
            await().untilAsserted(() -> assertThat(targets.agents.get(before).isDead()).isTrue());
            assertThat(targets.agents.getLast().isDead()).isFalse();
        }
    }

    @Test
    void anAgentThatWasKeptIsWaitedForNoLongerThanWhoTakesItHasTime() throws Exception {
        attachOnce();
        try (KeptAgents kept = new KeptAgents(targets)) {
            ReplicaReport unused = keeping(kept).inspect(kept);
            replica.unanswered = request -> true;
            ControlTimes times =
                    new ControlTimes(
                            Duration.ofSeconds(50), Duration.ofSeconds(50), Duration.ofSeconds(1));
            ControlClient taken =
                    kept.connect(replica.remote, 0, times, Deadline.in(Duration.ofMillis(50)));
            assertThatThrownBy(() -> taken.perform(new Request.Prepare()))
                    .hasMessageContaining("which was all that was left");
        }
    }

    @Test
    void anAgentThatWasStartedAheadIsTheOneThatLooks() throws Exception {
        attachOnce();
        int before = targets.agents.size();
        try (KeptAgents kept = new KeptAgents(targets)) {
            kept.startAhead(replica.remote, 0);
            assertThat(targets.agents).hasSize(before + 1);

            ReplicaReport report = keeping(kept).inspect(kept);

            assertThat(report.slot().state()).isEqualTo(ReplicaState.INSYNC);
            assertThat(targets.agents).hasSize(before + 1);
        }
        await().untilAsserted(() -> assertThat(targets.agents).allMatch(FakeAgent::isDead));
    }

    @Test
    void anAgentThatEndedBeforeAnybodyHeardItIsStartedAnew() throws Exception {
        attachOnce();
        int before = targets.agents.size();
        try (KeptAgents kept = new KeptAgents(targets)) {
            kept.startAhead(replica.remote, 0);
            targets.agents.getLast().die();

            ReplicaReport report = keeping(kept).inspect(kept);

            assertThat(report.slot().state()).isEqualTo(ReplicaState.INSYNC);
            assertThat(targets.agents).hasSize(before + 2);
        }
    }

    @Test
    void whoLooksHearsWhyNoAgentCouldBeStartedAhead() {
        try (KeptAgents kept = new KeptAgents(targets)) {
            targets.unreachable = true;
            kept.startAhead(replica.remote, 0);
            assertThatThrownBy(() -> keeping(kept).inspect(kept))
                    .hasMessageContaining("no route to " + replica.remote);
        }
    }

    @Test
    void anAgentThatWasStartedAheadForNothingEndsWithItsKeeper() {
        try (KeptAgents kept = new KeptAgents(targets)) {
            kept.startAhead(replica.remote, 0);
            kept.startAhead(replica.remote, 0);
        }
        await().untilAsserted(
                        () -> assertThat(targets.agents).hasSize(2).allMatch(FakeAgent::isDead));
    }

    private RemoteReplicaClient keeping(KeptAgents kept) {
        return new RemoteReplicaClient(replica.remote, 0, EpochSwitchTest.SETTINGS, kept, fabrics);
    }

    @Test
    void agentsThatNobodyNeededEndWithTheirKeeper() throws Exception {
        attachOnce();
        try (KeptAgents kept = new KeptAgents(targets)) {
            ReplicaReport unused =
                    new RemoteReplicaClient(
                                    replica.remote, 0, EpochSwitchTest.SETTINGS, kept, fabrics)
                            .inspect(kept);
        }
        await().untilAsserted(() -> assertThat(targets.agents).allMatch(FakeAgent::isDead));
    }

    @Test
    void comparesByChecksums() throws Exception {
        attachOnce();
        long at = IMAGE - 64;
        replica.image.set(ValueLayout.JAVA_BYTE, IMAGE - 1, (byte) 1);
        pool.image.set(ValueLayout.JAVA_BYTE, IMAGE - 1, (byte) 2);
        try (ComparedReplica compared = client.compare()) {
            assertThat(compared.slot().cur()).isEqualTo(pool.runId());
            assertThat(compared.imageSize()).isEqualTo(IMAGE);
            assertThat(compared.notApplied()).isEmpty();
            assertThat(compared.sums(at, 63, 64)).isEqualTo(ImageSums.of(pool.image, at, 63, 64));
            assertThat(compared.sums(at, 64, 64))
                    .isNotEqualTo(ImageSums.of(pool.image, at, 64, 64));
        }
    }

    @Test
    void aComparisonThatLosesItsAgentSaysWhichAndWhy() throws Exception {
        attachOnce();
        try (ComparedReplica compared = client.compare()) {
            targets.lose(0);
            assertThatThrownBy(() -> compared.sums(4096, 4096, 4096))
                    .isInstanceOf(FarheapException.class)
                    .hasMessageStartingWith(
                            "replica " + replica.remote + ": the control connection")
                    .hasMessageContaining("the fake agent died");
        }
    }

    @Test
    void anAgentThatDoesNotSayByeTakesNothingFromAComparison() throws Exception {
        attachOnce();
        targets.dieBefore = request -> request instanceof Request.Bye;
        ComparedReplica compared = client.compare();
        assertThat(compared.sums(IMAGE - 64, 64, 64))
                .isEqualTo(ImageSums.of(replica.image, IMAGE - 64, 64, 64));
        compared.close();
    }

    @Test
    void removeRemoves() throws Exception {
        attachOnce();
        client.remove(null, false, false, false);
        assertThat(replica.state).isEqualTo(ReplicaState.NEW);
        assertThat(replica.named).isEmpty();

        PoolUuid pool = PoolUuid.random();
        client.remove(pool, false, false, false);
        assertThat(replica.named).isEqualTo(HexFormat.of().formatHex(pool.bytes()));
    }

    private void attachOnce() throws InterruptedException {
        newSwitch(pool).atOpen(AttachOptions.NONE).forEach(ReplicaSession::abandon);
    }

    private EpochSwitch newSwitch(FakePool local) {
        return new EpochSwitch(
                local,
                EpochSwitchTest.SETTINGS,
                targets,
                fabrics,
                new Random(3),
                new DirtyMapFiles(local));
    }
}
