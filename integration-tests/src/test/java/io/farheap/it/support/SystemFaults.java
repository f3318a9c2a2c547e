package io.farheap.it.support;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** What the system does to a process of a test while it runs: refuses it room, fails its writes. */
public final class SystemFaults {
    private static final Path STRACE = Path.of("/usr/bin/strace");
    private static final String ATTACHED = "attached";

    private SystemFaults() {}

    /** Files of a process can grow again, and be made, when this is closed. */
    public interface Room extends AutoCloseable {
        @Override
        void close();
    }

    /** Writes of a process succeed again when this is closed. */
    public interface Failing extends AutoCloseable {
        @Override
        void close();
    }

    /** From now on no file of the process grows beyond so many bytes; mapped ones are as before. */
    public static Room limitFiles(ProcessHandle process, long bytes) {
        limit(process, Long.toString(bytes));
        return () -> {
            if (process.isAlive() && !Machines.hasEnded(process)) {
                limit(process, "unlimited");
            }
        };
    }

    private static void limit(ProcessHandle process, String bytes) {
        // Only the soft limit: the hard one could not be raised again by just anybody.
        run("prlimit", "--pid", Long.toString(process.pid()), "--fsize=" + bytes + ":");
    }

    /** Whether the system lets a test fail another process's system calls. */
    public static boolean canFailWrites() {
        return Files.isExecutable(STRACE);
    }

    /** The next msync or fdatasync of each thread of the process fails with EIO. */
    public static Failing failWrites(ProcessHandle process) {
        try {
            Process tracer =
                    new ProcessBuilder(
                                    STRACE.toString(),
                                    "-f",
                                    "-o",
                                    "/dev/null",
                                    "-p",
                                    Long.toString(process.pid()),
                                    "-e",
                                    "trace=msync,fdatasync,fsync",
                                    "-e",
                                    "inject=msync,fdatasync,fsync:error=EIO:when=1")
                            .redirectErrorStream(true)
                            .start();
            BufferedReader said = tracer.inputReader();
            for (String line = said.readLine(); line != null; line = said.readLine()) {
                if (line.contains(ATTACHED)) {
                    break;
                }
            }
            return () -> end(tracer);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void end(Process tracer) {
        tracer.destroy(); // it lets the process go
        try {
            if (!tracer.waitFor(10, TimeUnit.SECONDS)) {
                // It asks each thread in turn to stop first; the kernel lets all go at once.
                tracer.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static void run(String... command) {
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            String said = new String(process.getInputStream().readAllBytes());
            if (process.waitFor() != 0) {
                throw new AssertionError(String.join(" ", command) + ": " + said);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
