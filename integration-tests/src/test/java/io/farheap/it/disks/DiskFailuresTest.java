package io.farheap.it.disks;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.it.support.Machines;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** No failing system call here or on a target costs anything that was acknowledged. */
@Tag("deep")
class DiskFailuresTest {
    private static final int EVERY = Integer.getInteger("farheap.disks.every", 67);
    private static final String NAMES = System.getProperty("farheap.disks.operations", "");

    @Test
    @Timeout(600)
    void someOfAllCalls() throws Exception {
        requireNoFault(EVERY);
    }

    @Test
    @Tag("long")
    @Timeout(7200)
    void eachCall() throws Exception {
        requireNoFault(1);
    }

    private static void requireNoFault(int every) throws Exception {
        try (Machines machines = Machines.with("there")) {
            Path root = machines.here().getParent();
            machines.set("RPMEM_SSH", machines.here().resolve("ssh").toString());
            machines.set("FARHEAP_FABRIC", "tcp");
            machines.set("FARHEAP_ATTACH_TIMEOUT", "5s");
            machines.set("FARHEAP_COMMIT_TIMEOUT", "1s");
            machines.set("FARHEAP_HEARTBEAT", "1s");
            machines.set("FARHEAP_RETRY_PAUSE", "50ms");
            ProcessBuilder process =
                    machines.java(DiskFailures.class, root.toString(), Integer.toString(every));
            List<String> command = new ArrayList<>(process.command());
            command.replaceAll(word -> word.equals("-Xmx256m") ? "-Xmx1500m" : word);
            if (!NAMES.isEmpty()) {
                command.addAll(List.of(NAMES.split(";")));
            }
            Process run = process.command(command).start();
            List<String> out = run.inputReader().lines().peek(System.out::println).toList();
            assertThat(run.waitFor()).isZero();
            assertThat(out).noneMatch(line -> line.startsWith("WRONG"));
            assertThat(out.getLast()).matches("cases [1-9][0-9]*, wrong 0");
        }
    }
}
