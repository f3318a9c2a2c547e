package io.farheap.it.breaks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.base.ReplicaStatus.State;
import io.farheap.it.support.Agreement;
import io.farheap.it.support.Cables;
import io.farheap.it.support.Cables.Lane;
import io.farheap.it.support.Machines;
import io.farheap.it.support.SystemFaults;
import io.farheap.it.system.Load;
import io.farheap.it.system.ReplicaCopy;
import io.farheap.replication.journal.ReplicaSlot;
import io.farheap.replication.journal.ReplicaState;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/**
 * One pool with two replicas under load, real processes, and one fault after another: whoever of
 * them is killed, stopped, cut off, told garbage, slow, without room on its disk, or told that a
 * write failed. After each, and whatever it was: when all is well again the pool and both replicas
 * are one, with every transaction that returned; and each time the program dies, every copy that
 * claims to be current has them, promoted as if it were the only one left. Besides, a replica is
 * promoted while the program is stopped, which is woken then.
 */
final class FaultRounds extends CopiesUnderFaults {
    /** A run of many says how far it is. */
    private static final int REPORTED = 50;

    private static final int THREADS = 2;
    private static final String SIZE = "64M";
    private static final List<String> TARGETS = List.of("one", "two");
    private static final Duration COMMIT_TIMEOUT = Duration.ofSeconds(3);
    private static final Duration BACK_BOUND = Duration.ofSeconds(60);

    /** Room for what is there, and none for a file that is made. */
    private static final long NO_ROOM = 4096;

    enum Fault {
        PROGRAM_KILLED,
        AGENT_KILLED,
        BOTH_AGENTS_KILLED,
        PROGRAM_STOPPED,
        AGENT_STOPPED,
        NETWORK_CUT,
        DATA_CONNECTIONS_BROKEN,
        BIT_FLIPPED,
        NETWORK_SLOW,
        NO_ROOM_HERE,
        NO_ROOM_THERE,
        WRITE_FAILS_HERE,
        WRITE_FAILS_THERE,
        TAKEN_OVER_WHILE_STOPPED
    }

    private final long seed;
    private final Random random;
    private final Cables cables;
    private final Path set;
    private final List<Fault> faults = new ArrayList<>();
    private final Map<Fault, Integer> done = new EnumMap<>(Fault.class);
    private int copiesExamined;
    private int programsEnded;
    private Load load;

    /** By thread, what had returned when the program ended; null: it never did. */
    private long[] returned;

    FaultRounds(long seed) {
        super(TARGETS);
        this.seed = seed;
        this.random = new Random(seed);
        this.cables = machines.useCables(random);
        List<String> replicas = new ArrayList<>();
        for (String target : TARGETS) {
            machines.poolSet(target, "copy.set", SIZE);
            machines.configure(target, "journal-size = 1M", "heartbeat-bound = 4000");
            replicas.add(target + " copy.set");
        }
        set = machines.poolSet("here", "pool.set", SIZE, replicas.toArray(String[]::new));
        machines.write(
                machines.here().resolve("pool.set.replication"),
                "policy = degrade\ncommit-timeout = %ds\nattach-timeout = 10s\nheartbeat = 500ms\n"
                                .formatted(COMMIT_TIMEOUT.toSeconds())
                        + "retry-pause = 200ms\ndata = ssh\n");
    }

    void run(int rounds) {
        for (int round = 1; round <= rounds; round++) {
            Fault fault = next();
            int target = random.nextInt(TARGETS.size());
            try {
                startUnlessItRuns();
                load.awaitCommits(2);
                LockSupport.parkNanos(random.nextInt(100_000_000)); // any moment
                happen(fault, target);
                done.merge(fault, 1, Integer::sum);
                awaitAllTheSame(fault);
                if (round % REPORTED == 0) {
                    System.out.printf("FaultRounds: %d of %d rounds%n", round, rounds);
                }
            } catch (AssertionError | RuntimeException | IOException e) {
                throw new AssertionError(
                        "seed %d, round %d, %s, %s"
                                .formatted(seed, round, fault, TARGETS.get(target)),
                        e);
            }
        }
    }

    /** Any, but none much more often than another. */
    private Fault next() {
        if (faults.isEmpty()) {
            faults.addAll(List.of(Fault.values()));
            if (!SystemFaults.canFailWrites()) {
                faults.removeAll(List.of(Fault.WRITE_FAILS_HERE, Fault.WRITE_FAILS_THERE));
            }
            Collections.shuffle(faults, random);
        }
        return faults.remove(0);
    }

    String summary() {
        return "%s; the program ended %d times, %d copies that claimed to be current had all"
                .formatted(done, programsEnded, copiesExamined);
    }

    private void startUnlessItRuns() {
        if (load == null) {
            load = Load.start(machines, set, seed, THREADS);
            long unused = load.awaitOpenWith(returned);
            load.go();
        }
    }

    // ---- the faults ----

    private void happen(Fault fault, int target) throws IOException {
        switch (fault) {
            case PROGRAM_KILLED -> endProgram();
            case AGENT_KILLED -> killAgent(target);
            case BOTH_AGENTS_KILLED -> {
                killAgent(0);
                killAgent(1);
            }
            case PROGRAM_STOPPED -> stop(load.process());
            case AGENT_STOPPED -> stop(machines.agentOf(part(target)));
            case NETWORK_CUT -> {
                cables.cut();
                wander(2 * COMMIT_TIMEOUT.toMillis());
                cables.mend();
            }
            case DATA_CONNECTIONS_BROKEN -> {
                int unused = cables.breakData();
            }
            case BIT_FLIPPED -> {
                cables.garbleNext(Lane.values()[random.nextInt(Lane.values().length)]);
                wander(500);
                cables.garbleNothing();
            }
            case NETWORK_SLOW -> {
                cables.slowDown(random.nextLong(2 * COMMIT_TIMEOUT.toMillis()));
                wander(2 * COMMIT_TIMEOUT.toMillis());
                cables.mend();
            }
            case NO_ROOM_HERE -> withoutRoom(load.process(), target);
            case NO_ROOM_THERE -> withoutRoom(machines.agentOf(part(target)), target);
            case WRITE_FAILS_HERE -> failWrites(load.process());
            case WRITE_FAILS_THERE -> failWrites(machines.agentOf(part(target)));
            case TAKEN_OVER_WHILE_STOPPED -> takeOver(target);
        }
    }

    private void wander(long mostMillis) {
        LockSupport.parkNanos(random.nextLong(mostMillis * 1_000_000));
    }

    private void killAgent(int target) {
        machines.anyAgentOf(part(target)).ifPresent(agent -> Machines.signal("KILL", agent));
    }

    private void stop(ProcessHandle process) {
        Machines.signal("STOP", process);
        wander(2 * COMMIT_TIMEOUT.toMillis());
        if (process.isAlive() && !Machines.hasEnded(process)) {
            Machines.signal("CONT", process);
        }
    }

    /**
     * No file can grow or be made while a replica is lost: no dirty map, no status, no log. There
     * is room again when the next one is lost.
     */
    private void withoutRoom(ProcessHandle process, int target) {
        try (SystemFaults.Room unused = SystemFaults.limitFiles(process, NO_ROOM)) {
            lose(target);
            load.awaitCommits(2);
        }
        if (random.nextBoolean()) {
            lose(1 - target);
            load.awaitCommits(2);
            machines.bringUp(TARGETS.get(1 - target));
        }
        machines.bringUp(TARGETS.get(target));
    }

    /** For longer than the program waits for it. */
    private void lose(int target) {
        machines.killAll(TARGETS.get(target));
        await(TARGETS.get(target) + " is left out")
                .atMost(BACK_BOUND)
                .pollInterval(Duration.ofMillis(20))
                .until(() -> load.replicas().get(target).state() != State.ATTACHED);
    }

    private void failWrites(ProcessHandle process) {
        try (SystemFaults.Failing unused = SystemFaults.failWrites(process)) {
            wander(500);
            if (random.nextBoolean()) {
                killAgent(random.nextInt(TARGETS.size()));
            }
            wander(500);
        }
    }

    /**
     * Another machine takes a replica over while the program is stopped: the program changes
     * nothing of it any more. The replica is given back by the order that the program's log names.
     */
    private void takeOver(int target) throws IOException {
        Machines.signal("STOP", load.process());
        long[] acknowledged = load.acknowledged();
        machines.anyAgentOf(part(target)).ifPresent(agent -> Machines.signal("KILL", agent));
        awaitNoAgent(target);
        boolean claims = claims(slot(target), localNumber());
        if (claims) {
            examine(target, acknowledged);
        }
        Path there = machines.machine(TARGETS.get(target));
        String unused =
                end(
                        machines.farheap("promote", there.resolve("copy.set").toString())
                                .directory(there.toFile()),
                        0);
        ReplicaSlot promoted = slot(target);
        Machines.signal("CONT", load.process());
        var refused = load.awaitState(target, State.REFUSED);
        load.awaitCommits(2);
        assertThat(slot(target).cur()).as(refused.reason()).isEqualTo(promoted.cur());
        endProgram();
        takeBack(target);
    }

    /** Its commits may be there alone for all that the command knows: they are given up by name. */
    private void takeBack(int target) throws IOException {
        String replica = TARGETS.get(target) + " copy.set";
        String said = end(machines.farheap("sync", "--overwrite", replica, set.toString()), 2);
        String unused = end(machines.farheap(Agreement.words(said)), 0);
    }

    /** Waits until it ends with that exit code; returns what it said. */
    private static String end(ProcessBuilder command, int code) throws IOException {
        Machines.withoutCables(command);
        // How long an agent takes to start on a loaded machine is not what is looked at here.
        command.environment().put("FARHEAP_ATTACH_TIMEOUT", "60s");
        Process process = command.redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes());
        await().until(() -> !process.isAlive());
        assertThat(process.exitValue()).as(command.command() + " said " + said).isEqualTo(code);
        return said;
    }

    // ---- what must hold ----

    /** Kills it, and looks at the copies as whoever has nothing else would. */
    private void endProgram() {
        load.kill();
        ended();
    }

    private void ended() {
        programsEnded++;
        for (int i = 0; i < TARGETS.size(); i++) {
            awaitNoAgent(i);
        }
        returned = load.acknowledged();
        load = null;
        long number = localNumber();
        for (int i = 0; i < TARGETS.size(); i++) {
            if (hasSlot(i) && claims(slot(i), number)) {
                examine(i, returned);
            }
        }
    }

    private void examine(int target, long[] acknowledged) {
        copiesExamined++;
        try (ReplicaCopy copy = ReplicaCopy.of(part(target))) {
            var unused = copy.promote();
            long[] found = copy.assertWhole(seed, THREADS);
            for (int t = 0; t < THREADS; t++) {
                assertThat(found[t])
                        .as("transactions of thread %d on %s", t, TARGETS.get(target))
                        .isBetween(acknowledged[t], acknowledged[t] + 1);
            }
        }
    }

    private static boolean claims(ReplicaSlot slot, long number) {
        return slot.state() == ReplicaState.INSYNC && slot.cur() == number
                || slot.next() != 0 && slot.next() == number;
    }

    /** All is well again: soon all copies are one, and have what returned. */
    private void awaitAllTheSame(Fault after) {
        endIfItFailed();
        try {
            awaitAllTheSame();
        } catch (AssertionError e) {
            // A busy machine takes its time from the call that failed to the word that it did.
            if (after != Fault.WRITE_FAILS_HERE || !load.hasFailed()) {
                throw e;
            }
            endIfItFailed();
            awaitAllTheSame();
        }
    }

    private void endIfItFailed() {
        if (load != null && load.hasFailed()) {
            load.awaitEnd();
            ended();
        }
    }

    private void awaitAllTheSame() {
        startUnlessItRuns();
        for (int i = 0; i < TARGETS.size(); i++) {
            var unused = load.awaitState(i, State.ATTACHED);
        }
        load.awaitCommits(2);
        long unused = load.pause();
        awaitAllArePool();
        for (int i = 0; i < TARGETS.size(); i++) {
            int target = i;
            await(TARGETS.get(i) + " says so") // a busy machine may lose it again
                    .atMost(BACK_BOUND)
                    .pollInterval(Duration.ofMillis(20))
                    .until(() -> claims(slot(target), localNumber()));
        }
        assertHasAll(load.acknowledged());
        load.go();
    }

    private void assertHasAll(long[] acknowledged) {
        int target = random.nextInt(TARGETS.size());
        try (ReplicaCopy copy = ReplicaCopy.of(part(target))) {
            var unused = copy.promote();
            assertThat(copy.assertWhole(seed, THREADS))
                    .as(
                            "transactions on %s, where %s returned",
                            TARGETS.get(target), Arrays.toString(acknowledged))
                    .isEqualTo(acknowledged);
        }
    }
}
