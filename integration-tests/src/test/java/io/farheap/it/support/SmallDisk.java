package io.farheap.it.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;

/**
 * A disk that is too small, or read-only: a tmpfs on the directory {@code small} of a machine, in a
 * mount namespace of its own, which needs no privileges where the system allows user namespaces.
 */
public final class SmallDisk implements AutoCloseable {
    private final Path machine;

    /** Lives as long as the disk: the mount namespace is its own. */
    private final Process holder;

    private SmallDisk(Path machine, Process holder) {
        this.machine = machine;
        this.holder = holder;
    }

    /** Skips the calling test where this is not possible; with {@code CI} set that is a failure. */
    public static void require() throws IOException, InterruptedException {
        Process trial =
                new ProcessBuilder("unshare", "-r", "-m", "mount", "-t", "tmpfs", "none", "/mnt")
                        .redirectErrorStream(true)
                        .start();
        trial.getInputStream().readAllBytes();
        boolean possible = trial.waitFor(10, TimeUnit.SECONDS) && trial.exitValue() == 0;
        if (System.getenv("CI") != null) {
            assertThat(possible).as("CI must let a test mount a tmpfs").isTrue();
        }
        Assumptions.assumeTrue(
                possible, "this machine lets nobody mount a tmpfs in a namespace of its own");
    }

    /** Mounts it; only those who enter see it. */
    public static SmallDisk mount(Path machine, int mebibytes) throws IOException {
        return mount(machine, "mount -t tmpfs -o size=%dm none small".formatted(mebibytes));
    }

    private static SmallDisk mount(Path machine, String command) throws IOException {
        Files.createDirectory(machine.resolve("small"));
        Process holder =
                new ProcessBuilder(
                                "unshare",
                                "-r",
                                "-m",
                                "sh",
                                "-c",
                                command + " && echo mounted && cat")
                        .directory(machine.toFile())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        assertThat(holder.inputReader().readLine()).isEqualTo("mounted");
        return new SmallDisk(machine, holder);
    }

    /**
     * Mounts it so that it counts as an ordinary disk: an overlay, which says nothing of what it
     * lies on.
     */
    public static SmallDisk mountAsOrdinary(Path machine, int mebibytes) throws IOException {
        return mount(
                machine,
                "mount -t tmpfs -o size=%dm none /mnt && cd /mnt && mkdir lower upper work"
                                .formatted(mebibytes)
                        + " && mount -t overlay overlay"
                        + " -o lowerdir=lower,upperdir=upper,workdir=work \"$OLDPWD/small\"");
    }

    /** The words before a command that is to see the disk. */
    public String[] entering() {
        return new String[] {
            "nsenter",
            "--target=" + holder.pid(),
            "--user",
            "--mount",
            "--preserve-credentials",
            "--wd=" + machine,
            "--"
        };
    }

    /** A file on it, for those who have not entered. */
    public Path file(String name) {
        return Path.of("/proc/" + holder.pid() + "/root" + machine.resolve("small")).resolve(name);
    }

    /** The names on it, sorted. */
    public List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(file("."))) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    /** Writes a file until not a byte is free. */
    public void fill(String name) throws IOException {
        try (OutputStream out = Files.newOutputStream(file(name))) {
            byte[] zeros = new byte[4096];
            while (true) {
                out.write(zeros);
            }
        } catch (IOException full) {
            assertThat(full).hasMessageContaining("No space left on device");
        }
    }

    /**
     * Mounts it again as it is, but so.
     *
     * @param how {@code ro} or {@code rw}
     */
    public void remount(String how) {
        String[] mount = {"mount", "-o", "remount," + how, machine.resolve("small").toString()};
        String[] command =
                Stream.concat(Arrays.stream(entering()), Arrays.stream(mount))
                        .toArray(String[]::new);
        // Files of a process that was killed a moment ago may still be open.
        Awaitility.await("remount " + how).until(() -> runs(command));
    }

    private static boolean runs(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        byte[] said = process.getInputStream().readAllBytes();
        return process.waitFor() == 0 && said.length == 0;
    }

    @Override
    public void close() {
        try {
            int unused = holder.destroyForcibly().waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
