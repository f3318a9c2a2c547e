package io.farheap.it.typed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.it.support.Machines;
import io.farheap.it.system.Load;
import io.farheap.it.system.PoolState;
import io.farheap.it.system.ReplicaCopy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/**
 * Kills a program with typed objects, or the agent of its replica and then the program, at random
 * moments, over and over with one pool. After each kill the replica is promoted as if it were all
 * that is left, and opened with the same classes: it has every transaction that returned, and at
 * most the one besides that each thread had under way. So has the local pool when the next program
 * opens it. With a disk journal there is no replica, and the local pool alone is looked at.
 */
final class TypedKills implements AutoCloseable {
    private static final int THREADS = 2;
    private static final String SIZE = "24M";
    private static final Duration BOUND = Duration.ofSeconds(60);

    private enum Victim {
        PROGRAM,
        AGENT_FIRST,
        AGENT_LAST
    }

    private final long seed;
    private final Random random;
    private final boolean hasJournal;
    private final Machines machines;
    private final Path set;
    private final List<Victim> victims = new ArrayList<>();

    /** By thread, what had returned when the program was killed; null: it was not yet. */
    private long[] returned;

    private long transactions;
    private long ahead;

    /**
     * @param hasJournal a disk journal, and no replica
     */
    TypedKills(long seed, boolean hasJournal) {
        this.seed = seed;
        this.random = new Random(seed);
        this.hasJournal = hasJournal;
        this.machines = hasJournal ? Machines.with() : Machines.with("there");
        if (hasJournal) {
            machines.set("FARHEAP_DURABILITY", "journal");
            set = machines.poolSet("here", "pool.set", SIZE);
        } else {
            machines.configure("there", "journal-size = 1M", "heartbeat-bound = 20000");
            machines.set("FARHEAP_ATTACH_TIMEOUT", "120s");
            machines.set("FARHEAP_COMMIT_TIMEOUT", "20s");
            machines.poolSet("there", "copy.set", SIZE);
            set = machines.poolSet("here", "pool.set", SIZE, "there copy.set");
        }
    }

    void run(int rounds) {
        for (int round = 1; round <= rounds; round++) {
            Victim victim = hasJournal ? Victim.PROGRAM : nextVictim();
            try {
                round(victim);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError(
                        "seed %d, %s, round %d, %s"
                                .formatted(seed, hasJournal ? "journal" : "replica", round, victim),
                        e);
            }
        }
    }

    String summary() {
        return "%d transactions had returned, %d more were found".formatted(transactions, ahead);
    }

    /** Any, but none much more often than another. */
    private Victim nextVictim() {
        if (victims.isEmpty()) {
            victims.addAll(List.of(Victim.values()));
            Collections.shuffle(victims, random);
        }
        return victims.remove(0);
    }

    private void round(Victim victim) {
        Load load = Load.start(machines, TypedBankProgram.class, set, seed, THREADS);
        long unused = load.awaitOpenWith(returned);
        load.go();
        load.awaitCommits(2 + random.nextInt(60));
        LockSupport.parkNanos(random.nextInt(60_000_000)); // the kill's moment is any
        if (victim == Victim.AGENT_FIRST) {
            machines.takeDown("there");
            machines.killAll("there");
        }
        load.kill();
        if (victim == Victim.AGENT_LAST) {
            machines.takeDown("there");
            machines.killAll("there");
        }
        returned = load.acknowledged();
        if (hasJournal) {
            try (TypedBank bank = TypedBank.open(set, seed, THREADS)) {
                check(bank.assertWhole());
            }
        } else {
            await("the end of the agent").atMost(BOUND).until(() -> !machines.isBusy("there"));
            checkReplica();
        }
        if (victim != Victim.PROGRAM) {
            machines.bringUp("there");
        }
    }

    private void checkReplica() {
        Path part = machines.machine("there").resolve("copy.part0");
        try (ReplicaCopy copy = ReplicaCopy.of(part)) {
            var unused = copy.promote();
            assertThat(copy.state().inconsistencies()).as("heap walk of the replica").isEmpty();
            try (TypedBank bank = TypedBank.open(copy.set(), seed, THREADS)) {
                check(bank.assertWhole());
            }
        }
    }

    private void check(long[] found) {
        for (int thread = 0; thread < THREADS; thread++) {
            assertThat(found[thread])
                    .as("transactions of thread %d, of which the last that returned counts", thread)
                    .isBetween(returned[thread], returned[thread] + 1);
            ahead += found[thread] - returned[thread];
        }
        transactions = Arrays.stream(returned).sum();
    }

    /** Once more the local pool, with the last program's transactions. */
    void assertLocalIsWhole() {
        Load load = Load.start(machines, TypedBankProgram.class, set, seed, THREADS);
        long unused = load.awaitOpenWith(returned);
        load.close();
        assertThat(PoolState.ofFile(machines.here().resolve("pool.part0")).inconsistencies())
                .isEmpty();
    }

    @Override
    public void close() {
        machines.close();
    }
}
