package io.farheap.it.failover;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.it.failover.PrintedMove.Step;
import io.farheap.it.support.Machines;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;

/**
 * A person who carries out a move as it is printed: edits poolset files, types commands on the
 * machines that are named, and waits for the words of {@code farheap ha status}.
 */
final class MoveOperator {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String NODES = "([a-z](?:, [a-z])*)";
    private static final Pattern PREPARE =
            Pattern.compile(
                    "write (\\S+) in the agent's poolset directory, which must not be there yet:"
                            + " PMEMPOOLSET, and part lines of the same sizes as in (\\S+) on (\\S+),"
                            + " the first one at (\\S+); and (\\S+), which has besides the REPLICA"
                            + " line of each of "
                            + NODES
                            + ", word for word as \\S+ has it on another one of them(?:, and these"
                            + " lines)?\\. If one of these files, or a part, is there, stop: .*");
    private static final Pattern ADD = Pattern.compile("add to (\\S+)");
    private static final Pattern NAME =
            Pattern.compile(
                    "see to it that (\\S+) has, but for the node's own, the REPLICA line of each of "
                            + NODES
                            + ", word for word as \\S+ has it on another one of them(?:, and these"
                            + " lines)?");
    private static final Pattern START =
            Pattern.compile("start the pool's program, which waits for its turn");
    private static final Pattern SWITCH_OVER =
            Pattern.compile("when the program on (\\S+) waits for its turn");
    private static final Pattern REMOVE =
            Pattern.compile("take the lines of " + NODES + " out of (\\S+)");
    private static final Pattern RETIRE =
            Pattern.compile(
                    "take them out of (\\S+) on the other nodes, then end the program on "
                            + NODES
                            + "\\. .*");
    private static final Pattern LEADER_IS = Pattern.compile("the leader is ([a-z])\\b");
    private static final Pattern SET_IS = Pattern.compile("the set is " + NODES);
    private static final Pattern SET_HAS_NO = Pattern.compile("no ([a-z])(?: any more|, and)");

    private final TurnNodes nodes;
    private final String opened;
    private final List<String> known = new ArrayList<>();
    private final List<String> removed = new ArrayList<>();

    /**
     * @param first who has a copy by now
     * @param opened the poolset file that programs open
     */
    MoveOperator(TurnNodes nodes, List<String> first, String opened) {
        this.nodes = nodes;
        this.opened = opened;
        known.addAll(first);
    }

    void carryOut(Step step) throws Exception {
        Matcher words;
        if ((words = PREPARE.matcher(step.what())).matches()) {
            prepare(step, words);
        } else if ((words = ADD.matcher(step.what())).matches()) {
            edit(step.node(), words.group(1), step.lines(), List.of());
            type(step.node(), step.command());
        } else if ((words = NAME.matcher(step.what())).matches()) {
            List<String> lines = linesOf(words.group(2), step.lines());
            for (String node : step.nodes()) {
                edit(node, words.group(1), lines, List.of());
            }
        } else if (START.matcher(step.what()).matches()) {
            for (String node : step.nodes()) {
                nodes.open(node).await("waiting ");
            }
        } else if ((words = SWITCH_OVER.matcher(step.what())).matches()) {
            nodes.program(words.group(1)).await("waiting ");
            type("here", step.command());
        } else if ((words = REMOVE.matcher(step.what())).matches()) {
            removed.addAll(List.of(words.group(1).split(", ")));
            edit(step.node(), words.group(2), List.of(), removed);
            type(step.node(), step.command());
        } else if ((words = RETIRE.matcher(step.what())).matches()) {
            for (String node : known) {
                edit(node, words.group(1), List.of(), removed);
            }
            Arrays.stream(words.group(2).split(", ")).forEach(node -> nodes.program(node).kill());
        } else if (step.what().startsWith("go on ")) {
            awaitState(step);
        } else {
            throw new AssertionError("what is to be done? " + step);
        }
    }

    private Path at(String node, String file) {
        return nodes.nodes.machines.machine(node).resolve(file);
    }

    private void prepare(Step step, MatchResult words) throws IOException {
        String node = step.node();
        Path copy = at(node, words.group(1));
        Path part = Path.of(words.group(4));
        Path own = at(node, words.group(5));
        assertThat(List.of(copy, own, part)).allSatisfy(file -> assertThat(file).doesNotExist());
        String sizes =
                Files.readAllLines(at(words.group(3), words.group(2))).stream()
                        .filter(line -> line.contains(" /"))
                        .map(line -> line.substring(0, line.indexOf(' ')))
                        .reduce((one, other) -> one + " " + other)
                        .orElseThrow();
        assertThat(sizes).as("one part").doesNotContain(" ");
        List<String> lines = List.of("PMEMPOOLSET", sizes + " " + part);
        Files.write(copy, lines);
        Files.write(own, lines);
        edit(node, words.group(5), linesOf(words.group(6), step.lines()), List.of());
        known.add(node);
        nodes.usePoolSets(node, new TurnNodes.PoolSets(words.group(5), words.group(1)));
    }

    /** As another one of these nodes has each, and some more. */
    private List<String> linesOf(String names, List<String> more) throws IOException {
        List<String> lines = new ArrayList<>(more);
        List<String> those = List.of(names.split(", "));
        for (String name : those) {
            String line = null;
            for (String other : those) {
                for (String each : Files.readAllLines(at(other, opened))) {
                    line = each.startsWith("REPLICA " + name + " ") ? each : line;
                }
            }
            assertThat(line).as("the line of %s", name).isNotNull();
            lines.add(line);
        }
        return lines;
    }

    /** Adds what is missing, but for the node's own line, and takes out the lines of some nodes. */
    private void edit(String node, String file, List<String> more, List<String> without)
            throws IOException {
        assertThat(file).as("what the pool's program opens").isEqualTo(opened);
        List<String> lines = new ArrayList<>(Files.readAllLines(at(node, file)));
        for (String line : more) {
            if (!lines.contains(line) && !line.startsWith("REPLICA " + node + " ")) {
                lines.add(line);
            }
        }
        lines.removeIf(
                line ->
                        without.stream()
                                .anyMatch(gone -> line.startsWith("REPLICA " + gone + " ")));
        Files.write(at(node, file), lines);
    }

    /** Until it prints what the step waits for. */
    private void awaitState(Step step) {
        Awaitility.await(step.what())
                .atMost(PATIENCE)
                .untilAsserted(() -> assertState(step.what(), type("here", step.command())));
    }

    private static void assertState(String what, String said) {
        Matcher set = SET_IS.matcher(what);
        boolean asked = set.find();
        if (asked) {
            assertThat(said).containsPattern("(?m)^set *: " + set.group(1) + "$");
        }
        Matcher leader = LEADER_IS.matcher(what);
        if (leader.find()) {
            assertThat(said).containsPattern("(?m)^leader *: " + leader.group(1) + " ");
        }
        Matcher gone = SET_HAS_NO.matcher(what);
        while (gone.find()) {
            asked = true;
            assertThat(said).doesNotContainPattern("(?m)^set *: .*\\b" + gone.group(1) + "\\b");
        }
        assertThat(asked).as(what).isTrue();
    }

    /** What it prints; it ends with exit code 0. */
    private String type(String machine, String command) throws Exception {
        List<String> words = List.of(command.split(" "));
        assertThat(words.get(0)).isEqualTo("farheap");
        Machines machines = nodes.nodes.machines;
        Process process =
                machines.farheap(words.subList(1, words.size()).toArray(String[]::new))
                        .directory(machines.machine(machine).toFile())
                        .redirectErrorStream(true)
                        .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as("%s on %s says %s", command, machine, said).isZero();
        return said;
    }
}
