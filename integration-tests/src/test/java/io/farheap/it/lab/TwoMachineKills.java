package io.farheap.it.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.base.ReplicaStatus.State;
import io.farheap.it.support.Machines;
import io.farheap.it.system.KillRounds;
import io.farheap.it.system.Load;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.rmi.RemoteException;
import java.time.Duration;
import java.util.Random;

/**
 * Program and pool on the first machine of the lab, agent and replica on the second: they are
 * killed over and over; in the end the second machine is stopped for good, and the program goes on
 * alone.
 */
final class TwoMachineKills {
    private static final String TARGET = "there";
    private static final int ROUNDS = Integer.getInteger("kills.rounds");
    private static final int SLOWER = Integer.getInteger("kills.slower");
    private static final Duration COMMIT_TIMEOUT = Duration.ofSeconds(20);
    private static final Duration ATTACH_TIMEOUT = Duration.ofSeconds(60);
    private static final int THREADS = 2;

    /** Whoever wants the second machine stopped makes it. */
    private static final Path STOP = Path.of("/run/lab/stop-1");

    private TwoMachineKills() {}

    /**
     * @param args none
     */
    public static void main(String[] args) {
        int status = 1;
        try {
            if (System.getenv("LAB_NODE").equals("1")) {
                TargetMachine.run();
            } else {
                runOnFirst();
            }
            status = 0;
        } catch (Exception | AssertionError e) {
            e.printStackTrace();
        }
        System.exit(status); // Awaitility's threads would stay
    }

    private static void runOnFirst() throws IOException {
        String address = System.getenv("LAB_OTHER");
        try (Machines machines = Machines.with(TARGET)) {
            OtherMachine there = TargetMachine.find(address);
            Path replica = machines.machine(TARGET).resolve("copy.part0");
            there.serve(replica.toString(), machines.agentCommand());
            machines.moveElsewhere(
                    TARGET,
                    address,
                    OtherMachine.AGENT_PORT,
                    (file, text) -> write(there, file, text));
            new KillRounds(ROUNDS, SLOWER).run(machines, there);
            stopTheOther(machines);
        } finally {
            if (!Files.exists(STOP)) { // nobody else ends it
                Files.createFile(STOP);
            }
        }
    }

    private static void write(OtherMachine there, Path file, String text) {
        try {
            there.write(file.toString(), text);
        } catch (RemoteException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Under {@code degrade} the program goes on, and no commit of it takes for ever. */
    private static void stopTheOther(Machines machines) throws IOException {
        machines.set("FARHEAP_POLICY", "degrade");
        machines.set("FARHEAP_COMMIT_TIMEOUT", COMMIT_TIMEOUT.toMillis() + "ms");
        machines.set("FARHEAP_ATTACH_TIMEOUT", ATTACH_TIMEOUT.toMillis() + "ms");
        machines.poolSet(TARGET, "last.set", "64M");
        Path set = machines.poolSet("here", "alone.set", "64M", TARGET + " last.set");
        Load load = Load.start(machines, set, new Random().nextLong() >>> 16, THREADS);
        long unused = load.awaitOpen();
        load.go();
        load.awaitCommits(5);
        Load.Shown shown = load.replicas().get(0);
        assertThat(shown.state()).isEqualTo(State.ATTACHED);
        Files.createFile(STOP);
        shown = load.awaitState(0, State.LOST);
        load.awaitCommits(5);
        Duration slowest = longer(shown.slowest(), load.replicas().get(0).slowest());
        System.out.printf(
                "the other machine is stopped: %s; the slowest commit took %d ms%n",
                shown.reason(), slowest.toMillis());
        assertThat(load.complaints()).as("what the application was told").isEmpty();
        assertThat(slowest).isLessThan(COMMIT_TIMEOUT.multipliedBy(2));
        load.kill();
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }
}
