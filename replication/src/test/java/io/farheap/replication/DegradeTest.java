package io.farheap.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.farheap.CommitUnknownException;
import io.farheap.FarheapException;
import io.farheap.ReplicaPolicy;
import io.farheap.ReplicaStatus;
import io.farheap.ReplicaStatus.State;
import io.farheap.layout.Descriptor;
import io.farheap.replication.control.Request;
import io.farheap.replication.fabric.WaitStrategy;
import io.farheap.replication.fabric.tcp.TcpFabric;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.spi.ReplicaSink;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Policy degrade: the pool goes on without whom it can't reach, and nobody mistakes that one. */
@Timeout(120)
class DegradeTest {
    private static final long IMAGE = 5 << 20;
    private static final long PLACE = Descriptor.DEFAULT_HEAP_OFFSET + 4096;
    private static final ReplicationSettings SETTINGS =
            RemoteReplicasTest.SETTINGS.withPolicies(
                    new ReplicaPolicies(ReplicaPolicy.DEGRADE, Map.of()));

    @TempDir private Path directory;

    private final FakeTargets targets = new FakeTargets(2, IMAGE);
    private final FakePool pool = new FakePool(targets.remotes(), IMAGE, 11);
    private ReplicaSink sink;

    @BeforeEach
    void attachBoth() {
        pool.sideFiles = directory.resolve("part0");
        sink = attach();
    }

    @AfterEach
    void end() {
        sink.close();
        targets.killAgents();
    }

    private ReplicaSink attach() {
        EpochSwitch switching =
                new EpochSwitch(
                        pool,
                        SETTINGS,
                        targets,
                        new TcpFabric(WaitStrategy.BLOCKING),
                        new Random(7),
                        new DirtyMapFiles(pool));
        return RemoteReplication.attach(pool, AttachOptions.NONE, SETTINGS, switching);
    }

    private void reopen() {
        sink.close();
        sink = attach();
    }

    private void commit(long place, long value) {
        pool.commit(sink, place, value);
    }

    private State state(int index) {
        return sink.replicas().get(index).state();
    }

    private FakeReplica replica(int index) {
        return targets.replicas.get(index);
    }

    private void assertSame(int index) {
        assertThat(replica(index).differs(pool)).as("replica " + index).isEqualTo(-1);
        assertThat(replica(index).cur).isEqualTo(pool.runId());
        assertThat(replica(index).state).isEqualTo(ReplicaState.INSYNC);
    }

    private List<String> sideFiles() {
        try (var files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).toList();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void commitsGoOnWithoutTheLostOneWhichCanNotPassForCurrent() {
        commit(PLACE, 1);
        long epoch = pool.runId();
        targets.lose(1);
        for (long i = 2; i <= 100; i++) {
            commit(PLACE, i);
        }
        assertThat(pool.runId()).isGreaterThan(epoch);
        assertThat(replica(1).cur).isEqualTo(epoch);
        assertThat(replica(0).cur).isEqualTo(pool.runId());
        ReplicaStatus lost = sink.replicas().get(1);
        assertThat(lost.state()).isEqualTo(State.LOST);
        assertThat(lost.policy()).isEqualTo(ReplicaPolicy.DEGRADE);
        assertThat(lost.epoch()).isEqualTo(epoch);
        assertThat(lost.lagBytes()).isEqualTo(4096);
        assertThat(lost.nextStep()).contains("catches up by itself");
        assertThat(state(0)).isEqualTo(State.ATTACHED);
        assertThat(sideFiles())
                .hasSize(1)
                .first()
                .asString()
                .startsWith("part0.")
                .endsWith(".dirty");
        sink.close();
        assertSame(0);
    }

    @Test
    void whoeverWaitsWhenTheReplicaIsLostClaimsAgainAndDoesNotThrow() throws Exception {
        List<Throwable> failures = new ArrayList<>();
        AtomicBoolean stop = new AtomicBoolean();
        List<Thread> committers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            long place = PLACE + i * 64L;
            committers.add(
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        try {
                                            while (!stop.get()) {
                                                commit(place, pool.word(place) + 1);
                                            }
                                        } catch (RuntimeException e) {
                                            synchronized (failures) {
                                                failures.add(e);
                                            }
                                        }
                                    }));
        }
        long before = pool.word(PLACE);
        await().until(() -> pool.word(PLACE) > before + 50);
        targets.lose(0);
        await().until(() -> state(0) == State.LOST);
        long between = pool.word(PLACE);
        await().until(() -> pool.word(PLACE) > between + 50);
        targets.lose(1);
        await().until(() -> state(1) == State.LOST);
        long alone = pool.word(PLACE);
        await().until(() -> pool.word(PLACE) > alone + 50);
        stop.set(true);
        for (Thread committer : committers) {
            committer.join();
        }
        assertThat(failures).isEmpty();
        targets.noMoreFaults();
        reopen();
        sink.close();
        assertSame(0);
        assertSame(1);
    }

    @Test
    void allMembersAreLostAndThePoolGoesOnAlone() {
        commit(PLACE, 1);
        targets.lose(0);
        targets.lose(1);
        commit(PLACE, 2);
        commit(PLACE + 8192, 3);
        await().until(() -> state(0) == State.LOST && state(1) == State.LOST);
        commit(PLACE + 8192, 4);
        targets.noMoreFaults();
        replica(0).copied.set(0);
        reopen();
        assertThat(replica(0).copied.get())
                .as("two regions and the tail")
                .isLessThanOrEqualTo(12288);
        assertThat(sideFiles()).as("maps of replicas that are back").isEmpty();
        sink.close();
        assertSame(0);
        assertSame(1);
    }

    @Test
    void aPoolIsOpenedWithoutAMemberThatCanNotBeReached() {
        commit(PLACE, 1);
        long epoch = pool.runId();
        sink.close();
        targets.lose(1);
        sink = attach();
        assertThat(state(1)).isEqualTo(State.LOST);
        assertThat(pool.runId()).isNotEqualTo(epoch);
        commit(PLACE, 2);
        reopen();
        commit(PLACE + 4096, 3);
        targets.noMoreFaults();
        replica(1).copied.set(0);
        replica(1).history.clear();
        reopen();
        assertThat(replica(1).history).contains("startSync", "confirm");
        assertThat(replica(1).copied.get()).isLessThanOrEqualTo(3 * 4096);
        sink.close();
        assertSame(1);
    }

    @Test
    void anAnswerThatNeedsAPersonKeepsThePoolClosed() {
        sink.close();
        replica(1).cur = 4711;
        assertThatThrownBy(this::attach)
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("to keep the replica: ");
    }

    @Test
    void aMapThatDoesNotGoWithThePoolsNumberProvesNothing() {
        targets.lose(1);
        commit(PLACE, 2);
        sink.close();
        pool.switchRunId(pool.runId() + 2); // a program that knows nothing of replicas
        replica(0).cur = pool.runId();
        targets.noMoreFaults();
        assertThatThrownBy(this::attach).hasMessageContaining("can't be compared");
        assertThat(replica(1).history).doesNotContain("drain");
    }

    /** It may hold records that were rolled back here: the map knows nothing of them. */
    @Test
    void whatTheTailOfTheLostOneTouchedIsCopiedToo() {
        commit(PLACE, 1);
        targets.lose(1);
        commit(PLACE, 2);
        await().until(() -> state(1) == State.LOST);
        long elsewhere = PLACE + (1 << 20);
        FakeReplica lost = replica(1);
        lost.apply(lost.lastSequence());
        EpochSwitchTest.unacknowledged(lost, 1, elsewhere);
        lost.apply(lost.lastSequence() - 1);
        lost.image.set(ValueLayout.JAVA_LONG, elsewhere, 99);
        targets.noMoreFaults();
        reopen();
        sink.close();
        assertSame(1);
    }

    @Test
    void aMemberThatMustBeThereIsWaitedForAndOthersAreNot() {
        sink.close();
        pool.policies.put(replica(0).remote, ReplicaPolicy.FAIL);
        sink = attach();
        targets.lose(1);
        commit(PLACE, 1);
        assertThat(state(1)).isEqualTo(State.LOST);
        targets.lose(0);
        await().untilAsserted(
                        () ->
                                assertThatThrownBy(() -> commit(PLACE, 2))
                                        .isInstanceOf(FarheapException.class)
                                        .isNotInstanceOf(CommitUnknownException.class));
        assertThat(state(0)).isEqualTo(State.LOST);
        targets.gone.remove(0);
        await().until(() -> canCommit(PLACE, 3));
        assertThat(state(0)).isEqualTo(State.ATTACHED);
        assertThat(state(1)).isEqualTo(State.LOST);
    }

    private boolean canCommit(long place, long value) {
        try {
            commit(place, value);
            return true;
        } catch (FarheapException e) {
            return false;
        }
    }

    /**
     * A member that fails in the switch is left out of the next attempt, which has a new number.
     */
    @Test
    void whoFailsInTheMiddleOfTheSwitchIsLeftOutWithANewNumber() {
        for (String step : List.of("hello", "drain", "prepare", "confirm")) {
            AtomicBoolean once = new AtomicBoolean();
            AtomicReference<Long> prepared = new AtomicReference<>();
            targets.dieAfter =
                    request -> {
                        if (request instanceof Request.Hello hello) {
                            prepared.compareAndSet(null, hello.nextRunId());
                        }
                        return request.type().equals(step) && once.compareAndSet(false, true);
                    };
            targets.lose(1);
            commit(PLACE, pool.word(PLACE) + 1);
            await().until(() -> state(0) == State.LOST && state(1) == State.LOST);
            assertThat(once).isTrue();
            assertThat(pool.runId()).as(step).isNotEqualTo(prepared.get());
            assertThat(replica(0).cur).isNotEqualTo(pool.runId());
            commit(PLACE, pool.word(PLACE) + 1);
            targets.noMoreFaults();
            reopen();
            sink.close();
            assertSame(0);
            assertSame(1);
            sink = attach();
        }
    }
}
