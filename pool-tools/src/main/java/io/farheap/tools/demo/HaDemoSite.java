package io.farheap.tools.demo;

import io.farheap.base.FarheapException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Three directories that stand for three machines with a copy of one pool each, the processes on
 * them, and an etcd of one member. Closing it ends all of them.
 */
final class HaDemoSite implements AutoCloseable {
    static final String POOL = "numbers";
    static final List<String> NODES = List.of("a", "b", "c");

    private static final String MAIN = "io.farheap.tools.Main";

    /** A dozen processes start at a time on one machine, and none lives for long. */
    private static final List<String> FAST_START = List.of("-XX:TieredStopAtLevel=1");

    private static final String SHELL =
            """
            #!/bin/sh
            # Stands in for ssh: runs the command in the directory that is called as the host.
            unset SSH_CONNECTION
            while [ $# -gt 2 ]; do shift; done
            cd "%s/$1" && exec sh -c "$2"
            """;

    private final Path directory;
    private final Path shell;
    private final List<Process> running = new ArrayList<>();
    private final String store;

    private HaDemoSite(Path directory, Path shell, int port) {
        this.directory = directory;
        this.shell = shell;
        this.store = "etcd:http://127.0.0.1:" + port;
    }

    /**
     * Sets the machines up in an empty directory, and starts the store.
     *
     * @throws FarheapException ENVIRONMENT where etcd is not installed
     */
    static HaDemoSite in(Path directory) throws IOException {
        requireEtcd(System.getenv("PATH"));
        Path absolute = directory.toAbsolutePath();
        Path shell = absolute.resolve("local-ssh");
        Files.writeString(shell, SHELL.formatted(absolute));
        Files.setPosixFilePermissions(shell, PosixFilePermissions.fromString("rwx------"));
        for (String node : NODES) {
            writeNode(absolute.resolve(node), node);
        }
        HaDemoSite site = new HaDemoSite(absolute, shell, freePort());
        site.startStore();
        return site;
    }

    /** Whether it can be shown here. */
    static void requireEtcd(String path) {
        boolean installed =
                Stream.of(path.split(":"))
                        .anyMatch(place -> Files.isExecutable(Path.of(place, "etcd")));
        if (!installed) {
            throw FarheapException.environment(
                    "etcd is not installed, and fail-over needs a store that says who may write:"
                            + " install it (Debian: apt-get install etcd-server), or see what a"
                            + " replica does without it: farheap demo");
        }
    }

    private static void writeNode(Path there, String node) throws IOException {
        Files.createDirectories(there);
        String part = "PMEMPOOLSET\n16M " + there.resolve("pool.part0") + "\n";
        Files.writeString(copysSet(there), part);
        StringBuilder lines = new StringBuilder(part);
        NODES.stream()
                .filter(other -> !other.equals(node))
                .forEach(other -> lines.append("REPLICA " + other + " copy.set\n"));
        Files.writeString(writersSet(there), lines.toString());
        Files.writeString(
                there.resolve("agent.conf"),
                "poolset-dir = %1$s\njournal-size = 2M\nlog-file = %1$s/agent.log\n"
                        .formatted(there));
    }

    static Path copysSet(Path machine) {
        return machine.resolve("copy.set");
    }

    static Path writersSet(Path machine) {
        return machine.resolve("numbers.set");
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private void startStore() throws IOException {
        String client = store.substring("etcd:".length());
        String peer = "http://127.0.0.1:" + freePort();
        ProcessBuilder etcd =
                new ProcessBuilder(
                        "etcd",
                        "--name=demo",
                        "--data-dir=" + directory.resolve("etcd"),
                        "--listen-client-urls=" + client,
                        "--advertise-client-urls=" + client,
                        "--listen-peer-urls=" + peer,
                        "--initial-advertise-peer-urls=" + peer,
                        "--initial-cluster=demo=" + peer);
        etcd.environment().keySet().removeIf(name -> name.startsWith("ETCD"));
        etcd.redirectErrorStream(true).redirectOutput(directory.resolve("etcd.log").toFile());
        running.add(etcd.start());
    }

    /** As programs are told it. */
    String store() {
        return store;
    }

    Path directory() {
        return directory;
    }

    /** The program of a node; what it says against others is in a file beside the copy. */
    Process start(String node, String... more) throws IOException {
        Path there = directory.resolve(node);
        List<String> arguments =
                new ArrayList<>(
                        List.of("demo", "node", "--store=" + store, node, there.toString()));
        arguments.addAll(List.of(more));
        ProcessBuilder builder =
                new ProcessBuilder(
                        LocalMachine.java(FAST_START, MAIN, arguments.toArray(String[]::new)));
        builder.redirectError(
                ProcessBuilder.Redirect.appendTo(there.resolve("program.log").toFile()));
        Map<String, String> environment = builder.environment();
        environment.put("RPMEM_SSH", shell.toString());
        environment.put(
                "RPMEM_CMD",
                "exec "
                        + LocalMachine.quoted(
                                LocalMachine.java(
                                        FAST_START, MAIN, "agent", "--config", "agent.conf")));
        Process program = builder.start();
        running.add(program);
        return program;
    }

    @Override
    public void close() {
        List<ProcessHandle> all =
                running.stream()
                        .flatMap(one -> Stream.concat(Stream.of(one.toHandle()), one.descendants()))
                        .toList();
        all.forEach(ProcessHandle::destroyForcibly);
        all.forEach(one -> one.onExit().join());
    }
}
