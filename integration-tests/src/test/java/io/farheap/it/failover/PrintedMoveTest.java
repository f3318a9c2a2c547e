package io.farheap.it.failover;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.it.support.Machines;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
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
    private static final String NEW = "c";
    private static final String ROOM = "room.set";

    @TempDir private Path directory;

    private TurnNodes nodes;
    private Path file;

    @BeforeEach
    void start() throws Exception {
        nodes = new TurnNodes(directory, 1);
    }

    @AfterEach
    void end() throws Exception {
        nodes.close();
    }

    private Machines machines() {
        return nodes.nodes.machines;
    }

    /**
     * @param have who has a copy, the writer first
     * @param leaves whose machine is to be given up
     * @param copy how the copies' poolset files are called that there are
     */
    @ParameterizedTest
    @CsvSource({
        "a b, b, numbers-copy.set",
        "a b, a, numbers-copy.set",
        "a b, b, copy.set",
        "a b, a, copy.set",
        "a, a, numbers-copy.set",
        "a, a, copy.set"
    })
    void aMoveIsCarriedOutAsItIsPrinted(String have, String leaves, String copy) throws Exception {
        List<String> first = List.of(have.split(" "));
        begin(first, copy);
        writeFile(leaves);
        Said said = place(5);
        List<PrintedMove.Step> steps = PrintedMove.read(said.out());
        assertThat(steps).as(said.out()).hasSizeGreaterThan(5);
        MoveOperator operator = new MoveOperator(nodes, first, "numbers.set");
        for (PrintedMove.Step step : steps) {
            operator.carryOut(step);
            nodes.awaitMore(5);
            assertThat(nodes.record().set())
                    .as("copies after %s", step)
                    .hasSizeGreaterThanOrEqualTo(first.size());
            nodes.judge();
        }

        Set<String> stay = new TreeSet<>(first);
        stay.remove(leaves);
        stay.add(NEW);
        assertThat(nodes.record().set()).containsExactlyElementsOf(stay);
        assertThat(nodes.nodes.part(leaves)).as("no step removes files").exists();
        for (String node : stay) {
            makeWriter(node);
            assertThat(nodes.record().set()).containsExactlyElementsOf(stay);
            nodes.judge();
        }
        assertThat(place(0).out()).contains("with something to do: 0, without a proposal: 0");
    }

    /** The pool has content, and its programs run. */
    private void begin(List<String> first, String copy) throws IOException {
        for (String node : List.of("a", "b", NEW)) {
            Files.delete(machines().machine(node).resolve("writer.set"));
            Files.delete(machines().machine(node).resolve("copy.set"));
            Path unused = machines().poolSet(node, ROOM, "10M");
        }
        for (String node : first) {
            String part = "PMEMPOOLSET\n16M " + nodes.nodes.part(node) + "\n";
            String others =
                    first.stream()
                            .filter(other -> !other.equals(node))
                            .map(other -> "REPLICA " + other + " " + copy + "\n")
                            .collect(Collectors.joining());
            Path at = machines().machine(node);
            Files.writeString(at.resolve(copy), part);
            Files.writeString(at.resolve("numbers.set"), part + others);
            nodes.usePoolSets(node, new TurnNodes.PoolSets("numbers.set", copy));
        }
        nodes.create(first.get(0)).await("open 0 1");
        for (String node : first.subList(1, first.size())) {
            nodes.open(node).await("waiting a writes");
        }
        nodes.awaitMore(100);
        nodes.patiently()
                .ignoreExceptions()
                .untilAsserted(
                        () -> {
                            assertThat(nodes.record().set()).containsExactlyElementsOf(first);
                            assertThat(nodes.lead().orElseThrow().nodes())
                                    .containsExactlyElementsOf(first);
                        });
    }

    private void writeFile(String leaves) {
        List<String> entries = new ArrayList<>();
        for (String node : List.of("a", "b", NEW)) {
            entries.add(
                    "{\"address\": \"%s\", \"directory\": \"%s\", %s\"inspect\": \"%s\"}"
                            .formatted(
                                    node,
                                    machines().machine(node),
                                    node.equals(leaves) ? "\"weight\": 0, " : "",
                                    ROOM));
        }
        file =
                machines()
                        .write(
                                machines().here().resolve("machines.json"),
                                "{\"machines\": [" + String.join(",\n", entries) + "]}");
    }

    private record Said(String out) {}

    private Said place(int exitCode) throws Exception {
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
        return new Said(said);
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
