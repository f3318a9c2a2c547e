package io.farheap.it.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.it.support.Machines;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an operator on another machine is told while a program has the replica, or had it. */
@Tag("deep")
@Timeout(200)
class HeldReplicaTest {
    private static final int NOTES = 10;
    private static final int REPLICA = 4;
    private static final int NOT_CURRENT = 5;

    private final Machines machines = Machines.with("there", "spare");
    private Path spareSet;
    private Process program;

    @BeforeEach
    void aProgramHasIt() throws Exception {
        machines.configure("there", "journal-size = 1M", "heartbeat-bound = 12000");
        machines.poolSet("there", "copy.set", "8M");
        spareSet = machines.poolSet("spare", "pool.set", "8M", "there copy.set");
        Path set = machines.poolSet("here", "pool.set", "8M", "there copy.set");
        program = machines.java(Notes.class, set.toString(), "" + NOTES, "hold").start();
        for (int i = 0; i < NOTES; i++) {
            assertThat(program.inputReader().readLine()).isNotNull();
        }
    }

    @AfterEach
    void end() {
        machines.close();
    }

    private String holder() {
        return "process " + program.pid() + " on ";
    }

    private List<String> farheap(int exitCode, String... words) throws Exception {
        Process process = machines.farheap(words).redirectErrorStream(true).start();
        List<String> said = new ArrayList<>(process.inputReader().lines().toList());
        assertThat(process.waitFor()).as("%s", said).isEqualTo(exitCode);
        return said;
    }

    @Test
    void whileTheProgramLivesItIsNamedAndNothingIsTakenFromIt() throws Exception {
        List<String> status = farheap(NOT_CURRENT, "status", spareSet.toString());
        assertThat(status)
                .anyMatch(line -> line.startsWith("held by     : " + holder()))
                .anyMatch(line -> line.contains("its right ends by itself"));

        List<String> sync = farheap(REPLICA, "sync", spareSet.toString());

        assertThat(sync)
                .anyMatch(line -> line.startsWith("now: wait for replica 1 (there copy.set)"));
        assertThat(sync.getLast())
                .contains("is attached to " + holder(), "also after it was waited", "--take-over");
        program.outputWriter().close();
        assertThat(program.waitFor()).as("it went on").isZero();
    }

    @Test
    void oneThatIsSilentIsWaitedForAndSaidSo() throws Exception {
        machines.set("FARHEAP_HEARTBEAT", "5s"); // of sync alone: it waits longer than needed
        Process sync =
                machines.farheap("sync", spareSet.toString()).redirectErrorStream(true).start();
        assertThat(sync.inputReader().readLine())
                .startsWith("now: wait for replica 1 (there copy.set), which " + holder())
                .contains("up to 30.0 s");

        Machines.signal("STOP", program.toHandle());

        assertThat(sync.inputReader().lines()).endsWith(spareSet + ": synchronized");
        assertThat(sync.waitFor()).isZero();
        Machines.signal("KILL", program.toHandle());
        List<Long> notes =
                new ArrayList<>(
                        Notes.in(
                                machines.write(
                                        machines.machine("spare").resolve("alone.set"),
                                        "PMEMPOOLSET\n8M "
                                                + machines.machine("spare").resolve("pool.part0")
                                                + "\n"),
                                pool -> null));
        Collections.reverse(notes);
        assertThat(notes).hasSize(NOTES).isSorted();
    }
}
