package io.farheap.it.failover;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.availability.etcd.EtcdProcesses;
import io.farheap.it.support.Machines;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code farheap demo --ha} as a process, with the etcd of this machine. */
@Tag("long")
@Timeout(180)
class HaDemoTest {
    @TempDir private Path directory;

    @Test
    void showsThatEveryCommitThatReturnedIsThere() throws Exception {
        EtcdProcesses.requireInstalled();
        try (Machines machines = Machines.with()) {
            Process demo =
                    machines.farheap("demo", "--ha", "--dir", directory.toString())
                            .redirectErrorStream(true)
                            .start();
            String said = new String(demo.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(demo.waitFor()).as(said).isZero();
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
