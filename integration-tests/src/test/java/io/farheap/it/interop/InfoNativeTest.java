package io.farheap.it.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code farheap info} beside {@code pmempool info}: the same facts of the same pools. */
class InfoNativeTest {
    private static final List<String> HEADER =
            List.of(
                    "Signature",
                    "Major",
                    "Pool set UUID",
                    "UUID",
                    "Previous part UUID",
                    "Next part UUID",
                    "Previous replica UUID",
                    "Next replica UUID",
                    "char",
                    "long double",
                    "void *",
                    "Class",
                    "Data",
                    "Machine",
                    "Last shutdown",
                    "Checksum",
                    "Layout",
                    "Lanes offset",
                    "Number of lanes",
                    "Heap offset",
                    "Heap size",
                    "Root offset",
                    "Run id",
                    "Chunk size",
                    "Chunks per zone");

    private static final int SEEDS = 20;

    private static final List<String> STATISTICS =
            List.of("Number of zones", "Number of used zones", "Number of chunks", "Used units");

    @TempDir private Path directory;
    private Path file;

    @BeforeEach
    void aPoolInUse() {
        NativeJudge.require();
        file = directory.resolve("a.pool");
        try (ObjectPool pool = ObjectPool.at(file).layout("info").size(16 << 20).create()) {
            Ref root = pool.root(500);
            pool.transaction(
                    tx -> {
                        for (int i = 0; i < 200; i++) {
                            tx.allocateZeroed(60 + 90 * (i % 7), 1 + i % 3);
                        }
                        tx.setRef(root, 0, tx.allocate(1 << 20, 9));
                    });
        }
    }

    /** All values of each label, in order; marks in brackets are not compared. */
    private static Map<String, List<String>> facts(String text) {
        Map<String, List<String>> facts = new TreeMap<>();
        for (String line : text.lines().toList()) {
            int colon = line.indexOf(": ");
            if (colon > 0) {
                String value = line.substring(colon + 2).replaceFirst("\\[[0-9].*", "").strip();
                facts.computeIfAbsent(line.substring(0, colon).strip(), l -> new ArrayList<>())
                        .add(value);
            }
        }
        return facts;
    }

    private Map<String, List<String>> theirs(String... options) {
        List<String> command = new ArrayList<>(List.of("pmempool", "info"));
        command.addAll(List.of(options));
        command.add(file.toString());
        NativeJudge.Answer answer = NativeJudge.run(command.toArray(String[]::new));
        assertThat(answer.exitCode()).as("%s", answer).isZero();
        return facts(answer.out());
    }

    private Map<String, List<String>> ours(String... options) {
        List<String> words = new ArrayList<>(List.of("info"));
        words.addAll(List.of(options));
        words.add(file.toString());
        NativeJudge.Answer answer = NativeTools.farheap(words);
        assertThat(answer.exitCode()).as("%s", answer).isZero();
        return facts(answer.out());
    }

    @Test
    void headersAreTheSame() {
        Map<String, List<String>> theirs = theirs("-v", "-H");
        Map<String, List<String>> ours = ours("-v", "-H");
        for (String label : HEADER) {
            assertThat(ours.get(label)).as(label).isNotNull().isEqualTo(theirs.get(label));
        }
        assertThat(ours.get("Mandatory features")).isEqualTo(theirs.get("Mandatory features"));
    }

    @Test
    void statisticsAreTheSame() {
        Map<String, List<String>> theirs = theirs("-s");
        Map<String, List<String>> ours = ours("-s");
        for (String label : STATISTICS) {
            assertThat(ours.get(label))
                    .as(label)
                    .isNotNull()
                    .containsExactlyInAnyOrderElementsOf(theirs.get(label));
        }
        for (String label : List.of("Total chunks size", "Total bytes", "Total used bytes")) {
            assertThat(ours.get(label)).as(label).isNotNull().isEqualTo(theirs.get(label));
        }
    }

    @Test
    void objectsAndBlocksAreTheSame() {
        assertThat(ours("-O").get("Offset")).isNotNull().isEqualTo(theirs("-O").get("Offset"));
        Map<String, List<String>> theirs = theirs("-H", "-Z", "-C");
        Map<String, List<String>> ours = ours("-Z", "-C");
        for (String label : List.of("Type", "Size idx", "Block size", "Bitmap")) {
            assertThat(ours.get(label)).as(label).isNotNull().isEqualTo(theirs.get(label));
        }
    }

    @Test
    void whatRecoveryNeedsIsTheSame() {
        List<String> theirs = List.of();
        for (int seed = 1; theirs.isEmpty() && seed <= SEEDS; seed++) {
            NativeJudge.die(file, seed, 5);
            String text = NativeTools.pmempool("info", "-l", "-R", file.toString()).out();
            theirs = entries(text);
        }
        assertThat(theirs).as("none of %d seeds dies with an undo log", SEEDS).isNotEmpty();
        NativeJudge.Answer ours = NativeTools.farheap(List.of("info", "-lR", file.toString()));
        assertThat(entries(ours.out())).isEqualTo(theirs);
    }

    /** Offset and size of each entry of undo logs, wherever in a line. */
    private static List<String> entries(String text) {
        return Pattern.compile("Offset: 0x[0-9a-f]{16} Size: [0-9]+")
                .matcher(text)
                .results()
                .map(MatchResult::group)
                .toList();
    }
}
