package io.farheap.it.failover;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.it.support.Machines;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A copy of a pool under load moves to another machine as {@code farheap place} says: each step
 * that it prints is carried out to the letter by {@link MoveOperator}.
 */
@Tag("deep")
@Timeout(400)
class PrintedMoveTest {
    private static final List<String> FIRST = List.of("a", "b");
    private static final String ROOM = "room.set";

    @TempDir private Path directory;

    private TurnNodes nodes;
    private Path file;

    @BeforeEach
    void start() throws Exception {
        nodes = new TurnNodes(directory, 2);
    }

    @AfterEach
    void end() throws Exception {
        nodes.close();
    }

    private Machines machines() {
        return nodes.nodes.machines;
    }

    /**
     * @param given whose machines are to be given up, of a, which writes, and b
     * @param free machines that are there besides
     * @param copy how the copies' poolset files are called that there are
     */
    @ParameterizedTest
    @CsvSource({
        "b, c, numbers-copy.set",
        "a, c, numbers-copy.set",
        "b, c, copy.set",
        "a, c, copy.set",
        "a b, c d, copy.set"
    })
    void aMoveIsCarriedOutAsItIsPrinted(String given, String free, String copy) throws Exception {
        List<String> leaves = List.of(given.split(" "));
        List<String> come = List.of(free.split(" "));
        begin(copy);
        come.forEach(this::addMachine);
        writeFile(leaves, come);
        String printed = place(5);
        List<PrintedMove.Step> steps = PrintedMove.read(printed);
        assertThat(steps).as(printed).hasSizeGreaterThan(5);
        MoveOperator operator = new MoveOperator(nodes, FIRST, "numbers.set");
        for (PrintedMove.Step step : steps) {
            operator.carryOut(step);
            nodes.awaitMore(5);
            assertThat(nodes.record().set())
                    .as("copies after %s", step)
                    .hasSizeGreaterThanOrEqualTo(FIRST.size());
            nodes.judge();
        }

        Set<String> stay = new TreeSet<>(FIRST);
        stay.removeAll(leaves);
        stay.addAll(come);
        assertThat(nodes.record().set()).containsExactlyElementsOf(stay);
        for (String node : leaves) {
            assertThat(nodes.nodes.part(node)).as("no step removes files").exists();
        }
        for (String node : stay) {
            makeWriter(node);
            awaitSet(stay);
            nodes.judge();
        }
        assertThat(place(0)).contains("with something to do: 0, without a proposal: 0");
    }

    /** The pool has content, and its programs run. */
    private void begin(String copy) throws IOException {
        for (String node : List.of("a", "b", "c")) {
            Files.delete(machines().machine(node).resolve("writer.set"));
            Files.delete(machines().machine(node).resolve("copy.set"));
        }
        for (String node : FIRST) {
            Path unused = machines().poolSet(node, ROOM, "10M");
            String part = "PMEMPOOLSET\n16M " + nodes.nodes.part(node) + "\n";
            Path at = machines().machine(node);
            Files.writeString(at.resolve(copy), part);
            String other = node.equals("a") ? "b" : "a";
            Files.writeString(
                    at.resolve("numbers.set"), part + "REPLICA " + other + " " + copy + "\n");
            nodes.usePoolSets(node, new TurnNodes.PoolSets("numbers.set", copy));
        }
        nodes.create("a").await("open 0 1");
        nodes.open("b").await("waiting a writes");
        nodes.awaitMore(100);
        awaitSet(FIRST);
        nodes.patiently()
                .untilAsserted(
                        () ->
                                assertThat(nodes.lead().orElseThrow().nodes())
                                        .containsExactlyElementsOf(FIRST));
    }

    /** With nothing on it but an agent. */
    private void addMachine(String node) {
        if (!Files.exists(machines().machine(node))) {
            machines().addTarget(node);
            machines().configure(node, "journal-size = 1M", "heartbeat-bound = 4000");
        }
        Path unused = machines().poolSet(node, ROOM, "10M");
    }

    private void awaitSet(Collection<String> names) {
        nodes.patiently()
                .ignoreExceptions()
                .untilAsserted(
                        () -> assertThat(nodes.record().set()).containsExactlyElementsOf(names));
    }

    private void writeFile(List<String> leaves, List<String> come) {
        List<String> entries = new ArrayList<>();
        for (String node : Stream.concat(FIRST.stream(), come.stream()).toList()) {
            entries.add(
                    "{\"address\": \"%s\", \"directory\": \"%s\", %s\"inspect\": \"%s\"}"
                            .formatted(
                                    node,
                                    machines().machine(node),
                                    leaves.contains(node) ? "\"weight\": 0, " : "",
                                    ROOM));
        }
        file =
                machines()
                        .write(
                                machines().here().resolve("machines.json"),
                                "{\"machines\": [" + String.join(",\n", entries) + "]}");
    }

    /** What it prints. */
    private String place(int exitCode) throws Exception {
        Process process =
                machines()
                        .farheap(
                                "place",
                                "--machines=" + file,
                                "--size=16M",
                                "--margin=1M",
                                "--store=" + nodes.servers.address(),
                                "numbers")
                        .redirectErrorStream(true)
                        .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isEqualTo(exitCode);
        return said;
    }

    private void makeWriter(String node) throws Exception {
        if (nodes.record().writer().equals(node)) {
            return;
        }
        nodes.program(node).await("waiting ");
        long term = nodes.acknowledged.last().term();
        String unused = nodes.farheap("ha", "switchover", "--to", node);
        assertThat(nodes.awaitTermAfter(term).node()).isEqualTo(node);
    }
}
