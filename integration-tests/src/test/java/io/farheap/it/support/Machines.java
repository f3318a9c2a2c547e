package io.farheap.it.support;

import io.farheap.remote.RemotePoolOptions;
import io.farheap.replication.config.Pacer;
import io.farheap.replication.config.ReplicaPolicies;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.config.TlsAgents;
import io.farheap.replication.fabric.FabricUse;
import io.farheap.replication.fabric.WaitStrategy;
import io.farheap.replication.stream.LagBound;
import io.farheap.tools.Main;
import io.farheap.tools.demo.LocalMachine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/**
 * Directories that stand for machines, and real processes on them. A script stands in for ssh: it
 * runs the agent's command in the directory that is called as the host. Closing it ends every
 * process that was started here, directly or by another one, and removes all files.
 *
 * <p>The programs' machine is {@link #here}; every other directory is a target, with an agent's
 * configuration in {@code agent.conf}, which a test may replace before an agent is started.
 */
public final class Machines implements AutoCloseable {
    /** Of an RDMA device: data connections go over it. Null where there is none. */
    private static final String RDMA = System.getProperty("rdma.address");

    /** Whether commits are to be durable by READs. */
    private static final boolean APM = "APM".equals(System.getProperty("rdma.method"));

    /**
     * The device that has journals; null: none, and READs are of memory that is trusted by order.
     */
    private static final String JOURNALS = System.getProperty("rdma.journals");

    private static final Duration END_BOUND = Duration.ofSeconds(overRdma() ? 60 : 10);

    /** Until an agent is attached, in a machine that is emulated, where those with RDMA are. */
    private static final Duration SLOW_ATTACH = Duration.ofMinutes(5);

    private static final String HERE = "here";
    private static final String CABLES = "FARHEAP_IT_CABLES";
    private static final String FROM = "FARHEAP_IT_FROM";

    private final Path directory;
    private final Map<String, String> environment = new TreeMap<>();
    private final Map<String, Elsewhere> elsewhere = new TreeMap<>();
    private Cables cables;
    private Build build = Build.THIS;

    /**
     * A target on another machine.
     *
     * @param files takes each of its files, under the same name
     */
    private record Elsewhere(String address, BiConsumer<Path, String> files) {}

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
            if (overRdma()) {
                machines.set("FARHEAP_FABRIC", "verbs");
                machines.set("FARHEAP_ATTACH_TIMEOUT", SLOW_ATTACH.toSeconds() + "s");
            }
            if (isTrusted()) {
                machines.set("PMEM_IS_PMEM_FORCE", "1");
            }
            machines.set("RPMEM_CMD", "exec " + machines.agentCommand());
            return machines;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether data connections go over RDMA, and over nothing else. */
    public static boolean overRdma() {
        return RDMA != null;
    }

    /** Whether a READ is what proves a commit durable, and nothing else. */
    public static boolean byReads() {
        return APM;
    }

    /** Whether all memory counts as persistent, by order. */
    public static boolean isTrusted() {
        return APM && JOURNALS == null;
    }

    /**
     * That target is really another machine, where its directory has the same name.
     *
     * @param port whoever connects to it is connected to an agent that is started there
     * @param files is given what is written for that target from now on
     */
    public void moveElsewhere(
            String target, String address, int port, BiConsumer<Path, String> files) {
        var unused = write(machine(target).resolve("elsewhere"), address + " " + port);
        elsewhere.put(target, new Elsewhere(address, files));
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
                "poolset-dir = %1$s\nlog-file = %1$s/agent.log\nlog-level = info\n%2$s\n%3$s"
                        .formatted(
                                machine(target),
                                String.join("\n", lines),
                                overRdma() ? rdmaLines(target) : ""));
    }

    private String rdmaLines(String target) {
        return "rdma-address = %s\nattach-bound = %d\n"
                        .formatted(addressOf(target), SLOW_ATTACH.toMillis())
                + (byReads()
                        ? "persist-apm = yes\npersist-general = no\nplatform = %s\n"
                                .formatted(isTrusted() ? "eadr" : "adr")
                        : "")
                + (JOURNALS == null ? "" : "journal-devices = " + JOURNALS + "\n");
    }

    private String addressOf(String target) {
        return elsewhere.containsKey(target) ? elsewhere.get(target).address() : RDMA;
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
        elsewhere.forEach(
                (target, there) -> {
                    if (file.startsWith(machine(target))) {
                        there.files().accept(file, text);
                    }
                });
        try {
            return Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // ---- faults ----

    /** As with ssh: the end of the remote shell command does not end the agent that it started. */
    public void letAgentsOutliveTheirShell() {
        set("RPMEM_CMD", agentCommand() + "; exit $?");
    }

    /** From now on nobody reaches a target by a new connection; processes on it go on. */
    public void takeDown(String target) {
        write(machine(target).resolve("down"), "");
    }

    /** Ends {@link #takeDown}. */
    public void bringUp(String target) {
        remove(machine(target).resolve("down"));
    }

    /** New connections go through these, which a test can break. */
    public Cables useCables() {
        return useCables(new Random());
    }

    /**
     * The same.
     *
     * @param random says which bits are flipped
     */
    public Cables useCables(RandomGenerator random) {
        try {
            cables = new Cables(Files.createDirectory(notes()), random);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return cables;
    }

    /** A process that this starts runs on that machine, as far as cables know. */
    public static void runsOn(ProcessBuilder process, String machine) {
        process.environment().put(FROM, machine);
    }

    /** A process that this starts has connections of its own. */
    public static void withoutCables(ProcessBuilder process) {
        process.environment().put(CABLES, "no");
        process.environment().remove("FARHEAP_DATA");
    }

    private Path notes() {
        return directory.resolve("cables");
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
        return anyAgentOf(firstPart)
                .orElseThrow(() -> new AssertionError("no agent has " + firstPart));
    }

    /** The same, if there is one. */
    public Optional<ProcessHandle> anyAgentOf(Path firstPart) {
        Path lock = firstPart.resolveSibling(firstPart.getFileName() + ".journal.lock");
        try {
            String holder = Files.readString(lock);
            if (holder.isEmpty()) {
                return Optional.empty(); // one that has the lock, and is about to say so
            }
            long pid = Long.parseLong(holder.split(" ", 2)[0]);
            return ProcessHandle.of(pid).filter(ProcessHandle::isAlive);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether a process has ended, though perhaps a stopped parent has not taken notice yet. */
    public static boolean hasEnded(ProcessHandle process) {
        return commandLine(process).isEmpty();
    }

    /** Ends every process on a target, and waits until there is none: nobody comes after it. */
    public void killAll(String target) {
        takeDown(target);
        await("processes on " + target)
                .until(
                        () -> {
                            List<ProcessHandle> left = processesOn(target);
                            left.forEach(ProcessHandle::destroyForcibly);
                            return left.isEmpty();
                        });
    }

    /** Whether any process is on a target, or on its way there. */
    public boolean isBusy(String target) {
        return !processesOn(target).isEmpty();
    }

    private List<ProcessHandle> processesOn(String target) {
        Path there = machine(target);
        return running().stream().filter(one -> isIn(there, one) || isFor(target, one)).toList();
    }

    /** Whether it is a remote shell on its way there. */
    private static boolean isFor(String target, ProcessHandle process) {
        return List.of(commandLine(process).split("\0")).contains(target);
    }

    private static ConditionFactory await(String what) {
        return Awaitility.await(what).pollInterval(Duration.ofMillis(2)).atMost(END_BOUND);
    }

    private static boolean isIn(Path directory, ProcessHandle process) {
        try {
            return Files.readSymbolicLink(Path.of("/proc", Long.toString(process.pid()), "cwd"))
                    .equals(directory);
        } catch (IOException e) {
            return false; // it has ended
        }
    }

    /**
     * The same program, which HUP reaches. Where the tests themselves run with it ignored, by
     * nohup, other processes inherit that.
     */
    public static ProcessBuilder heedingHangUp(ProcessBuilder program) {
        List<String> command = new ArrayList<>(List.of("env", "--default-signal=HUP"));
        command.addAll(program.command());
        return program.command(command);
    }

    /** Sends a signal, by its name: STOP, CONT, KILL. After STOP none of its threads runs. */
    public static void signal(String name, ProcessHandle process) {
        send(name, process);
        if (name.equals("STOP")) {
            // The first thread that gets to run stops the others: a busy machine takes its time.
            await("threads of process " + process.pid()).until(() -> isStopped(process));
        }
    }

    private static boolean isStopped(ProcessHandle process) {
        Path threads = Path.of("/proc", Long.toString(process.pid()), "task");
        try (Stream<Path> all = Files.list(threads)) {
            return all.allMatch(Machines::isThreadStopped);
        } catch (IOException | UncheckedIOException e) {
            return true; // it has ended
        }
    }

    private static boolean isThreadStopped(Path thread) {
        try {
            String words = Files.readString(thread.resolve("stat"));
            char state = words.charAt(words.lastIndexOf(')') + 2);
            return state == 'T' || state == 't' || state == 'Z' || state == 'X';
        } catch (IOException e) {
            return true; // it has ended
        }
    }

    private static void send(String name, ProcessHandle process) {
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

    /** Processes that are started from now on run another build. */
    public Machines run(Build newBuild) {
        build = newBuild;
        return this;
    }

    /** What a program with this environment would use, for use in this process. */
    public ReplicationSettings settings() {
        return settings(Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofMillis(500));
    }

    /** The same with bounds of the test's; data connections run through the cables, if any. */
    public ReplicationSettings settings(
            Duration attachTimeout, Duration commitTimeout, Duration heartbeat) {
        return new ReplicationSettings(
                attachTimeout,
                commitTimeout,
                heartbeat,
                Duration.ofMinutes(2),
                WaitStrategy.DEFAULT,
                cables != null,
                shell().toString(),
                List.of(environment.get("RPMEM_CMD")),
                ReplicaPolicies.FAIL,
                Duration.ofMillis(500),
                LagBound.DEFAULT,
                FabricUse.AUTO,
                TlsAgents.NONE,
                Pacer.NO_LIMIT);
    }

    /** The same for a remote pool of this process. */
    public RemotePoolOptions remotePoolOptions(
            Duration attachTimeout, Duration commitTimeout, Duration heartbeat) {
        return RemotePoolOptions.fromEnvironment()
                .withSetting("FARHEAP_ATTACH_TIMEOUT", attachTimeout.toMillis() + "ms")
                .withSetting("FARHEAP_COMMIT_TIMEOUT", commitTimeout.toMillis() + "ms")
                .withSetting("FARHEAP_HEARTBEAT", heartbeat.toMillis() + "ms")
                .withSetting("FARHEAP_DATA", cables != null ? "ssh" : "direct")
                .withSetting("RPMEM_SSH", shell().toString())
                .withSetting("RPMEM_CMD", environment.get("RPMEM_CMD"));
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
        List<String> flags = List.of("-XX:TieredStopAtLevel=1", "-Xmx256m", mark());
        return build.in(LocalMachine.java(flags, main.getName(), arguments));
    }

    /** By this all processes of one instance are found, whoever started them. */
    private String mark() {
        return "-Dfarheap.it=" + directory;
    }

    /** What starts an agent, in the directory of its target: for a shell. */
    public String agentCommand() {
        return LocalMachine.quoted(javaCommand(Main.class, "agent", "--config", "agent.conf"));
    }

    /** What stands in for ssh. */
    private Path shell() {
        return directory.resolve("local-ssh");
    }

    /** With cables: named pipes for the agent's streams, and a note for who carries them. */
    private void writeShell() throws IOException {
        Files.writeString(
                shell(),
                """
                #!/bin/sh
                # Stands in for ssh: runs the command in the directory that is called as the host.
                unset SSH_CONNECTION
                note="%1$s/cables/$$"
                from=${%3$s:-%4$s}
                for word; do
                  if [ "$last" = -L ]; then
                    for host; do :; done
                    echo "$from $host $word" >"$note.new" && mv "$note.new" "$note.forward"
                    while read -r line; do :; done # as long as somebody wants it
                    exit 0
                  fi
                  last=$word
                done
                while [ $# -gt 2 ]; do shift; done
                if [ -e "%1$s/$1/down" ]; then
                  echo "ssh: connect to host $1: No route to host" >&2
                  exit 255
                fi
                if [ -e "%1$s/$1/elsewhere" ]; then exec busybox nc $(cat "%1$s/$1/elsewhere"); fi
                cd "%1$s/$1" || exit 255
                if [ ! -d "%1$s/cables" ] || [ "$%2$s" = no ]; then exec sh -c "$2"; fi
                mkfifo "$note.in" "$note.there" "$note.back" "$note.out"
                echo "$from $1" >"$note.new" && mv "$note.new" "$note.control"
                exec 3<&0
                cat <&3 >"$note.in" &
                sh -c "$2" <"$note.there" >"$note.back" 3<&- &
                exec 3<&-
                exec cat <"$note.out"
                """
                        .formatted(directory, CABLES, FROM, HERE));
        Files.setPosixFilePermissions(shell(), PosixFilePermissions.fromString("rwx------"));
    }

    /** Everything still running, agents and stand-ins that lost their parents included. */
    private List<ProcessHandle> running() {
        return ProcessHandle.allProcesses().filter(this::isMarked).toList();
    }

    private boolean isMarked(ProcessHandle process) {
        return commandLine(process).contains(mark());
    }

    /** ProcessHandle cuts long ones off, so the system is asked. Empty: it has ended. */
    private static String commandLine(ProcessHandle process) {
        try {
            byte[] line =
                    Files.readAllBytes(Path.of("/proc", Long.toString(process.pid()), "cmdline"));
            return new String(line, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return ""; // it has ended, or is somebody else's
        }
    }

    @Override
    public void close() {
        Awaitility.await("the end of all processes")
                .pollInSameThread()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .atMost(END_BOUND)
                .until(this::destroyed, List::isEmpty);
        if (cables != null) {
            cables.close();
        }
        delete();
    }

    /** Those that ran a moment before; one that dies may have started another one. */
    private List<ProcessHandle> destroyed() {
        List<ProcessHandle> left = running();
        left.forEach(ProcessHandle::destroyForcibly);
        return left;
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
