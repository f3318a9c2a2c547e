package io.farheap.it.failover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.availability.CataloguedPool;
import io.farheap.availability.PoolCatalogue;
import io.farheap.availability.StoredPool;
import io.farheap.availability.coordinator.Coordinator;
import io.farheap.it.support.Cables;
import io.farheap.it.support.Machines;
import io.farheap.it.support.Network;
import io.farheap.it.support.SshServers;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.awaitility.core.ConditionFactory;

/**
 * Three nodes, each with its copy, its agents and a {@link TurnProgram}, and a store of three. All
 * that was acknowledged is noted, and judged at the end.
 */
final class TurnNodes implements AutoCloseable {
    private static final Duration LONGEST = Duration.ofSeconds(60);

    /** As cables know it. */
    static final String STORE = "store";

    /** The hosts of the store's servers, where each has one. */
    static final List<String> STORES = List.of("m0", "m1", "m2");

    final Nodes nodes = new Nodes(Nodes.NAMES);
    final StoreServers servers;
    private final Coordinator store;
    private final StoredPool pool;
    private final int minCopies;
    private final Map<String, Program> programs = new HashMap<>();

    /** By node, its address. */
    private final Map<String, String> stores = new HashMap<>();

    private final Map<String, PoolSets> poolSets = new HashMap<>();

    /** Of the nodes and the store's servers; empty: they are on the test's own host. */
    private Optional<Network> network = Optional.empty();

    /** Empty: programs log where this one does. */
    private Optional<Path> logs = Optional.empty();

    /**
     * What a node's program is told, in the node's directory.
     *
     * @param opened the poolset file that it opens
     * @param copy that of the node's copy, as the others reach it
     */
    record PoolSets(String opened, String copy) {}

    final Acknowledgements acknowledged = new Acknowledgements();

    /** With an etcd of three. */
    TurnNodes(Path directory, int minCopies) throws IOException {
        this(ThreeEtcds.start(directory), minCopies);
    }

    /**
     * @param servers are closed with it
     */
    TurnNodes(StoreServers servers, int minCopies) throws IOException {
        this.servers = servers;
        this.store = servers.connect();
        this.pool = new StoredPool(store, "main", "numbers");
        this.minCopies = minCopies;
        Nodes.NAMES.forEach(node -> stores.put(node, servers.address()));
    }

    /**
     * Each node and each of an etcd of three is on a host of its own: nodes by their names, the
     * others are {@link #STORES}. Agents are started by ssh.
     *
     * @param network with {@link #hosts}, is closed with it, or here if this fails
     */
    static TurnNodes on(Network network, Path directory, int minCopies) throws Exception {
        TurnNodes nodes = null;
        try {
            nodes = new TurnNodes(ThreeEtcds.startOn(network, STORES, directory), minCopies);
            nodes.network = Optional.of(network);
            SshServers.start(network, nodes.nodes.machines, Nodes.NAMES);
            return nodes;
        } catch (IOException | RuntimeException | Error e) {
            if (nodes == null) {
                network.close();
            } else {
                nodes.close();
            }
            throw e;
        }
    }

    /** The hosts that {@link #on} wants. */
    static List<String> hosts() {
        return Stream.concat(Nodes.NAMES.stream(), STORES.stream()).toList();
    }

    /** From now on programs reach the store and the other nodes through these only. */
    Cables useCables() throws IOException {
        Cables cables = nodes.machines.useCables();
        nodes.machines.set("FARHEAP_DATA", "ssh");
        for (String node : Nodes.NAMES) {
            List<Integer> entrances = new ArrayList<>();
            for (int port : servers.clientPorts()) {
                entrances.add(cables.lead(new Cables.Route(node, STORE), port));
            }
            stores.put(node, servers.through(entrances));
        }
        return cables;
    }

    ConditionFactory patiently() {
        return await().atMost(LONGEST).pollInterval(Duration.ofMillis(20));
    }

    /** For the programs that are started there from now on. */
    void usePoolSets(String node, PoolSets files) {
        poolSets.put(node, files);
    }

    /** Where programs that are started from now on log, each node's in a file. */
    void logInto(Path directory) {
        logs = Optional.of(directory);
    }

    /** What the programs of a node have logged. */
    List<String> logged(String node) {
        try {
            return Files.readAllLines(log(logs.orElseThrow(), node));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path log(Path directory, String node) {
        return directory.resolve(node + ".log");
    }

    Program create(String node) {
        return start("create", node);
    }

    Program open(String node) {
        return start("open", node);
    }

    private Program start(String what, String node) {
        try {
            PoolSets files = poolSets.getOrDefault(node, new PoolSets("writer.set", "copy.set"));
            ProcessBuilder builder =
                    nodes.machines.java(
                            TurnProgram.class,
                            what,
                            node,
                            nodes.machines.machine(node).toString(),
                            stores.getOrDefault(node, servers.address()),
                            Integer.toString(minCopies),
                            files.opened(),
                            files.copy());
            Machines.runsOn(builder, node);
            logs.ifPresent(
                    there ->
                            builder.redirectError(
                                    ProcessBuilder.Redirect.appendTo(log(there, node).toFile())));
            network.ifPresent(there -> there.on(node, builder));
            Process process = builder.start();
            Program program = new Program(node, process);
            programs.put(node, program);
            return program;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** All three, of which two wait since before there was a record, or have come afterwards. */
    void begin() {
        Program b = open("b");
        b.await("waiting there is no record");
        create("a").await("open 0 1");
        Program unused = open("c");
        awaitMore(20);
        awaitWhole();
        b.await("waiting a writes");
    }

    Program program(String node) {
        return programs.get(node);
    }

    StoredPool.Recorded record() {
        return pool.recorded();
    }

    Optional<StoredPool.Announced> lead() {
        return pool.lead();
    }

    /** The writer tells what people see of a pool among others. */
    void awaitCatalogued() {
        patiently()
                .untilAsserted(
                        () -> {
                            List<CataloguedPool> pools = PoolCatalogue.of(servers.address()).look();
                            assertThat(pools).hasSize(1);
                            CataloguedPool found = pools.get(0);
                            assertThat(found.pool()).isEqualTo("numbers");
                            assertThat(found.leader()).isEqualTo("a");
                            assertThat(found.nodes()).containsExactly("a", "b", "c");
                            assertThat(found.minCopies()).isEqualTo(minCopies);
                            assertThat(found.since()).isPresent();
                            assertThat(found.degraded()).contains(false);
                            assertThat(found.attention()).isEmpty();
                        });
    }

    /** All copies are of the set: any of them may be lost next. */
    void awaitWhole() {
        patiently()
                .ignoreExceptions()
                .untilAsserted(() -> assertThat(record().set()).containsExactly("a", "b", "c"));
    }

    void awaitMore(int commits) {
        int before = acknowledged.count();
        patiently().until(() -> acknowledged.count() >= before + commits);
    }

    /** A writer of a later term commits. */
    Acknowledgements.One awaitTermAfter(long term) {
        patiently().until(() -> acknowledged.count() > 0 && acknowledged.last().term() > term);
        return acknowledged.last();
    }

    /** What the writer has, as it is: whoever that is then has written last. */
    private String content(Acknowledgements.One last) {
        Program writer = program(last.node());
        int heard = writer.said().size();
        writer.tell("show");
        return writer.awaitAfter(heard, "has ").substring("has ".length());
    }

    /** Judges what has been acknowledged so far by what the writer has. */
    void judge() {
        patiently()
                .alias("a writer shows what it has, and is not followed by another one meanwhile")
                .until(
                        () -> {
                            List<Acknowledgements.One> before = acknowledged.all();
                            Acknowledgements.One last = acknowledged.last();
                            String content = content(last);
                            boolean same = acknowledged.last().term() == last.term();
                            if (same) {
                                Acknowledgements.judge(before, content);
                            }
                            return same;
                        });
    }

    /** Judges by the copies of so many nodes, each when it has become the writer's. */
    void judgeCopies(int copies) {
        for (int i = 0; i < copies; i++) {
            awaitWhole();
            judge();
            if (i < copies - 1) {
                Acknowledgements.One last = acknowledged.last();
                program(last.node()).close();
                Acknowledgements.One unused = awaitTermAfter(last.term());
            }
        }
    }

    /** What the command says of the pool, which succeeds. */
    String farheap(String... words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(words));
        command.addAll(List.of("--store", servers.address(), "--pool", "numbers"));
        Process process = nodes.machines.farheap(command.toArray(String[]::new)).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        return said.replaceAll(" +", " ");
    }

    /** One program, by what it says. */
    final class Program {
        final String node;
        final Process process;
        private final List<String> said = new CopyOnWriteArrayList<>();
        private final Writer orders;

        Program(String node, Process process) {
            this.node = node;
            this.process = process;
            this.orders = process.outputWriter(StandardCharsets.UTF_8);
            Thread.ofPlatform().daemon().start(this::listen);
        }

        private void listen() {
            try (BufferedReader lines =
                    new BufferedReader(
                            new InputStreamReader(
                                    process.getInputStream(), StandardCharsets.UTF_8))) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    if (line.startsWith("added ")) {
                        acknowledged.add(node, line.split(" "));
                    } else {
                        said.add(line);
                    }
                }
            } catch (IOException e) {
                said.add("gone " + e);
            }
            said.add("gone");
        }

        List<String> said() {
            return said;
        }

        /** A line that begins so, from now or earlier on. */
        String await(String beginning) {
            return awaitAfter(0, beginning);
        }

        String awaitAfter(int lines, String beginning) {
            patiently()
                    .alias(node + " says " + beginning)
                    .until(() -> find(lines, beginning).isPresent());
            return find(lines, beginning).orElseThrow();
        }

        private Optional<String> find(int lines, String beginning) {
            return said.stream().skip(lines).filter(line -> line.startsWith(beginning)).findFirst();
        }

        void tell(String order) {
            try {
                orders.write(order + "\n");
                orders.flush();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        boolean isGone() {
            return said.contains("gone");
        }

        void close() {
            tell("close");
            await("gone");
        }

        void kill() {
            boolean unused = process.destroyForcibly().isAlive();
            await("gone");
        }

        void stop() {
            Machines.signal("STOP", process.toHandle());
        }

        void goOn() {
            Machines.signal("CONT", process.toHandle());
        }
    }

    @Override
    public void close() throws Exception {
        programs.values().forEach(one -> one.process.destroyForcibly());
        try {
            nodes.close();
            store.close();
            servers.close();
        } finally {
            network.ifPresent(Network::close);
        }
    }
}
