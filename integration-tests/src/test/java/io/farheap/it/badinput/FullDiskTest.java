package io.farheap.it.badinput;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A disk that is too small: a tmpfs of 9 MiB, in a mount namespace of its own, which needs no
 * privileges where the system allows user namespaces. Where it does not the tests are skipped; with
 * {@code CI} set in the environment that is a failure instead.
 */
@Timeout(60)
class FullDiskTest {
    private static final int ENVIRONMENT = 3;
    private static final int REPLICA = 4;

    /** Lives as long as the disk: the mount namespace is its own. */
    private Process disk;

    private final Site site = Site.make();

    @BeforeEach
    void canMount() throws IOException, InterruptedException {
        Process trial =
                new ProcessBuilder("unshare", "-r", "-m", "mount", "-t", "tmpfs", "none", "/mnt")
                        .redirectErrorStream(true)
                        .start();
        trial.getInputStream().readAllBytes();
        boolean possible = trial.waitFor(10, TimeUnit.SECONDS) && trial.exitValue() == 0;
        Assumptions.assumeTrue(
                possible, "this machine lets nobody mount a tmpfs in a namespace of its own");
    }

    /** Mounts the disk on the directory "small" of a machine, for those who enter the namespace. */
    private void mount(Path machine, String poolset, String alsoDo) throws IOException {
        Files.createDirectory(machine.resolve("small"));
        String script =
                "mount -t tmpfs -o size=9m none small && cat >small/pool.set <<END && %2$s\n%1$sEND\n"
                                .formatted(poolset, alsoDo)
                        + "echo mounted; cat";
        disk =
                new ProcessBuilder("unshare", "-r", "-m", "sh", "-c", script)
                        .directory(machine.toFile())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        assertThat(disk.inputReader().readLine()).isEqualTo("mounted");
    }

    private String[] entering(Path machine) {
        return new String[] {
            "nsenter",
            "--target=" + disk.pid(),
            "--user",
            "--mount",
            "--preserve-credentials",
            "--wd=" + machine,
            "--"
        };
    }

    private List<String> onDisk(Path machine) throws IOException {
        Path small = Path.of("/proc/" + disk.pid() + "/root" + machine.resolve("small"));
        try (Stream<Path> files = Files.list(small)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @AfterEach
    void unmount() throws InterruptedException {
        if (disk != null) {
            disk.destroyForcibly().waitFor();
        }
        site.close();
    }

    @Test
    void leavesNoFileHere() throws IOException {
        Path here = site.machines().here();
        mount(here, "PMEMPOOLSET\n8M %1$s/small/a\n8M %1$s/small/b\n".formatted(here), "true");

        Site.Run run =
                site.within(entering(here), "create", here.resolve("small/pool.set").toString());

        run.failedWith(
                ENVIRONMENT, "8388608 bytes", "small/b", "No space left on device", "make room");
        assertThat(onDisk(here)).containsExactly("pool.set");
    }

    @Test
    void leavesNoPlainPoolHere() throws IOException {
        Path here = site.machines().here();
        mount(here, "", "true");

        Site.Run run =
                site.within(
                        entering(here),
                        "create",
                        "-s",
                        "64M",
                        here.resolve("small/plain").toString());

        run.failedWith(ENVIRONMENT, "small/plain", "No space left on device", "make room");
        assertThat(onDisk(here)).containsExactly("pool.set");
    }

    @Test
    void leavesNoFileThere() throws IOException {
        fullTarget("true", "No space left on device", "make room");
        assertThat(onDisk(site.there(""))).containsExactly("pool.set");
    }

    @Test
    void leavesNoFileThereWhereNotAByteIsFree() throws IOException {
        fullTarget("{ cat /dev/zero >small/full 2>/dev/null; true; }", "lock file", "Make room");
        assertThat(onDisk(site.there(""))).containsExactly("full", "pool.set");
    }

    private void fullTarget(String alsoDo, String... says) throws IOException {
        Path there = site.there("");
        mount(there, "PMEMPOOLSET\n8M %s/small/copy\n".formatted(there), alsoDo);
        String agent = site.machines().settings().agentCommand(0).replaceFirst("^exec ", "");
        site.machines()
                .set("RPMEM_CMD", "exec " + String.join(" ", entering(there)) + " " + agent)
                .write(
                        site.there("agent.conf"),
                        "poolset-dir = %1$s/small\njournal-size = 4M\nlog-file = %1$s/agent.log\n"
                                .formatted(there));
        site.machines().poolSet("here", "pool.set", "8M", "there pool.set");
        Map<String, Long> before = site.files();

        Site.Run run = site.farheap("create", "pool.set");

        run.failedWith(REPLICA, says);
        assertThat(site.files()).isEqualTo(before);
    }
}
