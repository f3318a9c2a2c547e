package io.farheap.replication.epoch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.farheap.base.FarheapException;
import io.farheap.base.ReplicaPolicy;
import io.farheap.replication.FakePool;
import io.farheap.replication.FakeTargets;
import io.farheap.replication.config.AttachOptions;
import io.farheap.replication.config.Pacer;
import io.farheap.replication.config.ReplicaPolicies;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.config.SyncProgress;
import io.farheap.replication.config.TlsAgents;
import io.farheap.replication.control.ByteRange;
import io.farheap.replication.control.Request;
import io.farheap.replication.dirty.DirtyMapFiles;
import io.farheap.replication.fabric.Deadline;
import io.farheap.replication.fabric.FabricUse;
import io.farheap.replication.fabric.WaitStrategy;
import io.farheap.replication.fabric.tcp.TcpFabric;
import io.farheap.replication.journal.RecordEncoder;
import io.farheap.replication.journal.RecordLayout;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.replication.session.Fabrics;
import io.farheap.replication.session.ReplicaSession;
import io.farheap.replication.session.SharedBytes;
import io.farheap.replication.stream.FakeReplica;
import io.farheap.replication.stream.LagBound;
import io.farheap.spi.RecordEntries;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
public class EpochSwitchTest {
    private static final long IMAGE = 5 << 20;
    private static final long HEAP = io.farheap.layout.Descriptor.DEFAULT_HEAP_OFFSET;
    public static final ReplicationSettings SETTINGS = settings(Duration.ofSeconds(10));

    private final FakeTargets targets = new FakeTargets(2, IMAGE);
    private final FakePool pool = new FakePool(targets.remotes(), IMAGE, 1);

    private static ReplicationSettings settings(Duration attachTimeout) {
        return settings(attachTimeout, Duration.ofSeconds(6));
    }

    private static ReplicationSettings settings(Duration attachTimeout, Duration heartbeat) {
        return new ReplicationSettings(
                attachTimeout,
                Duration.ofSeconds(10),
                heartbeat,
                Duration.ofSeconds(20),
                WaitStrategy.DEFAULT,
                false,
                "ssh",
                List.of("farheap agent"),
                ReplicaPolicies.FAIL,
                Duration.ofMillis(500),
                LagBound.DEFAULT,
                FabricUse.TCP,
                TlsAgents.NONE,
                Pacer.NO_LIMIT);
    }

    @Test
    void newReplicasGetTheWholeImageAndAFreshNumber() throws Exception {
        attach();
        for (FakeReplica replica : targets.replicas) {
            assertThat(replica.state).isEqualTo(ReplicaState.INSYNC);
            assertThat(replica.cur).isEqualTo(pool.runId());
            assertThat(replica.journalEpoch).isEqualTo(pool.runId());
            assertThat(replica.next).isZero();
            assertSameImage(replica);
            assertThat(replica.history).containsExactly("startSync", "syncComplete", "confirm");
        }
        assertThat(pool.runId()).isEven().isGreaterThanOrEqualTo(2 + (2L << 20));
        assertThat(pool.numbers).hasSize(2);
    }

    @Test
    void zerosOfAFreshReplicaDoNotTravel() throws Exception {
        pool.image.asSlice(HEAP, IMAGE - HEAP).fill((byte) 0);
        pool.image.set(ValueLayout.JAVA_LONG, IMAGE - 64, 7);
        attach();
        targets.replicas.forEach(this::assertSameImage);
    }

    @Test
    void anotherOpenSendsWhatTheTailsTouchedAndNoMore() throws Exception {
        attach();
        FakeReplica replica = targets.replicas.get(0);
        unacknowledged(replica, 1, HEAP + 64, HEAP + 4096, HEAP + 72, HEAP + 128, HEAP + 640);
        replica.history.clear();
        long elsewhere = IMAGE - 4096;
        replica.image.set(ValueLayout.JAVA_LONG, elsewhere, 0xbadL);

        attach();

        assertThat(replica.history).containsExactly("prepare", "confirm");
        assertThat(replica.image.get(ValueLayout.JAVA_LONG, elsewhere)).isEqualTo(0xbadL);
        replica.image.set(
                ValueLayout.JAVA_LONG, elsewhere, pool.image.get(ValueLayout.JAVA_LONG, elsewhere));
        assertSameImage(replica);
    }

    @Test
    void inTheSameRunTheCommittedAreAppliedTheRestIsDroppedAndNoContentIsSent() throws Exception {
        List<ReplicaSession> members = attach();
        long epoch = pool.runId();
        for (FakeReplica replica : targets.replicas) {
            unacknowledged(replica, 3, HEAP + 64);
        }
        members.forEach(ReplicaSession::abandon);

        List<ReplicaSession> again = newSwitch().inProcess(Map.of(epoch, 2L));

        again.forEach(ReplicaSession::abandon);
        for (FakeReplica replica : targets.replicas) {
            assertThat(replica.image.get(ValueLayout.JAVA_LONG, HEAP + 64)).isEqualTo(2);
            assertThat(replica.cur).isEqualTo(pool.runId()).isNotEqualTo(epoch);
            assertThat(replica.history).endsWith("drain", "prepare", "confirm");
        }
    }

    /** An agent does not wait for its data connection for as long as another one may take. */
    @Test
    void eachIsConnectedThoughAnotherOneIsSlow() throws Exception {
        FakeReplica slow = targets.replicas.get(0);
        FakeReplica quick = targets.replicas.get(1);
        slow.pause = Duration.ofSeconds(2);
        slow.slow = request -> request instanceof Request.Hello;
        Thread opening = Thread.ofPlatform().start(() -> attachOrFail());
        await().until(() -> quick.connected);
        assertThat(slow.held).as("the slow one has answered").isFalse();
        opening.join();
        targets.replicas.forEach(this::assertSameImage);
    }

    private void attachOrFail() {
        try {
            attach();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void whatAMemberIsAskedLaterHasItsOwnBoundsAgain() throws Exception {
        Duration bound = Duration.ofSeconds(2);
        targets.replicas.forEach(
                replica -> pool.policies.put(replica.remote, ReplicaPolicy.DEGRADE));
        EpochSwitch switching = newSwitch(pool, settings(bound));
        switching.atOpen(AttachOptions.NONE).forEach(ReplicaSession::abandon);
        switching.closeConnections();
        List<ReplicaSession> members = switching.inProcess(Map.of(pool.runId(), 0L));
        assertThat(members).hasSize(2);
        ReplicaTracker lost = switching.copies().get(1);
        switching.closeConnections(lost);
        members = List.of(members.get(0), switching.greetings().reachAgain(lost));
        Deadline over = Deadline.in(bound);
        await().until(over::isOver);
        for (FakeReplica replica : targets.replicas) {
            replica.pause = Duration.ofMillis(100);
            replica.slow = request -> request instanceof Request.Footprint;
        }
        for (ReplicaSession member : members) {
            assertThat(member.image().footprint(IMAGE)).isEmpty();
            member.abandon();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"NOT_COMPARABLE", "OPENED_ON_TARGET", "TAKEN_OVER"})
    void whatIsNotKnownToBeOlderIsNeverOverwrittenUnlessOrdered(String kind) throws Exception {
        attach();
        FakeReplica replica = targets.replicas.get(1);
        replica.foreignOpen = kind.equals("OPENED_ON_TARGET");
        replica.cur = kind.equals("OPENED_ON_TARGET") ? replica.cur : 4711;
        replica.state = kind.equals("TAKEN_OVER") ? ReplicaState.PROMOTED : replica.state;
        long before = pool.runId();
        replica.history.clear();

        assertThatThrownBy(this::attach)
                .isInstanceOfSatisfying(
                        FarheapException.class,
                        e -> assertThat(e.category()).isEqualTo(FarheapException.Category.REPLICA))
                .hasMessageContaining("r1.set")
                .hasMessageContaining("number " + before)
                .hasMessageContaining("number " + replica.cur)
                .hasMessageContaining("to keep the local pool: ")
                .hasMessageContaining("to keep the replica: ");
        assertThat(pool.runId()).isEqualTo(before);
        assertThat(replica.history).isEmpty();

        replica.foreignOpen = false;
        AttachOptions ordered =
                new AttachOptions(
                        Set.of(replica.remote), false, true, SyncProgress.NONE, Pacer.UNLIMITED);
        newSwitch().atOpen(ordered).forEach(ReplicaSession::abandon);
        assertThat(replica.cur).isEqualTo(pool.runId());
        assertSameImage(replica);
    }

    @Test
    void aFullCopyThatNeverEndedIsDoneAgain() throws Exception {
        dieAfter("startSync");
        assertThatThrownBy(this::attach).isInstanceOf(FarheapException.class);
        assertThat(targets.replicas).anyMatch(r -> r.state == ReplicaState.SYNCING);
        targets.noMoreFaults();
        attach();
        targets.replicas.forEach(this::assertSameImage);
    }

    @Test
    void aNumberLargerThanTheFreshOneIsToppedByAnotherFreshOne() throws Exception {
        attach();
        FakeReplica replica = targets.replicas.get(0);
        replica.cur = pool.runId() + (1L << 54);
        AttachOptions ordered = AttachOptions.NONE.overwriting(Set.of(replica.remote));
        newSwitch().atOpen(ordered).forEach(ReplicaSession::abandon);
        assertThat(pool.runId()).isGreaterThan(1L << 54);
        assertThat(replica.cur).isEqualTo(pool.runId());
    }

    /** Near the end of all numbers no switch would be possible any more. */
    @Test
    void aNumberThatNoHistoryReachesDoesNotPushThePoolsOwn() throws Exception {
        attach();
        long before = pool.runId();
        FakeReplica replica = targets.replicas.get(0);
        replica.next = Long.MAX_VALUE - 1;
        assertThatThrownBy(this::attach)
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("which is too far from the pool's " + before);
        assertThat(pool.runId()).isEqualTo(before);
    }

    /** Every request of the first attach and of a later one, dying before it and after it. */
    @ParameterizedTest
    @CsvSource({
        "hello,true,true",
        "hello,false,true",
        "startSync,true,true",
        "startSync,false,true",
        "syncComplete,true,true",
        "syncComplete,false,true",
        "confirm,true,true",
        "confirm,false,true",
        "hello,true,false",
        "hello,false,false",
        "footprint,true,false",
        "footprint,false,false",
        "prepare,true,false",
        "prepare,false,false",
        "confirm,true,false",
        "confirm,false,false"
    })
    void anAgentThatDiesAtAnyStepIsAttachedTheNextTime(
            String step, boolean before, boolean firstAttach) throws Exception {
        if (!firstAttach) {
            attach();
            unacknowledged(targets.replicas.get(0), 2, HEAP + 64, HEAP + 512);
        }
        AtomicBoolean once = new AtomicBoolean();
        Predicate<Request> fault =
                request -> request.type().equals(step) && once.compareAndSet(false, true);
        if (before) {
            targets.dieBefore = fault;
        } else {
            targets.dieAfter = fault;
        }
        assertThatThrownBy(this::attach)
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("the fake agent died");
        targets.noMoreFaults();
        attach();
        for (FakeReplica replica : targets.replicas) {
            assertThat(replica.cur).isEqualTo(pool.runId());
            assertThat(replica.state).isEqualTo(ReplicaState.INSYNC);
            assertSameImage(replica);
        }
    }

    /** The same for the initiator: after each step it vanishes, and its pool is opened again. */
    @ParameterizedTest
    @ValueSource(strings = {"before", "after"})
    void anInitiatorThatDiesAroundTheSwitchPointFindsItsReplicasAgain(String when)
            throws Exception {
        attach();
        targets.replicas.forEach(replica -> unacknowledged(replica, 2, HEAP + 64));
        Runnable crash =
                () -> {
                    throw new FarheapException(FarheapException.Category.ENVIRONMENT, "crash");
                };
        Runnable nothing = () -> {};
        pool.crashAround(
                when.equals("before") ? crash : nothing, when.equals("after") ? crash : nothing);
        assertThatThrownBy(this::attach).hasMessage("crash");
        pool.crashAround(nothing, nothing);
        attach();
        for (FakeReplica replica : targets.replicas) {
            assertThat(replica.history).filteredOn("startSync"::equals).hasSize(1);
            assertThat(replica.cur).isEqualTo(pool.runId());
            assertSameImage(replica);
        }
    }

    @Test
    void oneThatWasConfirmedAndOneThatWasNotAreBothRecognised() throws Exception {
        attach();
        AtomicBoolean once = new AtomicBoolean();
        targets.dieBefore =
                request -> request instanceof Request.Confirm && once.compareAndSet(false, true);
        assertThatThrownBy(this::attach).isInstanceOf(FarheapException.class);
        assertThat(targets.replicas).filteredOn(r -> r.next == pool.runId()).hasSize(1);
        assertThat(targets.replicas).filteredOn(r -> r.cur == pool.runId()).hasSize(1);
        targets.noMoreFaults();
        attach();
        targets.replicas.forEach(
                replica -> {
                    assertThat(replica.cur).isEqualTo(pool.runId());
                    assertThat(replica.history).filteredOn("startSync"::equals).hasSize(1);
                });
    }

    @Test
    void aSwitchInTheSameRunThatWasCutAfterTheNumberChangedDrainsNothingTwice() throws Exception {
        attach();
        long epoch = pool.runId();
        targets.replicas.forEach(replica -> unacknowledged(replica, 3, HEAP + 64));
        AtomicBoolean once = new AtomicBoolean();
        targets.dieBefore =
                request -> request instanceof Request.Confirm && once.compareAndSet(false, true);
        assertThatThrownBy(() -> newSwitch().inProcess(Map.of(epoch, 2L)))
                .isInstanceOf(FarheapException.class);
        targets.noMoreFaults();
        long cut = pool.runId();
        newSwitch().inProcess(Map.of(epoch, 2L, cut, 0L)).forEach(ReplicaSession::abandon);
        for (FakeReplica replica : targets.replicas) {
            assertThat(replica.cur).isEqualTo(pool.runId()).isNotEqualTo(cut);
            assertThat(replica.image.get(ValueLayout.JAVA_LONG, HEAP + 64)).isEqualTo(2);
        }
    }

    @Test
    void inTheSameRunAReplicaThatVanishedIsNotCopiedBehindOpenTransactions() throws Exception {
        attach();
        targets.replicas.get(0).state = ReplicaState.NEW;
        assertThatThrownBy(() -> newSwitch().inProcess(Map.of(pool.runId(), 0L)))
                .hasMessageContaining("close the pool and open it again");
    }

    @Test
    void aHolderThatGoesAwayWithinTheBoundIsWaitedFor() throws Exception {
        List<ReplicaSession> members = newSwitch().atOpen(AttachOptions.NONE);
        FakeReplica replica = targets.replicas.get(0);
        Thread later =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    await().until(() -> replica.turnedAway > 0);
                                    members.forEach(ReplicaSession::abandon);
                                });
        attach();
        later.join();
        assertThat(replica.turnedAway).isPositive();
    }

    @Test
    void aHolderThatStaysIsNamed() throws Exception {
        List<ReplicaSession> members = newSwitch().atOpen(AttachOptions.NONE);
        EpochSwitch impatient =
                newSwitch(pool, settings(Duration.ofSeconds(10), Duration.ofMillis(100)));

        assertThatThrownBy(() -> impatient.atOpen(AttachOptions.NONE))
                .hasMessageContaining("attached by somebody else");
        members.forEach(ReplicaSession::abandon);
    }

    @Test
    void aTailThatLeavesThePoolIsRefused() throws Exception {
        attach();
        FakeReplica replica = targets.replicas.get(0);
        unacknowledged(replica, 1, HEAP + 64);
        FakePool small = new FakePool(targets.remotes(), HEAP + 64, 1);
        small.switchRunId(pool.runId());
        assertThatThrownBy(() -> newSwitch(small).atOpen(AttachOptions.NONE))
                .hasMessageContaining("outside of the pool");
    }

    @Test
    void aReplicaThatCannotBeReachedIsAnError() {
        targets.unreachable = true;
        assertThatThrownBy(this::attach).hasMessageContaining("no route to");
        assertThat(pool.numbers).hasSize(1);
    }

    private void dieAfter(String step) {
        targets.dieAfter = request -> request.type().equals(step);
    }

    private List<ReplicaSession> attach() throws InterruptedException {
        List<ReplicaSession> members = newSwitch().atOpen(AttachOptions.NONE);
        members.forEach(ReplicaSession::abandon);
        return members;
    }

    private EpochSwitch newSwitch() {
        return newSwitch(pool);
    }

    private EpochSwitch newSwitch(FakePool local) {
        return newSwitch(local, SETTINGS);
    }

    private EpochSwitch newSwitch(FakePool local, ReplicationSettings settings) {
        return new EpochSwitch(
                local,
                settings,
                targets,
                Fabrics.only(new TcpFabric(WaitStrategy.BLOCKING)),
                new Random(7),
                new DirtyMapFiles(local));
    }

    /** Records that reached the replica: each stores its sequence number at the offsets. */
    public static void unacknowledged(FakeReplica replica, int count, long... offsets) {
        RecordEncoder encoder = new RecordEncoder(replica.ring);
        long at = replica.position;
        for (long sequence = replica.applied + 1; sequence <= replica.applied + count; sequence++) {
            long bytes = (long) RecordEntries.WORD_ENTRY_BYTES * offsets.length;
            encoder.begin(at, replica.journalEpoch, sequence, 0, bytes);
            for (long offset : offsets) {
                encoder.set(offset, sequence);
            }
            encoder.end();
            at += RecordLayout.span(bytes);
        }
    }

    private void assertSameImage(FakeReplica replica) {
        for (ByteRange range : SharedBytes.of(IMAGE)) {
            long end = range.offset() + range.length();
            assertThat(
                            MemorySegment.mismatch(
                                    pool.image,
                                    range.offset(),
                                    end,
                                    replica.image,
                                    range.offset(),
                                    end))
                    .as("%s differs from %d at", replica.remote, range.offset())
                    .isEqualTo(-1);
        }
    }
}
