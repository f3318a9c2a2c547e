package io.farheap.it.breaks;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.base.ReplicaPolicy;
import io.farheap.base.ReplicaStatus.State;
import io.farheap.it.support.Machines;
import io.farheap.it.system.Ledgers;
import io.farheap.it.system.Load;
import io.farheap.it.system.ReplicaCopy;
import io.farheap.replication.journal.ReplicaSlot;
import io.farheap.replication.journal.ReplicaState;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/**
 * One pool with three replicas, each of a policy of its own, under a load that is killed over and
 * over, together with agents or instead of them; targets stay away for a while, so that the program
 * is also killed while it does without some of them. After each kill every copy that claims to be
 * current is promoted, as if it were the only one left, and must have every commit that returned;
 * the asynchronous one, whose agent is often stopped for a moment before, all but as much as its
 * settings allow. The program that is started then finds all of it in the local pool.
 */
final class MixedKills extends CopiesUnderFaults {
    private static final int THREADS = 2;
    private static final String SIZE = "64M";
    private static final int ROUNDS_UNTIL_ALL_ARE_BACK = 8;

    private static final int ROUNDS_UNTIL_TOLD = 20;

    private enum Victim {
        INITIATOR,
        AGENT,
        BOTH
    }

    private static final List<String> TARGETS = List.of("one", "two", "three");
    private static final List<ReplicaPolicy> POLICIES =
            List.of(ReplicaPolicy.FAIL, ReplicaPolicy.DEGRADE, ReplicaPolicy.ASYNC);
    private static final int ASYNC = POLICIES.indexOf(ReplicaPolicy.ASYNC);

    private static final int LAG_KIB = 32;
    private static final Duration LAG_TIME = Duration.ofSeconds(1);
    private static final Duration COMMIT_TIMEOUT = Duration.ofSeconds(10);

    private final long seed;
    private final Random random;
    private final Path set;
    private final boolean[] away = new boolean[TARGETS.size()];
    private final List<Victim> victims = new ArrayList<>();
    private Load load;

    /** By thread, what had returned when the program was killed; null: it was not yet. */
    private long[] returned;

    private int copiesExamined;
    private int copiesBehind;
    private int killedWhileDegraded;

    // Of the asynchronous copy.
    private final List<ProcessHandle> stopped = new ArrayList<>();
    private int stops;
    private int copiesLacking;
    private long mostLacking;
    private long mostBytesLacking;

    MixedKills(long seed) {
        super(TARGETS);
        this.seed = seed;
        this.random = new Random(seed);
        List<String> replicas = new ArrayList<>();
        StringBuilder policies = new StringBuilder();
        for (int i = 0; i < TARGETS.size(); i++) {
            machines.poolSet(TARGETS.get(i), "copy.set", SIZE);
            machines.configure(TARGETS.get(i), "journal-size = 1M", "heartbeat-bound = 20000");
            String replica = TARGETS.get(i) + " copy.set";
            replicas.add(replica);
            policies.append("policy " + replica + " = " + word(POLICIES.get(i)) + "\n");
        }
        set = machines.poolSet("here", "pool.set", SIZE, replicas.toArray(String[]::new));
        machines.write(
                machines.here().resolve("pool.set.replication"),
                policies
                        + "commit-timeout = %ds\nlag-time = %ds\nlag-bytes = %dK\n"
                                .formatted(
                                        COMMIT_TIMEOUT.toSeconds(), LAG_TIME.toSeconds(), LAG_KIB)
                        + "attach-timeout = 2m\nheartbeat = 2s\nretry-pause = 200ms\n");
        machines.letAgentsOutliveTheirShell();
    }

    private static String word(ReplicaPolicy policy) {
        return policy.name().toLowerCase(Locale.ROOT);
    }

    void run(int rounds) {
        for (int round = 1; round <= rounds; round++) {
            if (round % ROUNDS_UNTIL_TOLD == 1 && round > 1) {
                System.out.printf("MixedKills: %d rounds, %s%n", round - 1, summary());
            }
            Victim victim = nextVictim();
            int target = random.nextInt(TARGETS.size());
            try {
                round(victim, target);
                if (round % ROUNDS_UNTIL_ALL_ARE_BACK == 0 || round == rounds) {
                    awaitAllTheSame();
                }
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError(
                        "seed %d, round %d, %s, %s, away %s"
                                .formatted(
                                        seed,
                                        round,
                                        victim,
                                        TARGETS.get(target),
                                        Arrays.toString(away)),
                        e);
            }
        }
    }

    /** Any, but none much more often than another. */
    private Victim nextVictim() {
        if (victims.isEmpty()) {
            victims.addAll(List.of(Victim.values()));
            Collections.shuffle(victims, random);
        }
        return victims.remove(0);
    }

    String summary() {
        return ("%d copies that claimed to be current were whole, %d didn't claim it; killed %d times"
                        + " while one was away; the asynchronous one (its agent was stopped %d"
                        + " times) lacked something %d times, at most %d commits, %d bytes of %d;"
                        + " no other lacked any")
                .formatted(
                        copiesExamined,
                        copiesBehind,
                        killedWhileDegraded,
                        stops,
                        copiesLacking,
                        mostLacking,
                        mostBytesLacking,
                        LAG_KIB << 10);
    }

    private void round(Victim victim, int target) {
        bringSomeBack();
        startUnlessItRuns();
        load.awaitCommits(2);
        stopAsyncAgent();
        LockSupport.parkNanos(random.nextInt(120_000_000)); // the kill's moment is any
        if (victim == Victim.AGENT) {
            killAgent(target);
            if (random.nextBoolean()) { // else the program has it replaced
                goOn("CONT");
            }
        } else {
            killInitiator(victim == Victim.BOTH ? target : -1);
        }
        // Without this one there are no commits.
        if (POLICIES.get(target) == ReplicaPolicy.FAIL) {
            bringUp(target);
        }
    }

    private void startUnlessItRuns() {
        if (load == null) {
            load = Load.start(machines, set, seed, THREADS);
            long unused = load.awaitOpenWith(returned);
            load.go();
        }
    }

    /** Every other time: it falls behind then. */
    private void stopAsyncAgent() {
        boolean member = hasSlot(ASYNC) && slot(ASYNC).cur() == localNumber();
        if (away[ASYNC] || !member || random.nextBoolean()) {
            return;
        }
        machines.anyAgentOf(part(ASYNC))
                .ifPresent(
                        agent -> {
                            Machines.signal("STOP", agent);
                            stopped.add(agent);
                            stops++;
                        });
    }

    private void goOn(String signal) {
        for (ProcessHandle agent : stopped) {
            if (agent.isAlive()) {
                Machines.signal(signal, agent);
            }
        }
        stopped.clear();
    }

    private void bringSomeBack() {
        for (int i = 0; i < TARGETS.size(); i++) {
            if (away[i] && random.nextBoolean()) {
                bringUp(i);
            }
        }
    }

    private void takeDown(int target) {
        machines.takeDown(TARGETS.get(target));
        away[target] = true;
    }

    private void bringUp(int target) {
        if (away[target]) {
            machines.bringUp(TARGETS.get(target));
            away[target] = false;
        }
    }

    /** The program goes on; what it has been told as done by now is in the copy it leaves. */
    private void killAgent(int target) {
        long[] acknowledged = load.acknowledged();
        long number = localNumber();
        long lagBegin = oldestLag();
        takeDown(target);
        machines.killAll(TARGETS.get(target));
        if (hasSlot(target) && slot(target).cur() == number) {
            examine(target, acknowledged, load.acknowledgedBy(lagBegin), Long.MAX_VALUE);
        } else {
            copiesBehind++;
        }
    }

    /** What had returned by then is on every copy that claims to be current. */
    private static long oldestLag() {
        return System.nanoTime() - LAG_TIME.plus(COMMIT_TIMEOUT).toNanos();
    }

    private void killInitiator(int alsoTarget) {
        for (boolean one : away) {
            killedWhileDegraded += one ? 1 : 0;
        }
        boolean agentFirst = alsoTarget >= 0 && random.nextBoolean();
        if (agentFirst) {
            takeDown(alsoTarget);
            machines.killAll(TARGETS.get(alsoTarget));
        }
        long lagBegin = oldestLag();
        load.kill();
        // What it has not read yet it reads, or it is lost.
        goOn(random.nextBoolean() ? "CONT" : "KILL");
        if (alsoTarget >= 0 && !agentFirst) {
            takeDown(alsoTarget);
            machines.killAll(TARGETS.get(alsoTarget));
        }
        for (int i = 0; i < TARGETS.size(); i++) {
            awaitNoAgent(i);
        }
        long number = localNumber();
        long[] acknowledged = load.acknowledged();
        for (int i = 0; i < TARGETS.size(); i++) {
            boolean claims = hasSlot(i) && claims(slot(i), number);
            assertThat(claims || POLICIES.get(i) != ReplicaPolicy.FAIL)
                    .as("%s, without which nothing returns, has it all", TARGETS.get(i))
                    .isTrue();
            if (claims) {
                examine(i, acknowledged, load.acknowledgedBy(lagBegin), 1);
            } else {
                copiesBehind++;
            }
        }
        returned = acknowledged;
        load = null;
    }

    private static boolean claims(ReplicaSlot slot, long number) {
        return slot.state() == ReplicaState.INSYNC && slot.cur() == number
                || slot.next() != 0 && slot.next() == number;
    }

    /**
     * @param acknowledged what had returned
     * @param oldAcknowledged what had returned so long ago that no copy may lack it
     */
    private void examine(int target, long[] acknowledged, long[] oldAcknowledged, long unfinished) {
        copiesExamined++;
        boolean mayLag =
                POLICIES.get(target) == ReplicaPolicy.ASYNC
                        && slot(target).mayLag()
                        && slot(target).cur() == slot(target).journalEpoch();
        try (ReplicaCopy copy = ReplicaCopy.of(part(target))) {
            var unused = copy.promote();
            long[] found = copy.assertWhole(seed, THREADS);
            for (int t = 0; t < THREADS; t++) {
                assertThat(found[t])
                        .as("transactions of thread %d on %s", t, TARGETS.get(target))
                        .isGreaterThanOrEqualTo(mayLag ? oldAcknowledged[t] : acknowledged[t]);
                assertThat(found[t] - acknowledged[t])
                        .as("transactions of thread %d on %s", t, TARGETS.get(target))
                        .isLessThanOrEqualTo(unfinished);
            }
            if (mayLag) {
                assertLackIsAllowed(found, acknowledged);
            }
        }
    }

    private void assertLackIsAllowed(long[] found, long[] acknowledged) {
        long lacking = 0;
        long bytes = 0;
        for (int t = 0; t < THREADS; t++) {
            if (found[t] < acknowledged[t]) {
                lacking += acknowledged[t] - found[t];
                // Of the first of each thread a part may be there.
                bytes += Ledgers.bytes(seed, t, found[t] + 1, acknowledged[t]);
            }
        }
        assertThat(bytes)
                .as("bytes of %d commits that the asynchronous copy lacks", lacking)
                .isLessThanOrEqualTo((long) LAG_KIB << 10);
        copiesLacking += lacking > 0 ? 1 : 0;
        mostLacking = Math.max(mostLacking, lacking);
        mostBytesLacking = Math.max(mostBytesLacking, bytes);
    }

    /** Nobody is away any more: soon all copies are one. */
    private void awaitAllTheSame() {
        for (int i = 0; i < TARGETS.size(); i++) {
            bringUp(i);
        }
        startUnlessItRuns();
        for (int i = 0; i < TARGETS.size(); i++) {
            var unused = load.awaitState(i, State.ATTACHED);
        }
        load.awaitCommits(2);
        long unused = load.pause();
        awaitAllArePool();
        load.go();
    }
}
