package io.farheap.replication.epoch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.farheap.base.CommitUnknownException;
import io.farheap.base.FarheapException;
import io.farheap.base.ReplicaStatus;
import io.farheap.base.ReplicaStatus.State;
import io.farheap.layout.Descriptor;
import io.farheap.replication.FakeAgent;
import io.farheap.replication.FakePool;
import io.farheap.replication.FakeTargets;
import io.farheap.replication.config.AttachOptions;
import io.farheap.replication.config.Pacer;
import io.farheap.replication.config.ReplicaPolicies;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.config.ScrubPace;
import io.farheap.replication.config.TlsAgents;
import io.farheap.replication.control.Request;
import io.farheap.replication.dirty.DirtyMapFiles;
import io.farheap.replication.fabric.FabricUse;
import io.farheap.replication.fabric.WaitStrategy;
import io.farheap.replication.fabric.tcp.TcpFabric;
import io.farheap.replication.scrub.Scrubber;
import io.farheap.replication.session.Fabrics;
import io.farheap.replication.stream.FakeReplica;
import io.farheap.replication.stream.LagBound;
import io.farheap.spi.RecordEntries;
import io.farheap.spi.RecordSource;
import io.farheap.spi.ReplicaSink;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class RemoteReplicasTest {
    private static final long IMAGE = 5 << 20;
    private static final long PLACE = Descriptor.DEFAULT_HEAP_OFFSET + 4096;
    static final ReplicationSettings SETTINGS =
            new ReplicationSettings(
                    Duration.ofSeconds(10),
                    Duration.ofSeconds(2),
                    Duration.ofSeconds(1),
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

    private final FakeTargets targets = new FakeTargets(2, IMAGE);
    private final FakePool pool = new FakePool(targets.remotes(), IMAGE, 11);
    private ReplicaSink sink = attach();

    @AfterEach
    void end() {
        sink.close();
        targets.killAgents();
    }

    @Test
    void whatIsCommittedIsAppliedEverywhereWhenThePoolIsClosed() {
        for (long i = 1; i <= 5000; i++) {
            commit(sink, PLACE + i % 100 * 8, i);
        }
        sink.close();
        targets.replicas.forEach(this::assertSameImage);
        assertThat(targets.replicas).allMatch(replica -> replica.cur == pool.runId());
    }

    @Test
    void aCloseInGoodOrderLetsTheReplicasGo() {
        sink.close();
        await().until(() -> targets.replicas.stream().noneMatch(replica -> replica.held));
        sink.close();
    }

    @Test
    void afterALossNobodyCommitsAndThenTheOldEpochIsOver() {
        commit(sink, PLACE, 1);
        long epoch = pool.runId();
        targets.unreachable = true;
        targets.killAgents();

        await().untilAsserted(
                        () ->
                                assertThatThrownBy(() -> commit(sink, PLACE, 2))
                                        .hasMessageContaining("no route to"));
        long begin = System.nanoTime();
        assertThatThrownBy(() -> commit(sink, PLACE, 2))
                .isInstanceOfSatisfying(
                        FarheapException.class,
                        e -> assertThat(e.category()).isEqualTo(FarheapException.Category.REPLICA))
                .isNotInstanceOf(CommitUnknownException.class);
        assertThat(Duration.ofNanos(System.nanoTime() - begin))
                .as("refused, not waited for")
                .isLessThan(SETTINGS.commitTimeout());
        assertThat(word(PLACE)).isEqualTo(1);

        targets.noMoreFaults();
        commitWhenPossible(PLACE, 3);
        assertThat(pool.runId()).isGreaterThan(epoch);
        sink.close();
        targets.replicas.forEach(this::assertSameImage);
    }

    @Test
    void aLossWhileNobodyCommitsIsNoticedAndMended() {
        commit(sink, PLACE, 1);
        long epoch = pool.runId();
        targets.neverResume();
        targets.killAgents();
        await().until(() -> pool.runId() != epoch);
        commitWhenPossible(PLACE, 2);
        sink.close();
        targets.replicas.forEach(this::assertSameImage);
    }

    @Test
    void theSearchGoesOnWhereverAnAttemptIsCut() {
        targets.neverResume();
        for (String step : List.of("hello", "drain", "prepare", "confirm")) {
            for (boolean before : new boolean[] {true, false}) {
                long epoch = pool.runId();
                AtomicBoolean once = new AtomicBoolean();
                if (before) {
                    targets.dieBefore = request -> matches(request, step, once);
                } else {
                    targets.dieAfter = request -> matches(request, step, once);
                }
                targets.killAgents();
                await().untilTrue(once);
                targets.noMoreFaults();
                await().until(() -> pool.runId() != epoch);
                commitWhenPossible(PLACE, word(PLACE) + 1);
            }
        }
        sink.close();
        targets.replicas.forEach(this::assertSameImage);
        for (FakeReplica replica : targets.replicas) {
            assertThat(replica.history).filteredOn("startSync"::equals).hasSize(1);
        }
    }

    @Test
    void theSearchGoesOnAfterAFaultOfOurOwn() {
        targets.fault = () -> new OutOfMemoryError("no threads left");
        targets.killAgents();
        await().untilAsserted(
                        () ->
                                assertThatThrownBy(() -> commit(sink, PLACE, 1))
                                        .isInstanceOf(FarheapException.class)
                                        .hasMessageContaining("no threads left"));
        targets.noMoreFaults();
        commitWhenPossible(PLACE, 2);
    }

    @Test
    void closingWhileAReplicaIsMissingDoesNotWaitForIt() {
        targets.unreachable = true;
        targets.killAgents();
        await().until(() -> refuses(sink));
        long begin = System.nanoTime();
        sink.close();
        assertThat(Duration.ofNanos(System.nanoTime() - begin))
                .isLessThan(SETTINGS.attachTimeout());
    }

    @Test
    void aCommitThatFailedHereAfterAllReplicasHadItEndsTheCommits() {
        RecordSource record = e -> e.set(PLACE, 9);
        long ticket = sink.append(RecordEntries.WORD_ENTRY_BYTES, record);
        sink.awaitDurable(ticket, RecordEntries.WORD_ENTRY_BYTES, record);
        sink.rolledBack(ticket);
        await().untilAsserted(
                        () ->
                                assertThatThrownBy(() -> commit(sink, PLACE, 2))
                                        .hasMessageStartingWith("no commits any more: ")
                                        .hasMessageContaining("close the pool and open it again"));
        assertThat(sink.replicas())
                .isNotEmpty()
                .allSatisfy(
                        replica -> {
                            assertThat(replica.state()).isEqualTo(State.LOST);
                            assertThat(replica.reason()).contains("a transaction failed here");
                            assertThat(replica.nextStep())
                                    .isEqualTo("close the pool and open it again");
                        });
        sink.close();
        sink = attach();
        commit(sink, PLACE + 8, 3);
        sink.close();
        targets.replicas.forEach(this::assertSameImage);
    }

    /** Whether it happened is decided when the pool is opened again: here both are tried. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aCommitWhoseOutcomeNobodyKnowsIsToldToNoReplica(boolean happened) {
        commit(sink, PLACE, 1);
        long epoch = pool.runId();
        RecordSource record = e -> e.set(PLACE, 9);
        long ticket = sink.append(RecordEntries.WORD_ENTRY_BYTES, record);
        sink.awaitDurable(ticket, RecordEntries.WORD_ENTRY_BYTES, record);
        sink.broken(ticket);
        targets.neverResume();
        targets.killAgents();
        await().untilAsserted(
                        () ->
                                assertThatThrownBy(() -> commit(sink, PLACE + 8, 2))
                                        .hasMessageStartingWith("no commits any more: ")
                                        .hasMessageContaining("close the pool and open it again"));
        assertClosesAtOnce();
        assertThat(pool.runId()).as("no other epoch").isEqualTo(epoch);
        if (happened) {
            pool.image.set(ValueLayout.JAVA_LONG, PLACE, 9);
        }

        sink = attach();
        commit(sink, PLACE + 16, 3);
        sink.close();
        targets.replicas.forEach(this::assertSameImage);
    }

    @Test
    void norDoesARollBackThatFailedLetAnotherEpochBegin() {
        long epoch = pool.runId();
        targets.unreachable = true;
        targets.neverResume();
        targets.killAgents();
        await().untilAsserted(() -> assertRefuses(sink, "no commits while a replica is missing"));

        sink.undoing();
        sink.undoFailed();

        // Whoever looked for them goes on no more: they may be back from here on.
        await().untilAsserted(
                        () ->
                                assertThat(sink.replicas())
                                        .extracting(ReplicaStatus::nextStep)
                                        .containsOnly("close the pool and open it again"));
        assertRefuses(sink, "no commits any more: ");
        targets.noMoreFaults();
        assertThat(((RemoteReplicas) sink).isUndoing()).isFalse();
        assertClosesAtOnce();
        assertThat(pool.runId()).isEqualTo(epoch);
        assertThat(targets.replicas).allMatch(replica -> replica.cur == epoch);
    }

    private void assertRefuses(ReplicaSink of, String words) {
        assertThatThrownBy(() -> commit(of, PLACE, 2)).hasMessageStartingWith(words);
    }

    /** Nobody is waited for who will not come. */
    private void assertClosesAtOnce() {
        long begin = System.nanoTime();
        sink.close();
        assertThat(Duration.ofNanos(System.nanoTime() - begin))
                .isLessThan(SETTINGS.commitTimeout());
    }

    @Test
    void closingAPoolThatFailedInACommitWaitsForNobody() {
        RecordSource record = e -> e.set(PLACE, 9);
        long ticket = sink.append(RecordEntries.WORD_ENTRY_BYTES, record);
        sink.awaitDurable(ticket, RecordEntries.WORD_ENTRY_BYTES, record);
        sink.broken(ticket);
        assertRefuses(sink, "no commits any more: ");
        assertClosesAtOnce();
        assertThat(targets.replicas).allMatch(replica -> replica.cur == pool.runId());
    }

    @Test
    void aFaultEndsTheComparisonAndWhoAsksIsToldOfIt() {
        RemoteReplicas replicas = (RemoteReplicas) sink;
        Scrubber scrubber = new Scrubber(replicas, pool, ScrubPace.OFF);
        replicas.compareBy(scrubber);
        scrubber.start();
        pool.beforeOverlay =
                () -> {
                    throw new OutOfMemoryError("no heap left");
                };
        for (String when : List.of("while it is compared", "after that")) {
            assertThatThrownBy(sink::scrub).as(when).hasRootCauseMessage("no heap left");
        }
    }

    /** Threads count, each in words of its own; agents die at random; nothing returned is lost. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whateverDiesTheReplicasHoldWhatWasAcknowledgedAndNothingThatWasNot(boolean resumable)
            throws Exception {
        if (!resumable) {
            targets.neverResume();
        }
        long seed = System.nanoTime();
        Random random = new Random(seed);
        int threads = 4;
        AtomicBoolean stop = new AtomicBoolean();
        AtomicInteger acknowledged = new AtomicInteger();
        List<Thread> committers = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            long place = PLACE + i * 64L;
            committers.add(
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        while (!stop.get()) {
                                            if (tryCommit(place, word(place) + 1)) {
                                                acknowledged.incrementAndGet();
                                            }
                                        }
                                    }));
        }
        for (int round = 0; round < 6; round++) {
            int before = acknowledged.get();
            await().until(() -> acknowledged.get() > before + 50);
            List<FakeAgent> agents = List.copyOf(targets.agents);
            if (random.nextBoolean() || agents.isEmpty()) {
                targets.killAgents();
            } else {
                agents.get(random.nextInt(agents.size())).die();
            }
        }
        int before = acknowledged.get();
        await().until(() -> acknowledged.get() > before + 50);
        stop.set(true);
        for (Thread committer : committers) {
            committer.join();
        }
        sink.close();
        sink = attach();
        sink.close();
        targets.replicas.forEach(
                replica -> assertThat(differs(replica)).as("seed " + seed).isEqualTo(-1));
    }

    private static boolean matches(Request request, String step, AtomicBoolean once) {
        return request.type().equals(step) && once.compareAndSet(false, true);
    }

    private ReplicaSink attach() {
        EpochSwitch switching =
                new EpochSwitch(
                        pool,
                        SETTINGS,
                        targets,
                        Fabrics.only(new TcpFabric(WaitStrategy.BLOCKING)),
                        new Random(7),
                        new DirtyMapFiles(pool));
        return RemoteReplicas.attach(pool, AttachOptions.NONE, SETTINGS, switching);
    }

    private boolean refuses(ReplicaSink of) {
        try {
            commit(of, PLACE, 1);
            return false;
        } catch (FarheapException e) {
            return true;
        }
    }

    private boolean tryCommit(long place, long value) {
        try {
            commit(sink, place, value);
            return true;
        } catch (FarheapException e) {
            assertThat(e.category()).isEqualTo(FarheapException.Category.REPLICA);
            Thread.onSpinWait();
            return false;
        }
    }

    private void commitWhenPossible(long place, long value) {
        await().until(() -> tryCommit(place, value));
    }

    private long word(long place) {
        return pool.word(place);
    }

    private void commit(ReplicaSink to, long place, long value) {
        pool.commit(to, place, value);
    }

    private void assertSameImage(FakeReplica replica) {
        assertThat(differs(replica)).as(replica.remote.toString()).isEqualTo(-1);
    }

    private long differs(FakeReplica replica) {
        return replica.differs(pool);
    }
}
