package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.tools.DamagedPools.Kind;
import io.farheap.tools.DamagedPools.Structure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The runbook's table of local replicas, row by row and either way round: its state is made, its
 * command is typed, and both replicas have what the row says.
 */
class LocalRunbookTest {
    private static final Pattern COMMAND = Pattern.compile("`farheap ([^`]*)`");
    private static final List<String> STATES =
            List.of("good", "one part lost", "lost", "damaged", "old");
    private static final String ONE_LOST = "one part lost";
    private static final Pattern AWAY =
            Pattern.compile(
                    "move the (\\w+) one's parts away|move what is left of the one that lost a part"
                            + " away");
    private static final Map<String, List<String>> PARTS =
            Map.of("first", List.of("a", "b"), "second", List.of("c", "d"));

    @TempDir private static Path dir;
    private static DamagedPools pools;

    /** A row of the table, or the same the other way round. */
    private record Row(String first, String second, String what, String lost, int part) {
        private String of(String replica) {
            return replica.equals("first") ? first : second;
        }

        private Row turned() {
            return new Row(second, first, what, lost, part);
        }

        /** The same with another part lost, where one is. */
        private Stream<Row> eachPart() {
            boolean any = first.equals(ONE_LOST) || second.equals(ONE_LOST);
            return any ? Stream.of(this, new Row(first, second, what, lost, 1)) : Stream.of(this);
        }

        @Override
        public String toString() {
            return first + ", " + second;
        }
    }

    @BeforeAll
    static void pools() throws IOException {
        pools = new DamagedPools(dir);
    }

    private static List<Row> table() throws IOException {
        return Files.readAllLines(Path.of("../docs/runbook.md")).stream()
                .dropWhile(line -> !line.equals("### Local replicas"))
                .skip(1)
                .takeWhile(line -> !line.startsWith("#"))
                .filter(line -> line.startsWith("| ") && line.endsWith(" |"))
                .map(line -> line.substring(2, line.length() - 2).split(" \\| "))
                .filter(cell -> STATES.contains(cell[0]))
                .map(cell -> new Row(cell[0], cell[1], cell[2], cell[3], 0))
                .toList();
    }

    private static List<Row> rows() throws IOException {
        List<Row> rows = new ArrayList<>();
        for (Row row : table()) {
            if (COMMAND.matcher(row.what()).find()) {
                rows.add(row);
                if (!row.first().equals(row.second())) {
                    rows.add(row.turned());
                }
            }
        }
        return rows.stream().flatMap(Row::eachPart).toList();
    }

    static Stream<Row> someRows() throws IOException {
        List<Row> rows = rows();
        return IntStream.range(0, rows.size())
                .filter(i -> Boolean.getBoolean("test.deep") || i % 4 == 0)
                .mapToObj(rows::get);
    }

    @Test
    void everyCombinationIsInIt() throws IOException {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < STATES.size(); i++) {
            for (int j = i; j < STATES.size(); j++) {
                all.add(STATES.get(i) + ", " + STATES.get(j));
            }
        }
        assertThat(table().stream().map(Row::toString)).containsExactlyInAnyOrderElementsOf(all);
        assertThat(rows()).hasSizeGreaterThan(10);
    }

    @ParameterizedTest
    @Tag("sliced")
    @MethodSource("someRows")
    void whatIsTypedBringsBackAllThatIsSaid(Row row) throws IOException {
        put(row);
        requireNothingElseHelps(row);
        moveAway(row);
        Matcher command = COMMAND.matcher(row.what());
        assertThat(command.find()).isTrue();
        Path set = dir.resolve("r.set");
        Object[] words = command.group(1).replace("bank.set", set.toString()).split(" ");
        Run run = Run.farheap(words);
        assertThat(run.exitCode()).as(run.out() + run.err()).isZero();

        Run.farheap("check", set).succeeded();
        int rounds = row.lost().equals("nothing") ? 2 : 1;
        pools.requireContent(set, "bank", rounds);
        // Either one alone has it, too.
        for (List<String> parts : PARTS.values()) {
            pools.put(parts.get(0), null);
            pools.put(parts.get(1), null);
            assertThat(Run.farheap("sync", set).exitCode()).isZero();
            pools.requireContent(set, "bank", rounds);
        }
    }

    private static void put(Row row) throws IOException {
        for (String replica : PARTS.keySet()) {
            for (String part : PARTS.get(replica)) {
                boolean lost =
                        row.of(replica).equals(ONE_LOST)
                                && PARTS.get(replica).indexOf(part) == row.part();
                pools.put(part, lost ? null : of(part, row.of(replica)));
            }
        }
    }

    static List<Row> rowsOfBackups() throws IOException {
        return table().stream()
                .filter(row -> row.what().contains("put a backup"))
                .flatMap(Row::eachPart)
                .toList();
    }

    @ParameterizedTest
    @MethodSource("rowsOfBackups")
    void whereOnlyABackupHelpsNothingIsChangedAndItDoes(Row row) throws IOException {
        put(row);
        if (row.of("first").contains("lost")) {
            requireHarmless(row, "sync"); // else nothing is missing, and it looks no further
        }
        requireHarmless(row, "check", "-r", "-y");
        assertThat(row.lost()).isEqualTo("what came after the backup");
        for (List<String> parts : PARTS.values()) {
            for (String part : parts) {
                pools.put(part, pools.old(part));
            }
        }
        Run.farheap("check", dir.resolve("r.set")).succeeded();
        pools.requireContent(dir.resolve("r.set"), "bank", 1);
    }

    /** Where the row says more than the plain command, that one does no harm. */
    private static void requireNothingElseHelps(Row row) throws IOException {
        if (row.what().contains(" away")) {
            requireHarmless(row, "sync");
        }
    }

    private static void requireHarmless(Row row, String... words) throws IOException {
        Map<String, byte[]> before = bytes();
        List<Object> command = new ArrayList<>(List.of(words));
        command.add(dir.resolve("r.set"));
        assertThat(Run.farheap(command.toArray()).exitCode()).as("%s", row).isNotZero();
        Map<String, byte[]> after = bytes();
        assertThat(after.keySet()).isEqualTo(before.keySet());
        before.forEach((part, bytes) -> assertThat(after.get(part)).isEqualTo(bytes));
    }

    private static Map<String, byte[]> bytes() throws IOException {
        Map<String, byte[]> all = new TreeMap<>();
        for (String part : pools.partsOf("r.set")) {
            if (Files.exists(dir.resolve(part))) {
                all.put(part, Files.readAllBytes(dir.resolve(part)));
            }
        }
        return all;
    }

    private static void moveAway(Row row) throws IOException {
        Matcher away = AWAY.matcher(row.what());
        if (away.find()) {
            String state = away.group(1) == null ? ONE_LOST : away.group(1);
            for (String replica : PARTS.keySet()) {
                if (row.of(replica).equals(state)) {
                    for (String part : PARTS.get(replica)) {
                        pools.put(part, null);
                    }
                }
            }
        }
    }

    private static byte[] of(String part, String state) {
        return switch (state) {
            case "good", ONE_LOST -> pools.sound(part);
            case "old" -> pools.old(part);
            case "lost" -> null;
            default -> damaged(part);
        };
    }

    private static byte[] damaged(String part) {
        if (!PARTS.get("first").get(0).equals(part) && !PARTS.get("second").get(0).equals(part)) {
            return pools.sound(part);
        }
        int place = pools.place(part, Structure.CHUNK_HEADER, new Random(7));
        return pools.damaged(part, place, Structure.CHUNK_HEADER.length(), Kind.NOISE, 7);
    }
}
