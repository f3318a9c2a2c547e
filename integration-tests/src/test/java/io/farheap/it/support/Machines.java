package io.farheap.it.support;

import io.farheap.replication.LagBound;
import io.farheap.replication.ReplicaPolicies;
import io.farheap.replication.ReplicationSettings;
import io.farheap.replication.fabric.WaitStrategy;
import io.farheap.tools.LocalMachine;
import io.farheap.tools.Main;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Directories that stand for machines, and real processes on them. A script stands in for ssh: it
 * runs the agent's command in the directory that is called as the host. Closing it ends every
 * process that was started here, directly or by another one, and removes all files.
 *
 * <p>The programs' machine is {@link #here}; every other directory is a target, with an agent's
 * configuration in {@code agent.conf}, which a test may replace before an agent is started.
 */
public final class Machines implements AutoCloseable {
    private static final Duration END_BOUND = Duration.ofSeconds(10);
    private static final String HERE = "here";

    private final Path directory;
    private final Map<String, String> environment = new TreeMap<>();

    private Machines(Path directory) {
        this.directory = directory;
    }

    /** The machine of the programs, and one for each name. */
    public static Machines with(String... targets) {
        try {
            Path directory = Files.createTempDirectory("farheap-it").toRealPath();
            Machines machines = new Machines(directory);
            Files.createDirectory(machines.here());
            machines.writeShell();
            for (String target : targets) {
                machines.addTarget(target);
            }
            machines.set("RPMEM_SSH", machines.shell().toString());
            machines.set("RPMEM_CMD", "exec " + machines.agentCommand());
            return machines;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** One more target, with the agent's usual settings and a journal of 1 MiB. */
    public void addTarget(String name) {
        try {
            Files.createDirectory(machine(name));
            configure(name, "journal-size = 1M");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sets the agent's configuration of a target, but for the poolset directory and the log. */
    public void configure(String target, String... lines) {
        write(
                machine(target).resolve("agent.conf"),
                "poolset-dir = %1$s\nlog-file = %1$s/agent.log\nlog-level = info\n%2$s\n"
                        .formatted(machine(target), String.join("\n", lines)));
    }

    /** The directory of a machine. */
    public Path machine(String name) {
        return directory.resolve(name);
    }

    /** The machine of the programs. */
    public Path here() {
        return machine(HERE);
    }

    /**
     * Writes a poolset file of one part and some replicas; the part is beside it.
     *
     * @param size as a poolset file has it
     * @param replicas what follows the word REPLICA, one line each
     */
    public Path poolSet(String machine, String name, String size, String... replicas) {
        String lines =
                Arrays.stream(replicas)
                        .map(replica -> "REPLICA " + replica + "\n")
                        .collect(Collectors.joining());
        Path part = machine(machine).resolve(name.replaceFirst("\\.set$", "") + ".part0");
        return write(
                machine(machine).resolve(name), "PMEMPOOLSET\n" + size + " " + part + "\n" + lines);
    }

    /** Writes a file, and returns it. */
    public Path write(Path file, String text) {
        try {
            return Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // ---- faults ----

    /** From now on nobody reaches a target by a new connection; processes on it go on. */
    public void takeDown(String target) {
        write(machine(target).resolve("down"), "");
    }

    /** Ends {@link #takeDown}. */
    public void bringUp(String target) {
        remove(machine(target).resolve("down"));
    }

    /**
     * New connections go through a process that can swallow what they carry ({@link #cutCable}).
     */
    public void useProxy() {
        set("FARHEAP_IT_PROXY", "yes");
    }

    /** Proxies swallow everything, both ways, the end of a connection included. */
    public void cutCable() {
        write(cut(), "");
    }

    /** Proxies carry what comes from now on. */
    public void mendCable() {
        remove(cut());
    }

    private Path cut() {
        return directory.resolve("cut");
    }

    private static void remove(Path file) {
        try {
            Files.delete(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The agent that has a replica, by the lock file beside its first part. */
    public ProcessHandle agentOf(Path firstPart) {
        Path lock = firstPart.resolveSibling(firstPart.getFileName() + ".journal.lock");
        try {
            long pid = Long.parseLong(Files.readString(lock).split(" ", 2)[0]);
            return ProcessHandle.of(pid)
                    .filter(ProcessHandle::isAlive)
                    .orElseThrow(() -> new AssertionError("no agent with pid " + pid));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether a process has ended, though perhaps a stopped parent has not taken notice yet. */
    public static boolean hasEnded(ProcessHandle process) {
        try {
            return Files.readAllBytes(Path.of("/proc", Long.toString(process.pid()), "cmdline"))
                            .length
                    == 0;
        } catch (IOException e) {
            return !process.isAlive();
        }
    }

    /** Sends a signal, by its name: STOP, CONT, KILL. */
    public static void signal(String name, ProcessHandle process) {
        try {
            int status =
                    // The shell's own: not every machine has the program.
                    new ProcessBuilder("sh", "-c", "kill -" + name + " " + process.pid())
                            .inheritIO()
                            .start()
                            .waitFor();
            if (status != 0) {
                throw new AssertionError("kill -" + name + " " + process.pid() + ": " + status);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    // ---- processes ----

    /** Sets a variable of every process started from now on. */
    public Machines set(String name, String value) {
        environment.put(name, value);
        return this;
    }

    /** What a program with this environment would use, for use in this process. */
    public ReplicationSettings settings() {
        return new ReplicationSettings(
                Duration.ofSeconds(30),
                Duration.ofSeconds(10),
                Duration.ofMillis(500),
                Duration.ofMinutes(2),
                WaitStrategy.DEFAULT,
                false,
                shell().toString(),
                List.of(environment.get("RPMEM_CMD")),
                ReplicaPolicies.FAIL,
                Duration.ofSeconds(2),
                LagBound.DEFAULT);
    }

    /** A Java process on the programs' machine: this module's class path, the product's flags. */
    public ProcessBuilder java(Class<?> main, String... arguments) {
        return process(javaCommand(main, arguments));
    }

    /** The farheap command on the programs' machine. */
    public ProcessBuilder farheap(String... arguments) {
        return process(javaCommand(Main.class, arguments));
    }

    private ProcessBuilder process(List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(command).directory(here().toFile());
        builder.redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().putAll(environment);
        return builder;
    }

    private List<String> javaCommand(Class<?> main, String... arguments) {
        // Quick to start, and small: there are many of them, and each lives for a moment.
        List<String> flags = List.of("-XX:TieredStopAtLevel=1", "-Xshare:auto", "-Xmx256m", mark());
        return LocalMachine.java(flags, main.getName(), arguments);
    }

    /** By this all processes of one instance are found, whoever started them. */
    private String mark() {
        return "-Dfarheap.it=" + directory;
    }

    private String agentCommand() {
        return LocalMachine.quoted(javaCommand(Main.class, "agent", "--config", "agent.conf"));
    }

    /** What stands in for ssh. */
    private Path shell() {
        return directory.resolve("local-ssh");
    }

    private void writeShell() throws IOException {
        List<String> proxy = javaCommand(SshProxy.class, directory.toString(), cut().toString());
        Files.writeString(
                shell(),
                """
                #!/bin/sh
                # Stands in for ssh: runs the command in the directory that is called as the host.
                unset SSH_CONNECTION
                for word; do
                  if [ "$word" = -N ]; then exec %2$s "$@"; fi
                done
                if [ -n "$FARHEAP_IT_PROXY" ]; then exec %2$s "$@"; fi
                while [ $# -gt 2 ]; do shift; done
                if [ -e "%1$s/$1/down" ]; then
                  echo "ssh: connect to host $1: No route to host" >&2
                  exit 255
                fi
                cd "%1$s/$1" || exit 255
                exec sh -c "$2"
                """
                        .formatted(directory, LocalMachine.quoted(proxy)));
        Files.setPosixFilePermissions(shell(), PosixFilePermissions.fromString("rwx------"));
    }

    /** Everything still running, agents and stand-ins that lost their parents included. */
    private List<ProcessHandle> running() {
        return ProcessHandle.allProcesses().filter(this::isMarked).toList();
    }

    /** ProcessHandle cuts long command lines off, so the system is asked. */
    private boolean isMarked(ProcessHandle process) {
        try {
            byte[] line =
                    Files.readAllBytes(Path.of("/proc", Long.toString(process.pid()), "cmdline"));
            return new String(line, StandardCharsets.ISO_8859_1).contains(mark());
        } catch (IOException e) {
            return false; // it has ended, or is somebody else's
        }
    }

    @Override
    public void close() {
        long deadline = System.nanoTime() + END_BOUND.toNanos();
        // One that dies may have started another one a moment before.
        for (List<ProcessHandle> left = running(); !left.isEmpty(); left = running()) {
            left.forEach(ProcessHandle::destroyForcibly);
            if (System.nanoTime() > deadline) {
                throw new AssertionError("processes that do not end: " + left);
            }
            pause();
        }
        delete();
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(5);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private void delete() {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (NoSuchFileException e) {
            throw new AssertionError("somebody else removes files of " + directory, e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
