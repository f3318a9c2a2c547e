package io.farheap.it.breaks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.base.ReplicaPolicy;
import io.farheap.base.ReplicaStatus.State;
import io.farheap.it.support.Cables;
import io.farheap.it.support.Machines;
import io.farheap.it.system.Load;
import io.farheap.it.system.PoolState;
import io.farheap.it.system.ReplicaCopy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * A program under load with one replica, whose connections run through cables, and short bounds.
 * What the program was told as done is counted outside of it.
 */
final class BreakSite implements AutoCloseable {
    static final String TARGET = "there";
    static final String REPLICA = TARGET + " copy.set";
    static final Duration COMMIT_TIMEOUT = Duration.ofSeconds(3);
    static final Duration ATTACH_TIMEOUT = Duration.ofSeconds(10);

    /** For a busy machine: what is added to the bounds that settings give. */
    static final Duration MARGIN = Duration.ofSeconds(15);

    private static final int THREADS = 2;

    private final ReplicaPolicy policy;
    private final long seed = new Random().nextLong() >>> 16;
    private final Machines machines = Machines.with(TARGET);
    private final Cables cables = machines.useCables(new Random(seed));
    private final Path set;
    private final Path local = machines.here().resolve("pool.part0");
    private final Path replica = machines.machine(TARGET).resolve("copy.part0");
    private Load load;
    private int logged;

    BreakSite(ReplicaPolicy policy) {
        this.policy = policy;
        machines.poolSet(TARGET, "copy.set", "64M");
        set = machines.poolSet("here", "pool.set", "64M", REPLICA);
        machines.set("FARHEAP_POLICY", policy.name().toLowerCase(Locale.ROOT))
                .set("FARHEAP_DATA", "ssh")
                .set("FARHEAP_COMMIT_TIMEOUT", COMMIT_TIMEOUT.toMillis() + "ms")
                .set("FARHEAP_ATTACH_TIMEOUT", ATTACH_TIMEOUT.toMillis() + "ms")
                .set("FARHEAP_RETRY_PAUSE", "200ms");
        start();
    }

    boolean goesOn() {
        return policy == ReplicaPolicy.DEGRADE;
    }

    Machines machines() {
        return machines;
    }

    Cables cables() {
        return cables;
    }

    Load load() {
        return load;
    }

    long seed() {
        return seed;
    }

    /** Starts the program; returns what opening sent to the replica. */
    final long start() {
        load = Load.start(machines, set, seed, THREADS);
        long sent = load.awaitOpen();
        load.go();
        load.awaitCommits(2);
        logged = 0;
        return sent;
    }

    /** Kills the program; returns what it was told of as done. */
    long[] kill() {
        load.kill();
        return load.acknowledged();
    }

    /** From now on what was said before is old. */
    void forget() {
        load.forgetComplaints();
        var unused = load.replicas(); // the slowest commit until now
        logged = load.logged().size();
    }

    /** Waits for the log line that says that the replica is lost, and why. */
    void awaitLost(String... anyOf) {
        awaitLogged(List.of("replica " + REPLICA + " is LOST: "), anyOf);
    }

    /** The same, or that its connection is made again, which may be all that is needed. */
    void awaitNoticed(Runnable meanwhile, String... anyOf) {
        String begin = "replica " + REPLICA;
        awaitLogged(meanwhile, List.of(begin + " is LOST: ", begin + " is reached again: "), anyOf);
    }

    /** The same, of the copy that brings it up to date, and why it is as it is. */
    void awaitSyncing(String why) {
        awaitLogged(List.of("replica " + REPLICA + " is SYNCING: "), why);
    }

    private void awaitLogged(List<String> begin, String... anyOf) {
        awaitLogged(() -> {}, begin, anyOf);
    }

    private void awaitLogged(Runnable meanwhile, List<String> begin, String... anyOf) {
        await("the log line about the break, seed " + seed)
                .pollInterval(Duration.ofMillis(10))
                .untilAsserted(
                        () -> {
                            meanwhile.run();
                            assertThat(newLines())
                                    .anySatisfy(
                                            line ->
                                                    assertThat(line)
                                                            .containsAnyOf(
                                                                    begin.toArray(String[]::new))
                                                            .containsAnyOf(anyOf));
                        });
    }

    private List<String> newLines() {
        List<String> lines = load.logged();
        return lines.subList(Math.min(logged, lines.size()), lines.size());
    }

    /** What the application sees while the replica is away. */
    void assertAway() {
        if (goesOn()) {
            load.awaitCommits(3);
            assertThat(load.complaints()).as("what the application was told").isEmpty();
            return;
        }
        load.awaitWords(REPLICA);
        assertThat(load.complaints())
                .allSatisfy(
                        words ->
                                assertThat(words)
                                        .containsAnyOf(
                                                "whether the replica " + REPLICA + " has it",
                                                "the journal of " + REPLICA + " had no room within",
                                                "commits are refused until the replica " + REPLICA,
                                                "no commits while a replica is missing"));
    }

    /**
     * Waits until the replica is current again; then nothing is missing and nothing is half, here
     * and there, and the application noticed what its policy says.
     */
    void assertCurrentAgain() {
        Load.Shown shown = load.awaitState(0, State.ATTACHED);
        assertThat(shown.nextStep()).isEmpty();
        load.awaitCommits(3);
        if (goesOn()) {
            assertThat(load.complaints()).as("what the application was told").isEmpty();
            assertThat(shown.slowest())
                    .isLessThan(COMMIT_TIMEOUT.multipliedBy(2).plus(ATTACH_TIMEOUT).plus(MARGIN));
        }
        assertCopyIsRight();
        load.go();
    }

    /** Pauses the load, and looks at the copy as whoever has nothing else would. */
    private void assertCopyIsRight() {
        long unused = load.pause();
        Load.Shown shown = load.awaitState(0, State.ATTACHED); // a busy machine may lose it again
        assertThat(shown.lagBytes()).isZero();
        PoolState here = PoolState.ofFile(local).withoutBlocks();
        await("the replica is the pool, seed " + seed)
                .pollInterval(Duration.ofMillis(10))
                .untilAsserted(
                        () ->
                                assertThat(PoolState.ofFile(replica).withoutBlocks())
                                        .isEqualTo(here));
        try (ReplicaCopy copy = ReplicaCopy.of(replica)) {
            var promoted = copy.promote();
            assertThat(promoted.runId()).isPositive();
            assertThat(copy.assertWhole(seed, THREADS)).isEqualTo(load.acknowledged());
        }
    }

    @Override
    public void close() {
        machines.close();
    }
}
