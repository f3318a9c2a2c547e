package io.farheap.it.failover;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.availability.etcd.EtcdProcesses;
import io.farheap.it.support.Machines;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code farheap demo --ha} as a process, with the etcd of this machine. */
@Tag("long")
@Timeout(180)
class HaDemoTest {
    /** What its reader is promised: a fail-over in less than a minute. */
    private static final Duration LONGEST = Duration.ofSeconds(60);

    @TempDir private Path directory;

    @Test
    void showsThatEveryCommitThatReturnedIsThere() throws Exception {
        EtcdProcesses.requireInstalled();
        try (Machines machines = Machines.with()) {
            long begun = System.nanoTime();
            Process demo =
                    machines.farheap("demo", "--ha", "--dir", directory.toString())
                            .redirectErrorStream(true)
                            .start();
            String said = new String(demo.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(demo.waitFor()).as(said).isZero();
            Duration taken = Duration.ofNanos(System.nanoTime() - begun);
            System.out.printf("HaDemoTest: the demo takes %d ms%n", taken.toMillis());
            assertThat(taken).as(said).isLessThan(LONGEST);
            assertThat(said)
                    .containsPattern("Killed by SIGKILL after ([\\d,]+) commits had returned")
                    .containsPattern("(b|c) writes, in term 2")
                    .containsPattern("Of the ([\\d,]+) commits \\1 are there")
                    .endsWith(
                            "Every commit that had returned is there, and none was made twice.\n");
        }
        try (Stream<Path> left = Files.list(directory)) {
            assertThat(left).isEmpty();
        }
    }
}
