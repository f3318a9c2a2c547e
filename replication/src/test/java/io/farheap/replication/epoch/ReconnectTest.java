package io.farheap.replication.epoch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.farheap.base.CommitUnknownException;
import io.farheap.base.FarheapException;
import io.farheap.base.ReplicaPolicy;
import io.farheap.base.ReplicaStatus.State;
import io.farheap.layout.Descriptor;
import io.farheap.replication.FakeAgent;
import io.farheap.replication.FakePool;
import io.farheap.replication.FakeTargets;
import io.farheap.replication.config.AttachOptions;
import io.farheap.replication.config.Pacer;
import io.farheap.replication.config.ReplicaPolicies;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.config.TlsAgents;
import io.farheap.replication.control.Purpose;
import io.farheap.replication.control.Request;
import io.farheap.replication.dirty.DirtyMapFiles;
import io.farheap.replication.fabric.WaitStrategy;
import io.farheap.replication.fabric.tcp.TcpFabric;
import io.farheap.replication.session.Fabrics;
import io.farheap.replication.stream.FakeReplica;
import io.farheap.spi.ReplicaSink;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** A connection is lost and made again in time: commits pause, and nothing else happens. */
@Timeout(120)
class ReconnectTest {
    private static final long IMAGE = 5 << 20;
    private static final long PLACE = Descriptor.DEFAULT_HEAP_OFFSET + 4096;
    private static final int THREADS = 4;

    private final FakeTargets targets = new FakeTargets(2, IMAGE);
    private final FakePool pool = new FakePool(targets.remotes(), IMAGE, 11);
    private ReplicationSettings settings = patient();
    private ReplicaSink sink;

    @AfterEach
    void end() {
        sink.close();
        targets.killAgents();
    }

    /**
     * Where a replica can be left out there is one attempt to reach it again, and on a machine that
     * has much else to do it may take longer than the bounds of other tests allow: then the epoch
     * changes by right. Here no attempt fails for want of time.
     */
    private static ReplicationSettings patient() {
        ReplicationSettings usual = RemoteReplicasTest.SETTINGS;
        return new ReplicationSettings(
                Duration.ofSeconds(60),
                Duration.ofSeconds(60),
                Duration.ofSeconds(12),
                usual.workTimeout(),
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
    }

    private long attach() {
        EpochSwitch switching =
                new EpochSwitch(
                        pool,
                        settings,
                        targets,
                        Fabrics.only(new TcpFabric(WaitStrategy.BLOCKING)),
                        new Random(7),
                        new DirtyMapFiles(pool));
        sink = RemoteReplicas.attach(pool, AttachOptions.NONE, settings, switching);
        targets.replicas.forEach(replica -> replica.history.clear());
        return pool.runId();
    }

    private void commit(long value) {
        pool.commit(sink, PLACE, value);
    }

    private void assertNoSwitchSince(long epoch) {
        assertThat(pool.runId()).as("%s", sink.replicas()).isEqualTo(epoch);
        for (FakeReplica replica : targets.replicas) {
            assertThat(replica.cur).isEqualTo(epoch);
            assertThat(replica.history).doesNotContain("drain", "prepare", "confirm");
        }
        assertThat(sink.replicas()).allMatch(replica -> replica.state() == State.ATTACHED);
    }

    private void assertSameImages() {
        sink.close();
        targets.replicas.forEach(
                replica -> assertThat(replica.differs(pool)).as("" + replica.remote).isEqualTo(-1));
    }

    /** Threads count, each in words of its own. */
    private final class Load {
        final AtomicInteger commits = new AtomicInteger();
        final AtomicReference<Throwable> failure = new AtomicReference<>();
        private final AtomicBoolean stop = new AtomicBoolean();
        private final List<Thread> threads = new ArrayList<>();

        Load() {
            for (int i = 0; i < THREADS; i++) {
                long place = PLACE + i * 64L;
                threads.add(Thread.ofPlatform().start(() -> count(place)));
            }
        }

        private void count(long place) {
            try {
                while (!stop.get()) {
                    pool.commit(sink, place, pool.word(place) + 1);
                    commits.incrementAndGet();
                }
            } catch (RuntimeException e) {
                failure.compareAndSet(null, e);
            }
        }

        void awaitMore(int more) {
            int from = commits.get();
            await().until(() -> commits.get() > from + more || failure.get() != null);
        }

        void end() throws InterruptedException {
            stop.set(true);
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(failure.get()).isNull();
        }
    }

    private static final int KILLS = Boolean.getBoolean("test.deep") ? 20 : 6;

    @ParameterizedTest
    @Tag("sliced")
    @EnumSource(
            value = ReplicaPolicy.class,
            mode = Mode.INCLUDE,
            names = {"FAIL", "DEGRADE"})
    void noCommitNoticesThatAgentsAreKilledUnderIt(ReplicaPolicy policy) throws Exception {
        settings = settings.withPolicies(new ReplicaPolicies(policy, Map.of()));
        Random random = new Random(3);
        long epoch = attach();
        Load load = new Load();
        for (int round = 0; round < KILLS; round++) {
            load.awaitMore(random.nextInt(600));
            List<FakeAgent> agents = List.copyOf(targets.agents);
            if (random.nextInt(3) == 0) {
                targets.killAgents();
            } else {
                agents.get(agents.size() - 1 - random.nextInt(2) % agents.size()).die();
            }
        }
        load.awaitMore(500);
        load.end();
        assertNoSwitchSince(epoch);
        assertSameImages();
    }

    @Test
    void aLossWhileNobodyCommitsIsMendedTheSame() {
        long epoch = attach();
        commit(1);
        targets.killAgents();
        await().until(() -> targets.agents.size() == 2);
        commit(2);
        assertNoSwitchSince(epoch);
        assertSameImages();
    }

    @Test
    void aCommitWaitsForATargetThatIsBackInTime() throws Exception {
        long epoch = attach();
        commit(1);
        AtomicInteger attempts = new AtomicInteger();
        targets.fault =
                () -> {
                    attempts.incrementAndGet();
                    return null;
                };
        targets.unreachable = true;
        targets.killAgents();
        Load load = new Load();
        await().until(() -> attempts.get() > 4);
        assertThat(load.commits).hasValue(0);
        targets.noMoreFaults();
        load.awaitMore(100);
        load.end();
        assertNoSwitchSince(epoch);
        assertSameImages();
    }

    @Test
    void nobodyWaitsLongerThanTheBoundForATargetThatStaysAway() {
        settings = settings.withCommitTimeout(Duration.ofSeconds(1));
        long epoch = attach();
        commit(1);
        targets.unreachable = true;
        targets.killAgents();
        long begin = System.nanoTime();
        assertThatThrownBy(() -> commit(2))
                .isInstanceOf(CommitUnknownException.class)
                .hasMessageMatching(
                        "(?s).*(no answer within 1000 ms; .*lost|not reached again: .*no route"
                                + " to).*|.*broke.*");
        assertThat(Duration.ofNanos(System.nanoTime() - begin))
                .isBetween(Duration.ofMillis(400), Duration.ofSeconds(5));
        assertThat(pool.word(PLACE)).isEqualTo(1);
        targets.noMoreFaults();
        await().until(() -> pool.runId() != epoch);
        await().until(
                        () -> {
                            try {
                                commit(3);
                                return true;
                            } catch (FarheapException e) {
                                return false;
                            }
                        });
        assertSameImages();
    }

    /** Nobody commits, so nobody is there whose time could be over. */
    @Test
    void anIdleEpochEndsAtTheBoundToo() {
        settings = settings.withCommitTimeout(Duration.ofMillis(500));
        attach();
        commit(1);
        targets.unreachable = true;
        targets.killAgents();
        await().until(() -> sink.replicas().stream().anyMatch(r -> r.state() == State.LOST));
        assertThat(sink.replicas()).anyMatch(replica -> replica.reason().contains("no route to"));
    }

    /** Whoever goes on without a target does so at once, and brings it back later. */
    @Test
    void whoCanBeLeftOutIsNotWaitedFor() {
        settings = settings.withPolicies(new ReplicaPolicies(ReplicaPolicy.DEGRADE, Map.of()));
        attach();
        commit(1);
        targets.lose(1);
        long begin = System.nanoTime();
        commit(2);
        assertThat(Duration.ofNanos(System.nanoTime() - begin))
                .isLessThan(settings.commitTimeout().dividedBy(2));
        assertThat(sink.replicas().get(1).state()).isEqualTo(State.LOST);
    }

    /** Kills the agents, and changes what the next ones find, before any of them looks. */
    private void loseAnd(Runnable change) {
        AtomicBoolean once = new AtomicBoolean();
        targets.dieBefore =
                request -> {
                    boolean resumes =
                            request instanceof Request.Hello hello
                                    && hello.purpose() == Purpose.RESUME;
                    synchronized (once) {
                        if (resumes && once.compareAndSet(false, true)) {
                            change.run();
                        }
                    }
                    return false;
                };
        targets.killAgents();
        await().untilTrue(once);
    }

    @Test
    void aJournalThatLostWhatItAnsweredForEndsTheEpoch() {
        attach();
        for (int i = 1; i <= 20; i++) {
            commit(i);
        }
        targets.replicas.forEach(replica -> replica.lazy = true);
        for (int i = 21; i <= 40; i++) {
            commit(i);
        }
        loseAnd(() -> targets.replicas.forEach(replica -> replica.ring.fill((byte) 0)));
        await().until(() -> sink.replicas().stream().anyMatch(r -> r.state() == State.LOST));
        await().untilAsserted(
                        () ->
                                assertThatThrownBy(() -> commit(41))
                                        .hasMessageContaining("its records reach to"));
    }

    @Test
    void aReplicaThatSomebodyElsePreparedGoesThroughASwitch() {
        long epoch = attach();
        commit(1);
        loseAnd(() -> targets.replicas.get(0).next = epoch + 1000);
        await().until(() -> pool.runId() != epoch);
        await().until(() -> sink.replicas().stream().allMatch(r -> r.state() == State.ATTACHED));
        commit(2);
        assertThat(targets.replicas.get(0).history).contains("drain", "prepare", "confirm");
        assertSameImages();
    }

    @Test
    void aReplicaOfAnotherNumberIsRefused() {
        attach();
        commit(1);
        loseAnd(() -> targets.replicas.get(0).cur += 1000);
        await().untilAsserted(
                        () ->
                                assertThatThrownBy(() -> commit(2))
                                        .hasMessageContaining("can't be compared"));
    }
}
