package io.farheap.it.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.farheap.it.system.ReplicaCopy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The runbook's table, row by row: its state is made, its command is typed, and the pool and each
 * copy of it have every note whose commit had returned, as programs told when it had. Some rows
 * drawn from a seed ({@code farheap.runbook.seed}), as many as {@code farheap.runbook.rows} says.
 */
@Tag("deep")
@Timeout(600)
class RunbookTest {
    private static final int ROWS = Integer.getInteger("farheap.runbook.rows", 3);
    private static final long SEED =
            Long.getLong("farheap.runbook.seed", new Random().nextInt(1_000_000));
    private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|(\\S+)");
    private static final List<String> COPIES = List.of("here", "one", "two");

    /** A row of the table. */
    private record Row(String here, String one, String two, String command, String lost) {
        private String of(String copy) {
            return copy.equals("here") ? here : copy.equals("one") ? one : two;
        }

        private boolean isTyped() {
            return command.startsWith("`");
        }

        private boolean isInOrder() {
            return Stream.of(here, one, two).allMatch("good"::equals);
        }

        @Override
        public String toString() {
            return here + ", " + one + ", " + two + " (seed " + SEED + ")";
        }
    }

    /** The files of all machines, and the last note that had returned then. */
    private record Moment(Map<Path, byte[]> files, long notes) {}

    private static SyncSite site;

    /** By how many replicas, the last ones, are old. */
    private static final List<Moment> MOMENTS = new ArrayList<>();

    private static Moment backup;

    @BeforeAll
    static void aPoolAndItsHistory() throws Exception {
        site = new SyncSite(8, "one", "two").patient();
        site.machines().set("FARHEAP_POLICY", "degrade");
        backup = after(10);
        MOMENTS.add(after(10));
        site.machines().takeDown("two");
        MOMENTS.add(after(10));
        put(MOMENTS.get(0).files());
        site.machines().takeDown("one");
        MOMENTS.add(after(10));
        site.machines().bringUp("one");
        site.machines().bringUp("two");
    }

    @AfterAll
    static void close() {
        site.close();
    }

    /** A program adds notes; its output is the log of what it was told to be durable. */
    private static Moment after(int more) throws Exception {
        List<String> acknowledged = site.addNotes(more);
        assertThat(acknowledged).hasSize(more);
        quiet();
        return new Moment(files(), Long.parseLong(acknowledged.get(more - 1)));
    }

    private static void quiet() {
        for (String target : List.of("one", "two")) {
            await().until(() -> !site.machines().isBusy(target));
        }
    }

    private static Map<Path, byte[]> files() throws IOException {
        Map<Path, byte[]> all = new TreeMap<>();
        for (String copy : COPIES) {
            try (Stream<Path> files = Files.list(site.machines().machine(copy))) {
                for (Path file : files.filter(RunbookTest::isOfAPool).toList()) {
                    all.put(file, Files.readAllBytes(file));
                }
            }
        }
        return all;
    }

    private static boolean isOfAPool(Path file) {
        String name = file.getFileName().toString();
        return !name.endsWith(".set") && !name.startsWith("agent.") && !name.equals("down");
    }

    private static void put(Map<Path, byte[]> all) throws IOException {
        for (Path file : files().keySet()) {
            Files.delete(file);
        }
        for (Map.Entry<Path, byte[]> file : all.entrySet()) {
            Files.write(file.getKey(), file.getValue());
        }
    }

    // ---- the table ----

    private static List<Row> table() throws IOException {
        return table("## Every combination");
    }

    private static List<Row> table(String title) throws IOException {
        return Files.readAllLines(Path.of("../docs/runbook.md")).stream()
                .dropWhile(line -> !line.equals(title))
                .skip(1)
                .takeWhile(line -> !line.startsWith("#"))
                .filter(line -> line.startsWith("| ") && line.endsWith(" |"))
                .map(line -> line.substring(2, line.length() - 2).split(" \\| "))
                .filter(cell -> List.of("good", "lost", "old").contains(cell[0]))
                .map(cell -> new Row(cell[0], cell[1], cell[2], cell[3], cell[4]))
                .toList();
    }

    static List<Row> rows() throws IOException {
        List<Row> rows = new ArrayList<>(table().stream().filter(Row::isTyped).toList());
        Collections.shuffle(rows, new Random(SEED));
        return rows.subList(0, Math.min(ROWS, rows.size()));
    }

    @Test
    void everyCombinationIsInIt() throws IOException {
        List<String> states = List.of("good", "lost", "old");
        List<String> all = new ArrayList<>();
        for (String here : states) {
            for (int one = 0; one < 3; one++) {
                for (int two = one; two < 3; two++) {
                    all.add(here + " " + states.get(one) + " " + states.get(two));
                }
            }
        }
        assertThat(table().stream().map(row -> row.here() + " " + row.one() + " " + row.two()))
                .containsExactlyInAnyOrderElementsOf(all);
        assertThat(table().stream().filter(row -> !row.isTyped()).map(Row::here))
                .containsExactly("lost");
        assertThat(table().stream().map(row -> lastNote(row)).distinct()).hasSize(3);
    }

    // ---- what must be so ----

    @ParameterizedTest
    @MethodSource("rows")
    void whatIsTypedBringsBackAllThatIsSaid(Row row) throws Exception {
        make(row);
        if (!row.command().equals("`farheap sync bank.set`") && !row.isInOrder()) {
            Map<Path, Long> before = site.sums();
            SyncSite.Run plain = site.sync();
            assertThat(plain.exitCode()).as("the plain sync refuses: %s", plain.out()).isNotZero();
            quiet();
            assertThat(site.sums()).isEqualTo(before);
        }
        SyncSite.Run run = site.farheap(words(row.command()));
        assertThat(run.exitCode()).as("%s%n%s", run.out(), run.err()).isZero();
        quiet();
        site.assertOfOneEpoch();
        long last = lastNote(row);
        List<Long> notes = LongStream.rangeClosed(1, last).boxed().toList();
        for (String target : List.of("one", "two")) {
            try (ReplicaCopy copy = ReplicaCopy.of(site.remote(target))) {
                assertThat(copy.promote()).isNotNull();
                assertThat(Notes.in(copy.set(), pool -> null).reversed()).isEqualTo(notes);
            }
        }
        assertThat(site.notesHere().reversed()).isEqualTo(notes);
    }

    static List<Row> rowsWithATargetAway() throws IOException {
        List<Row> rows = table("### While a target can't be reached");
        assertThat(rows).hasSize(2);
        return rows;
    }

    /** Nobody knows what the one that is away has: it is left alone, and never joined unasked. */
    @ParameterizedTest
    @MethodSource("rowsWithATargetAway")
    void thePoolComesBackWhileATargetIsAway(Row row) throws Exception {
        make(row);
        String away = row.one().equals("away") ? "one" : "two";
        String other = away.equals("one") ? "two" : "one";
        byte[] before = Files.readAllBytes(site.remote(away));
        List<Long> notes = LongStream.rangeClosed(1, lastNote(row)).boxed().toList();
        site.machines().takeDown(away);
        try {
            String[] words = {
                "(" + away + " copy.set) can't be reached, and may be newer than replica ",
                "farheap sync --from \"" + other + " copy.set\" " + site.set()
            };
            site.sync().failedWith(4, words);
            assertThat(site.part(0)).doesNotExist();
            site.sync("--from", away + " copy.set").failedWith(4, "No route to host");

            SyncSite.Run run = site.farheap(words(row.command()));
            assertThat(run.exitCode()).as("%s%n%s", run.out(), run.err()).isEqualTo(5);
            assertThat(run.out())
                    .anyMatch(line -> line.endsWith(": is not touched: it can't be reached"))
                    .anyMatch(line -> line.contains("--overwrite \"" + away + " copy.set\""));
        } finally {
            site.machines().bringUp(away);
        }
        quiet();
        assertThat(site.notesHere().reversed()).isEqualTo(notes);
        assertThat(Files.readAllBytes(site.remote(away))).isEqualTo(before);

        Map<Path, Long> sums = site.sums();
        site.sync().failedWith(4, "can't be compared", "--overwrite \"" + away + " copy.set\"");
        quiet();
        assertThat(site.sums()).isEqualTo(sums);
        long number = site.slot(away).cur();
        assertThatThrownBy(() -> site.assertHasNotes(notes.size()))
                .hasMessageContaining("can't be compared");
        assertThat(site.slot(away).cur()).as("it was not joined").isEqualTo(number);
        assertThat(site.sync("--overwrite", away + " copy.set").exitCode()).isZero();
        site.assertOfOneEpoch();
        site.assertHasNotes(notes.size());
    }

    private static void make(Row row) throws IOException {
        Map<Path, byte[]> files = new TreeMap<>(moment(row).files());
        for (String copy : COPIES) {
            Path machine = site.machines().machine(copy);
            if (row.of(copy).equals("lost")) {
                files.keySet().removeIf(file -> file.startsWith(machine));
            }
        }
        if (row.here().equals("old")) {
            List.of(site.part(0), site.part(1))
                    .forEach(part -> files.put(part, backup.files().get(part)));
        }
        put(files);
    }

    private static Moment moment(Row row) {
        int old = row.two().equals("old") ? 1 : 0;
        return MOMENTS.get(row.one().equals("old") ? 2 : old);
    }

    /** What the row says that is there in the end. */
    private static long lastNote(Row row) {
        return switch (row.lost()) {
            case "nothing" -> moment(row).notes();
            case "what came after it was left out", "what came after they were left out" ->
                    MOMENTS.get(0).notes();
            case "what came after the backup" -> backup.notes();
            default -> throw new AssertionError("not understood: " + row.lost());
        };
    }

    private static List<String> words(String command) {
        assertThat(command).startsWith("`farheap ").endsWith("`");
        List<String> words = new ArrayList<>();
        Matcher matcher = WORD.matcher(command.substring(9, command.length() - 1));
        while (matcher.find()) {
            String word = matcher.group(1) != null ? matcher.group(1) : matcher.group(2);
            words.add(word.equals("bank.set") ? site.set().toString() : word);
        }
        return words;
    }
}
