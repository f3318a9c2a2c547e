package io.farheap.it.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** That the stand-ins stand in, and that nothing is left of them. */
@Timeout(60)
class MachinesTest {

    @Test
    void aPoolIsReplicatedToAnotherMachineAndNothingIsLeftRunning() throws Exception {
        Path directory;
        ProcessHandle agent;
        try (Machines machines = Machines.with("there")) {
            directory = machines.here().getParent();
            Path copy = machines.machine("there").resolve("copy.part0");
            machines.poolSet("there", "copy.set", "16M");
            Path set = machines.poolSet("here", "pool.set", "16M", "there copy.set");
            Process program = machines.java(HoldOpen.class, set.toString()).start();
            assertThat(program.inputReader().readLine()).isEqualTo("open");
            agent = machines.agentOf(copy);
            assertThat(agent.isAlive()).isTrue();
            assertThat(Files.size(copy)).isEqualTo(16L << 20);
        }
        await().until(() -> Machines.hasEnded(agent));
        assertThat(directory).doesNotExist();
    }

    @Test
    void aMachineThatIsDownCannotBeReached() throws Exception {
        try (Machines machines = Machines.with("there")) {
            machines.poolSet("there", "copy.set", "16M");
            Path set = machines.poolSet("here", "pool.set", "16M", "there copy.set");
            machines.takeDown("there");
            assertThat(failure(machines, set)).contains("No route to host");
        }
    }

    @Test
    void aCutCableIsSilence() throws Exception {
        try (Machines machines = Machines.with("there")) {
            machines.set("FARHEAP_ATTACH_TIMEOUT", "1s").useCables().cut();
            machines.poolSet("there", "copy.set", "16M");
            Path set = machines.poolSet("here", "pool.set", "16M", "there copy.set");
            assertThat(failure(machines, set))
                    .contains("no sign of the agent's greeting within 1 s");
        }
    }

    @Test
    void aStoppedProcessCountsNoFurther() throws Exception {
        Process counter =
                new ProcessBuilder("sh", "-c", "while :; do echo; done")
                        .redirectErrorStream(true)
                        .start();
        try {
            byte[] first = counter.getInputStream().readNBytes(1000);
            assertThat(first).isNotEmpty();
            for (int i = 0; i < 20; i++) {
                Machines.signal("STOP", counter.toHandle());
                String times = cpuTimes(counter);
                byte[] said =
                        counter.getInputStream().readNBytes(counter.getInputStream().available());
                assertThat(said).isNotNull();
                assertThat(cpuTimes(counter)).isEqualTo(times);
                Machines.signal("CONT", counter.toHandle());
            }
        } finally {
            counter.destroyForcibly().waitFor();
        }
    }

    private static String cpuTimes(Process process) throws IOException {
        String[] words =
                Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat")).split(" ");
        return words[2] + " " + words[13] + " " + words[14];
    }

    @Test
    void whoHasALockAndHasNotSaidSoYetIsNobody() throws Exception {
        try (Machines machines = Machines.with("there")) {
            Path copy = machines.machine("there").resolve("copy.part0");
            Files.createFile(copy.resolveSibling("copy.part0.journal.lock"));
            assertThat(machines.anyAgentOf(copy)).isEmpty();
        }
    }

    private static String failure(Machines machines, Path set)
            throws IOException, InterruptedException {
        Process program =
                machines.java(HoldOpen.class, set.toString())
                        .redirectError(ProcessBuilder.Redirect.PIPE)
                        .start();
        String words = new String(program.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(program.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(program.exitValue()).isNotZero();
        return words;
    }
}
