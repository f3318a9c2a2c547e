package io.farheap.it.failover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.agent.Promotion;
import io.farheap.availability.StoredPool;
import io.farheap.it.support.Machines;
import io.farheap.replication.control.SlotReport;
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
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Three machines with a copy of one pool each, a store, and the programs that write in turn. */
final class Nodes implements AutoCloseable {
    static final List<String> NAMES = List.of("a", "b", "c");

    final Machines machines = Machines.with("a", "b", "c");
    private final List<Program> writers = new ArrayList<>();

    /** The last number whose commit returned, to whomever. */
    long acknowledged;

    Nodes(List<String> nodes) {
        machines.set("FARHEAP_COMMIT_TIMEOUT", "3s");
        machines.set("FARHEAP_HEARTBEAT", "500ms");
        machines.set("FARHEAP_RETRY_PAUSE", "200ms");
        for (String node : nodes) {
            machines.configure(node, "journal-size = 1M", "heartbeat-bound = 4000");
            String part = "PMEMPOOLSET\n16M " + part(node) + "\n";
            machines.write(machines.machine(node).resolve("copy.set"), part);
            StringBuilder lines = new StringBuilder(part);
            nodes.stream()
                    .filter(other -> !other.equals(node))
                    .forEach(other -> lines.append("REPLICA " + other + " copy.set\n"));
            machines.write(machines.machine(node).resolve("writer.set"), lines.toString());
        }
    }

    Path part(String node) {
        return machines.machine(node).resolve("pool.part0");
    }

    /** What the slot of a node's copy says, whoever has it. */
    SlotReport slot(String node) {
        return Promotion.of(machines.machine(node).resolve("copy.set")).look().slot();
    }

    Path store() {
        return machines.here().resolve("store");
    }

    StoredPool.Recorded record() {
        return new StoredPool(new FileStore(store()), "test", "numbers").recorded();
    }

    void awaitSet(String... names) {
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(record().set()).containsExactly(names));
    }

    void setStoreDown(boolean down) {
        Path mark = machines.here().resolve("store.down");
        try {
            if (down) {
                Files.writeString(mark, "");
            } else {
                Files.deleteIfExists(mark);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Program create(String node, int minCopies) {
        return start("create", node, minCopies);
    }

    /** A pool that is there, and that no record speaks of yet. */
    Program record(String node, int minCopies) {
        return start("record", node, minCopies);
    }

    Program open(String node, int minCopies) {
        return start("open", node, minCopies);
    }

    private Program start(String what, String node, int minCopies) {
        try {
            Program writer =
                    new Program(
                            machines.java(
                                            WriterProgram.class,
                                            what,
                                            node,
                                            machines.machine(node).toString(),
                                            store().toString(),
                                            Integer.toString(minCopies))
                                    .start());
            writers.add(writer);
            return writer;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** One program, by what it says. */
    final class Program {
        final Process process;
        private final BlockingQueue<String> said = new LinkedBlockingQueue<>();
        private final Writer orders;

        Program(Process process) {
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
                    said.add(line);
                }
            } catch (IOException e) {
                said.add("gone " + e);
            }
            said.add("gone");
        }

        /** What it says next. */
        String next() throws InterruptedException {
            String line = said.poll(60, TimeUnit.SECONDS);
            assertThat(line).as("a word of the program within a minute").isNotNull();
            if (line.startsWith("added ")) {
                long number = Long.parseLong(line.substring("added ".length()));
                assertThat(number).isGreaterThan(acknowledged);
                acknowledged = number;
            }
            return line;
        }

        long expectOpen() throws InterruptedException {
            String line = next();
            assertThat(line).startsWith("open ");
            return Long.parseLong(line.substring("open ".length()));
        }

        void tell(String order) throws IOException {
            orders.write(order + "\n");
            orders.flush();
        }

        void add(int count) throws IOException, InterruptedException {
            tell("add " + count);
            for (int i = 0; i < count; i++) {
                assertThat(next()).startsWith("added ");
            }
        }

        String show() throws IOException, InterruptedException {
            tell("show");
            return next();
        }

        void close() throws IOException, InterruptedException {
            tell("close");
            assertThat(next()).isEqualTo("gone");
        }

        void kill() throws InterruptedException {
            process.destroyForcibly();
            while (!next().startsWith("gone")) {
                // what it had said before counts
            }
        }
    }

    Stream<Process> running() {
        return writers.stream().map(writer -> writer.process).filter(Process::isAlive);
    }

    @Override
    public void close() {
        running().forEach(Process::destroyForcibly);
        machines.close();
    }
}
