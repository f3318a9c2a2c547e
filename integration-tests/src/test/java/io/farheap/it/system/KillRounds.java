package io.farheap.it.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.it.support.Machines;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/**
 * Kill -9 of the initiator, of the agent, of both, at random moments under load, and of the agent
 * of a program that does nothing, over and over with one pool: a lost machine costs nothing that
 * was acknowledged. The agent and its replica may be on another machine.
 */
public final class KillRounds {
    private static final String TARGET = "there";
    private static final int THREADS = 3;
    private static final long SLACK = 64 << 10;

    /** What an idle program may do that has its replica back before it gave the epoch up. */
    private static final String RESUMED = "goes on after record";

    private enum Victim {
        INITIATOR,
        AGENT,
        IDLE_AGENT,
        BOTH
    }

    private final long seed = new Random().nextLong() >>> 16;
    private final Random random = new Random(seed);
    private final int rounds;
    private final int slower;
    private final boolean hasJournal;
    private final Duration commitBound;
    private final Duration refusalBound;
    private final Duration reattachBound;
    private Machines machines;
    private ReplicaSite there;
    private Path local;
    private Path set;

    /** What opening the pool may send at most; negative: no statement. */
    private long mayBeSent = -1;

    /** By thread, what had returned when the program was killed; null: it was not yet. */
    private long[] returned;

    private long largestSent;
    private long undecided;

    /**
     * @param slower how many times slower than others the machine is
     */
    public KillRounds(int rounds, int slower) {
        this(rounds, slower, false);
    }

    /**
     * @param hasJournal whether the program's pool has a disk journal
     */
    KillRounds(int rounds, int slower, boolean hasJournal) {
        this.hasJournal = hasJournal;
        this.rounds = rounds;
        this.slower = slower;
        this.commitBound = Duration.ofSeconds(5L * slower);
        this.refusalBound = commitBound.multipliedBy(3);
        this.reattachBound = Duration.ofSeconds(60L * slower);
    }

    /** With both on this machine. */
    void run() {
        try (Machines used = Machines.with(TARGET)) {
            run(used, new ReplicaHere(used, used.machine(TARGET).resolve("copy.part0")));
        }
    }

    /**
     * Runs them.
     *
     * @param used with the target "there"
     * @param site where that has its replica {@code copy.part0}
     */
    public void run(Machines used, ReplicaSite site) {
        System.out.println("KillRounds: seed " + seed + (hasJournal ? ", disk journal" : ""));
        machines = used;
        there = site;
        if (hasJournal) {
            machines.set("FARHEAP_DURABILITY", "journal");
        }
        machines.set("FARHEAP_COMMIT_TIMEOUT", commitBound.toMillis() + "ms");
        machines.set("FARHEAP_ATTACH_TIMEOUT", 30 * slower + "s");
        machines.set("FARHEAP_HEARTBEAT", slower + "s");
        machines.configure(TARGET, "journal-size = 1M", "heartbeat-bound = " + 5000 * slower);
        machines.poolSet(TARGET, "copy.set", "64M");
        set = machines.poolSet("here", "pool.set", "64M", TARGET + " copy.set");
        local = machines.here().resolve("pool.part0");
        List<Victim> victims = victims();
        Load load = null;
        for (int round = 1; round <= rounds; round++) {
            Victim victim = victims.get(round - 1);
            try {
                load = round(load, victim);
            } catch (AssertionError | RuntimeException | IOException e) {
                throw new AssertionError("seed %d, round %d, %s".formatted(seed, round, victim), e);
            }
            if (Machines.overRdma()) { // in a machine that may end without a summary
                System.out.println("round " + round + ": " + victim);
            }
        }
        if (load != null) {
            load.kill();
        }
        System.out.println(
                "KillRounds: %d rounds, at most %d bytes sent to bring it back, %d bytes undecided in all"
                        .formatted(rounds, largestSent, undecided));
    }

    /** As many of each kind, in any order. */
    private List<Victim> victims() {
        List<Victim> victims = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            victims.add(Victim.values()[round % Victim.values().length]);
        }
        Collections.shuffle(victims, random);
        return victims;
    }

    /** Returns the load that goes on, or null. */
    private Load round(Load running, Victim victim) throws IOException {
        Load load = running == null ? open() : running;
        load.awaitCommits(3);
        LockSupport.parkNanos(random.nextInt(150_000_000)); // the kill's moment is any
        long agent = there.agent();
        switch (victim) {
            case INITIATOR -> {
                load.kill();
                awaitEnd(agent);
                checkAlone(load);
                returned = load.acknowledged();
                return null;
            }
            case BOTH -> {
                killBoth(load, agent);
                checkAlone(load);
                returned = load.acknowledged();
                return null;
            }
            case IDLE_AGENT -> {
                killIdleAgent(load, agent);
                return load;
            }
            default -> {
                killAgent(load, agent);
                return load;
            }
        }
    }

    private Load open() throws IOException {
        Load load = Load.start(machines, set, seed, THREADS);
        long sent = load.awaitOpenWith(returned);
        if (mayBeSent >= 0) {
            assertThat(sent).as("bytes sent to bring the replica back").isLessThan(mayBeSent);
            largestSent = Math.max(largestSent, sent);
            assertThat(there.state())
                    .as("the replica against the local pool")
                    .isEqualTo(localState().toString());
        }
        if (Machines.overRdma()) { // where the files are on DAX, or on what is trusted like it
            assertThat(load.timesLogged("over RDMA")).as("attached over RDMA").isPositive();
            assertThat(load.domain()).as("the pool's persistence domain").isEqualTo(domain());
        }
        load.go();
        return load;
    }

    private String domain() {
        if (hasJournal) {
            return "JOURNAL";
        }
        return Machines.isTrusted() ? "FORCED" : "DAX";
    }

    private void killBoth(Load load, long agent) throws IOException {
        if (random.nextBoolean()) {
            Machines.signal("KILL", load.process());
            there.kill(agent);
        } else {
            there.kill(agent);
            Machines.signal("KILL", load.process());
        }
        awaitEnd(agent);
        load.awaitEnd();
    }

    /** The program goes on: what it may, says what it must, and commits again in the same run. */
    private void killAgent(Load load, long agent) throws IOException {
        machines.takeDown(TARGET);
        long begin = System.nanoTime();
        there.kill(agent);
        load.awaitTrouble();
        assertThat(Duration.ofNanos(System.nanoTime() - begin))
                .as("until commits fail")
                .isLessThan(refusalBound);
        awaitEnd(agent);
        assertThat(load.lastWords())
                .allSatisfy(
                        words ->
                                assertThat(words)
                                        .startsWith("refused ")
                                        .containsAnyOf(
                                                "no commits while a replica is missing",
                                                "commits are refused until the replica there"
                                                        + " copy.set is back"));
        bringBack(load);
    }

    /** Nobody commits, so that the agent has passed even the empty records. */
    private void killIdleAgent(Load load, long agent) throws IOException {
        long unused = load.pause();
        LockSupport.parkNanos(100_000_000 + random.nextInt(150_000_000));
        machines.takeDown(TARGET);
        there.kill(agent);
        awaitEnd(agent);
        bringBack(load);
    }

    /** The run goes on, with what the replica has; little is sent to bring it back. */
    private void bringBack(Load load) throws IOException {
        checkAlone(load);
        long before = load.pause();
        long lost = there.epochs().current();
        long resumed = load.timesLogged(RESUMED);
        machines.bringUp(TARGET);
        await().alias("the replica is a member again")
                .pollInterval(Duration.ofMillis(2))
                .atMost(reattachBound)
                .until(() -> isMemberOfAnotherEpoch(lost) || load.timesLogged(RESUMED) > resumed);
        long sent = load.pause() - before;
        assertThat(sent).as("bytes sent to bring the replica back").isLessThan(mayBeSent);
        largestSent = Math.max(largestSent, sent);
        load.go();
        load.awaitCommits(2);
        long unused = load.pause();
        await().pollInterval(Duration.ofMillis(5))
                .untilAsserted(
                        () ->
                                assertThat(there.stateWithoutBlocks())
                                        .isEqualTo(localState().withoutBlocks().toString()));
        load.go();
    }

    private PoolState localState() {
        return hasJournal ? PoolState.ofJournaled(local) : PoolState.ofFile(local);
    }

    private boolean isMemberOfAnotherEpoch(long lost) throws IOException {
        ReplicaSite.Epochs epochs = there.epochs();
        return epochs.current() != lost && epochs.next() == 0;
    }

    private void checkAlone(Load load) throws IOException {
        long[] acknowledged = load.acknowledged();
        ReplicaSite.Alone alone = there.promoteCopy(seed, THREADS);
        undecided += alone.undecided();
        mayBeSent = alone.undecided() + SLACK;
        for (int t = 0; t < THREADS; t++) {
            assertThat(alone.found()[t])
                    .as("transactions of thread %d", t)
                    .isBetween(acknowledged[t], acknowledged[t] + 1);
        }
    }

    private void awaitEnd(long agent) {
        await().pollInterval(Duration.ofMillis(2)).until(() -> there.hasEnded(agent));
    }
}
