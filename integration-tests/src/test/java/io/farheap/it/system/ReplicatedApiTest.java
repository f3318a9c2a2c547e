package io.farheap.it.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.ObjectPool;
import io.farheap.engine.ClassPathReplicas;
import io.farheap.it.support.Machines;
import io.farheap.replication.RemoteReplication;
import io.farheap.replication.config.AttachOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever the API has: a local replica and one on another machine have it, too. */
@Timeout(200)
class ReplicatedApiTest {
    private static final int TOURS = 2;
    private static final int MOST_STEPS = 100;
    private static final String SIZE = "24M";
    private static final Duration BOUND = Duration.ofSeconds(20);

    private final long seed = new Random().nextLong() >>> 16;
    private final Random random = new Random(seed);
    private final Machines machines = Machines.with("there");
    private final Path set = machines.here().resolve("pool.set");
    private final Path alone = machines.here().resolve("alone.set");
    private final Path local = machines.here().resolve("pool.part0");
    private final Path mirror = machines.here().resolve("mirror.part0");
    private final Path remote = machines.machine("there").resolve("copy.part0");

    /** With a local replica there are paths that a remote one alone does not take. */
    private void create(boolean mirrored) throws IOException {
        machines.poolSet("there", "copy.set", SIZE);
        String here = "PMEMPOOLSET\n%s %s\n".formatted(SIZE, local);
        if (mirrored) {
            here += "REPLICA\n%s %s\n".formatted(SIZE, mirror);
        }
        machines.write(set, here + "REPLICA there copy.set\n");
        machines.write(alone, here);
        ObjectPool.create(alone, ApiTour.LAYOUT).close();
    }

    @AfterEach
    void endAll() {
        machines.close();
    }

    private ObjectPool open() {
        return ClassPathReplicas.replacedBy(
                pool -> RemoteReplication.attach(pool, AttachOptions.NONE, machines.settings()),
                () -> ObjectPool.open(set, ApiTour.LAYOUT));
    }

    @ParameterizedTest(name = "a local replica, too: {0}")
    @ValueSource(booleans = {true, false})
    void everyReplicaHasEveryStep(boolean mirrored) throws Exception {
        create(mirrored);
        try (ObjectPool pool = open()) {
            for (int tour = 0; tour < TOURS; tour++) {
                for (Map.Entry<String, Consumer<ObjectPool>> step : ApiTour.steps().entrySet()) {
                    step.getValue().accept(pool);
                    ApiTour.hurry(pool);
                    assertReplicasFollow(pool, step.getKey());
                }
            }
        }
        assertEqualAtRest("after the close");
    }

    @Test
    void everyReplicaIsRightAfterAKill() throws Exception {
        create(true);
        long done = tourUntilKilled();
        assertReplicaAloneIsRight(done);
        assertReopened(done);
    }

    /** The pool is what the replica on the other machine has, and nothing else is left. */
    @Test
    @Tag("deep")
    void aPoolThatIsKilledAndLostComesBack() throws Exception {
        create(true);
        long done = tourUntilKilled();
        Files.delete(local);
        Files.delete(mirror);
        assertThat(machines.farheap("sync", set.toString()).start().waitFor()).isZero();
        assertReopened(done);
    }

    private void assertReopened(long done) {
        try (ObjectPool pool = open()) {
            assertThat(ApiTour.steps(pool)).as("seed %d", seed).isBetween(done, done + 1);
        }
        assertEqualAtRest("after %d steps and a kill, seed %d".formatted(done, seed));
    }

    /** Another process goes round and is killed, any number of steps later. */
    private long tourUntilKilled() throws IOException, InterruptedException {
        Process process = machines.java(ApiTour.class, set.toString()).start();
        long done = 0;
        try (BufferedReader lines = process.inputReader()) {
            for (int left = 1 + random.nextInt(MOST_STEPS); left > 0; left--) {
                done = Long.parseLong(lines.readLine());
            }
            ProcessHandle agent = machines.agentOf(remote);
            LockSupport.parkNanos(random.nextInt(3_000_000)); // somewhere in a step
            Machines.signal("KILL", process.toHandle());
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                done = Long.parseLong(line);
            }
            await().pollInterval(Duration.ofMillis(2)).until(() -> Machines.hasEnded(agent));
        }
        assertThat(process.waitFor()).as("killed, seed %d", seed).isEqualTo(128 + 9);
        return done;
    }

    // ---- what must be equal ----

    /** The agent stores what has been committed in its own time. */
    private void assertReplicasFollow(ObjectPool pool, String step) {
        assertThat(pool.check(ListTour.lists()).inconsistencies()).as(step).isEmpty();
        PoolState expected = PoolState.ofFile(local);
        assertThat(expected.inconsistencies()).as(step).isEmpty();
        if (Files.exists(mirror)) {
            assertThat(PoolState.ofFile(mirror)).as("local replica, %s", step).isEqualTo(expected);
        }
        await().alias("remote replica, " + step)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .atMost(BOUND)
                .untilAsserted(
                        () ->
                                assertThat(PoolState.ofFile(remote).withoutBlocks())
                                        .isEqualTo(expected.withoutBlocks()));
    }

    /** Nobody has the pool open: its own check of each copy finds nothing, either. */
    private void assertEqualAtRest(String when) {
        List<PoolState> copies = PoolState.ofLocalCopies(set);
        assertThat(copies).as(when).hasSize(Files.exists(mirror) ? 2 : 1);
        assertThat(copies).as("local replica, %s", when).containsOnly(copies.get(0));
        assertThat(PoolState.ofFile(remote).withoutBlocks())
                .as("remote replica, %s", when)
                .isEqualTo(copies.get(0).withoutBlocks());
        for (Path copy : List.of(alone, remoteSet())) {
            assertThat(ObjectPool.check(copy, ApiTour.LAYOUT, ListTour.lists()).inconsistencies())
                    .as("%s, %s", copy, when)
                    .isEmpty();
        }
    }

    private Path remoteSet() {
        return remote.resolveSibling("copy.set");
    }

    /** As if the other machine were lost: the replica is a pool, and has every step. */
    private void assertReplicaAloneIsRight(long done) {
        String when = "killed after %d steps, seed %d".formatted(done, seed);
        try (ReplicaCopy copy = ReplicaCopy.of(remote)) {
            copy.promote();
            assertThat(copy.state().inconsistencies()).as(when).isEmpty();
            try (ObjectPool pool = ObjectPool.open(copy.set(), ApiTour.LAYOUT)) {
                assertThat(pool.check(ListTour.lists()).inconsistencies()).as(when).isEmpty();
                assertThat(ApiTour.steps(pool)).as(when).isBetween(done, done + 1);
            }
        }
    }
}
