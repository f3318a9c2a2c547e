package io.farheap.it.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.ObjectPool;
import io.farheap.base.ReplicaPolicy;
import io.farheap.base.ReplicaStatus;
import io.farheap.base.ReplicaStatus.State;
import io.farheap.engine.ClassPathReplicas;
import io.farheap.it.support.Cables;
import io.farheap.it.support.Machines;
import io.farheap.replication.RemoteReplication;
import io.farheap.replication.config.AttachOptions;
import io.farheap.replication.config.ReplicaPolicies;
import io.farheap.replication.config.ReplicationSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Real agents come and go under a pool that can do without them. */
@Tag("deep")
@Timeout(300)
class ReplicaReturnTest {
    private static final String LAYOUT = "return";

    private final Machines machines = Machines.with("near", "far");
    private final Path set =
            machines.poolSet("here", "bank.set", "20M", "near copy.set", "far copy.set");
    private final Path far = machines.machine("far").resolve("copy.part0");

    @BeforeEach
    void writeTargets() {
        machines.poolSet("near", "copy.set", "20M");
        machines.poolSet("far", "copy.set", "20M");
    }

    @AfterEach
    void endAll() {
        machines.close();
    }

    private ObjectPool open() throws Exception {
        return open(
                machines.settings()
                        .withPolicies(new ReplicaPolicies(ReplicaPolicy.DEGRADE, Map.of())));
    }

    private ObjectPool open(ReplicationSettings settings) throws Exception {
        Path alone = machines.here().resolve("alone.set");
        if (!Files.exists(alone)) {
            machines.write(alone, Files.readString(set).replaceAll("(?m)^REPLICA \\S.*\n", ""));
            ObjectPool.create(alone, LAYOUT).close();
        }
        return ClassPathReplicas.replacedBy(
                pool -> RemoteReplication.attach(pool, AttachOptions.NONE, settings),
                () -> ObjectPool.open(set, LAYOUT));
    }

    private static ReplicaStatus of(ObjectPool pool, int index) {
        return pool.replicas().get(index);
    }

    private static void awaitState(ObjectPool pool, int index, State state) {
        await().until(() -> of(pool, index).state() == state);
    }

    private void assertReplicasAreEqual() {
        PoolState here = PoolState.ofLocalCopies(set).get(0);
        for (String target : List.of("near", "far")) {
            PoolState there = PoolState.ofFile(machines.machine(target).resolve("copy.part0"));
            assertThat(there.withoutBlocks()).as(target).isEqualTo(here.withoutBlocks());
            assertThat(there.inconsistencies()).as(target).isEmpty();
        }
    }

    @Test
    void aTargetIsAwayForAWhileAndBackAndTheApplicationNoticesNothing() throws Exception {
        try (ObjectPool pool = open()) {
            ChangingObjects load = new ChangingObjects(pool, 800, 0);
            load.awaitMore(100);
            machines.takeDown("far");
            Machines.signal("KILL", machines.agentOf(far));
            awaitState(pool, 1, State.LOST);
            load.awaitMore(200);
            assertThat(of(pool, 1).reason()).isNotEmpty();
            assertThat(of(pool, 1).lagBytes()).isPositive();
            machines.bringUp("far");
            awaitState(pool, 1, State.ATTACHED);
            load.awaitMore(200);
            load.end();
            assertThat(of(pool, 0).state()).isEqualTo(State.ATTACHED);
        }
        assertReplicasAreEqual();
    }

    /** Nobody can do without them, and nobody has to. */
    @Test
    void agentsAreKilledUnderLoadAndNoCommitThrows() throws Exception {
        Path near = machines.machine("near").resolve("copy.part0");
        try (ObjectPool pool = open(machines.settings().withCommitTimeout(Duration.ofMinutes(1)))) {
            long epoch = of(pool, 0).epoch();
            ChangingObjects load = new ChangingObjects(pool, 800, 0);
            for (int round = 0; round < 4; round++) {
                load.awaitMore(60);
                Machines.signal("KILL", machines.agentOf(round % 2 == 0 ? far : near));
            }
            load.awaitMore(60);
            load.end();
            assertThat(pool.replicas())
                    .allMatch(replica -> replica.state() == State.ATTACHED)
                    .allMatch(replica -> replica.epoch() == epoch);
        }
        assertReplicasAreEqual();
    }

    /** The agents are there all the time. */
    @Test
    void onlyDataConnectionsBreakAndNoCommitThrows() throws Exception {
        Cables cables = machines.useCables();
        try (ObjectPool pool = open(machines.settings().withCommitTimeout(Duration.ofMinutes(1)))) {
            long epoch = of(pool, 0).epoch();
            ChangingObjects load = new ChangingObjects(pool, 800, 0);
            for (int round = 0; round < 2; round++) {
                load.awaitMore(60);
                assertThat(cables.breakData()).isPositive();
            }
            load.awaitMore(60);
            load.end();
            assertThat(pool.replicas())
                    .allMatch(replica -> replica.state() == State.ATTACHED)
                    .allMatch(replica -> replica.epoch() == epoch);
        }
        assertReplicasAreEqual();
    }

    @Test
    void bothTargetsAreLostAndThePoolIsOpenedWithoutThemAndTheyComeBack() throws Exception {
        try (ObjectPool pool = open()) {
            ChangingObjects load = new ChangingObjects(pool, 800, 0);
            load.awaitMore(50);
            machines.takeDown("near");
            machines.takeDown("far");
            Machines.signal("KILL", machines.agentOf(far));
            Machines.signal(
                    "KILL", machines.agentOf(machines.machine("near").resolve("copy.part0")));
            awaitState(pool, 0, State.LOST);
            awaitState(pool, 1, State.LOST);
            load.awaitMore(100);
            load.end();
        }
        try (ObjectPool pool = open()) {
            assertThat(pool.replicas()).allMatch(replica -> replica.state() == State.LOST);
            ChangingObjects load = new ChangingObjects(pool, 800, 0);
            load.awaitMore(100);
            machines.bringUp("near");
            machines.bringUp("far");
            awaitState(pool, 0, State.ATTACHED);
            awaitState(pool, 1, State.ATTACHED);
            load.awaitMore(50);
            load.end();
        }
        assertReplicasAreEqual();
        assertThat(machines.here().toFile().list((d, name) -> name.endsWith(".dirty"))).isEmpty();
    }

    @Test
    void syncBringsUpWhatWasLeftOut() throws Exception {
        try (ObjectPool pool = open()) {
            machines.takeDown("far");
            Machines.signal("KILL", machines.agentOf(far));
            awaitState(pool, 1, State.LOST);
            ChangingObjects load = new ChangingObjects(pool, 800, 0);
            load.awaitMore(50);
            load.end();
        }
        machines.bringUp("far");
        assertThat(machines.farheap("sync", set.toString()).start().waitFor()).isZero();
        assertReplicasAreEqual();
        assertThat(machines.here().toFile().list((d, name) -> name.endsWith(".dirty"))).isEmpty();
    }

    /** Nobody ends it from outside; the agent that comes after it does, and commits only pause. */
    @ParameterizedTest
    @EnumSource(names = {"FAIL", "DEGRADE"})
    void anAgentThatIsStoppedIsReplacedByTheNext(ReplicaPolicy policy) throws Exception {
        machines.letAgentsOutliveTheirShell();
        ReplicationSettings settings =
                machines.settings()
                        .withCommitTimeout(Duration.ofMinutes(1))
                        .withPolicies(new ReplicaPolicies(policy, Map.of()));
        try (ObjectPool pool = open(settings)) {
            ChangingObjects load = new ChangingObjects(pool, 800, 0);
            load.awaitMore(50);
            ProcessHandle agent = machines.agentOf(far);
            Machines.signal("STOP", agent);
            await().until(() -> Machines.hasEnded(agent));
            awaitState(pool, 1, State.ATTACHED);
            load.awaitMore(50);
            load.end();
            await().untilAsserted(
                            () ->
                                    assertThat(machines.agentOf(far).pid())
                                            .isNotEqualTo(agent.pid()));
        }
        assertReplicasAreEqual();
    }
}
