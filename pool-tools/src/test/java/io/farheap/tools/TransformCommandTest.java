package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code farheap transform} of local replicas; sizes are as small as pools can be. */
class TransformCommandTest {
    private static final int OBJECTS = 60;
    private static final int OBJECT_BYTES = 20_000;
    private static final int PAGE = 4096;

    private static final String JOURNAL = ".disk-journal";

    @TempDir private Path dir;

    private Path set(String name, String lines) throws IOException {
        return new PoolSets(dir).write(name, lines);
    }

    /** A set of a pool with content. */
    private Path pool(String name, String lines) throws IOException {
        return new PoolSets(dir).create(name, lines, TransformCommandTest::fill);
    }

    private static void fill(ObjectPool pool) {
        Ref root = pool.root(64);
        for (int i = 0; i < OBJECTS; i++) {
            long number = i;
            pool.transaction(
                    tx -> {
                        Ref object = tx.allocate(OBJECT_BYTES, 7);
                        tx.setRef(object, 0, tx.getRef(root, 0));
                        tx.setLong(object, OBJECT_BYTES - 8, number);
                        tx.setRef(root, 0, object);
                    });
        }
    }

    private static List<Long> content(Path set) {
        try (ObjectPool pool = ObjectPool.open(set, "bank")) {
            List<Long> numbers = new ArrayList<>();
            Ref object = pool.getRef(pool.root(64), 0);
            while (!object.isNull()) {
                numbers.add(pool.getLong(object, OBJECT_BYTES - 8));
                object = pool.getRef(object, 0);
            }
            return numbers.reversed();
        }
    }

    private static void assertWhole(Path set) {
        Run.farheap("check", set).succeeded();
        assertThat(content(set)).hasSize(OBJECTS).isSorted();
        Run.farheap("verify", set).succeeded();
    }

    private Map<String, Long> files() throws IOException {
        Map<String, Long> sums = new TreeMap<>();
        try (Stream<Path> all = Files.list(dir)) {
            for (Path file : all.toList()) {
                CRC32C crc = new CRC32C();
                crc.update(Files.readAllBytes(file));
                sums.put(file.getFileName().toString(), crc.getValue());
            }
        }
        return sums;
    }

    /** From what, to what, the files that are left; a slash is a line end. */
    private static final List<String> CHANGES =
            List.of(
                    "a replica more, 8M @a, 8M @a/REPLICA/9M @b, a b",
                    "a replica of other parts, 16M @a, 16M @a/REPLICA/8M @b/9M @c, a b c",
                    "a replica less, 8M @a/REPLICA/8M @b, 8M @a, a",
                    "the master goes, 8M @a/REPLICA/8M @b, 8M @b, b",
                    "another order, 8M @a/REPLICA/8M @b/REPLICA/8M @c, 8M @c/REPLICA/8M @a/REPLICA/8M @b, a b c",
                    "one for another, 8M @a/REPLICA/8M @b, 8M @a/REPLICA/8M @c, a c",
                    "all others, 8M @a/REPLICA/8M @b, 8M @c/8M @d, c d",
                    "a part more, 8M @a, 8M @a/8M @b, a b",
                    "a part less, 8M @a/8M @b, 16M @a, a",
                    "parts in another order, 8M @a/9M @b, 9M @b/8M @a, a b",
                    "files that change roles, 9M @a/REPLICA/9M @b, 9M @b/9M @a, a b",
                    "one header, 8M @a/8M @b, OPTION SINGLEHDR/8M @a/8M @b, a b",
                    "all headers, OPTION SINGLEHDR/8M @a/8M @b, 8M @a/9M @b, a b");

    /** All, or one in four. */
    static Stream<Arguments> changes() {
        return IntStream.range(0, CHANGES.size())
                .filter(i -> Boolean.getBoolean("test.deep") || i % 4 == 0)
                .mapToObj(i -> Arguments.of((Object[]) CHANGES.get(i).split(", ")));
    }

    @ParameterizedTest
    @Tag("sliced")
    @MethodSource("changes")
    void thePoolIsWhatTheNewPoolsetSays(String what, String from, String to, String left)
            throws IOException {
        Path before = pool("from.set", from.replace('/', '\n'));
        Path after = set("to.set", to.replace('/', '\n'));
        Map<String, Long> untouched = files();

        Run dryRun = Run.farheap("transform", "-d", before, after).succeeded();
        assertThat(dryRun.out()).contains("nothing was changed");
        assertThat(files()).as("a dry run, %s", what).isEqualTo(untouched);

        Run run = Run.agreeing("transform", before, after).succeeded();

        assertThat(run.out().lines().filter(line -> line.startsWith("will ")))
                .containsExactlyElementsOf(
                        dryRun.out()
                                .lines()
                                .filter(line -> line.startsWith("would "))
                                .map(line -> line.replaceFirst("would", "will"))
                                .toList());
        assertThat(run.out())
                .endsWith(after + ": the pool is as this file says; use it from now on\n");
        List<String> parts = List.of(left.split(" "));
        Set<String> names = new TreeSet<>(files().keySet());
        // On an ordinary disk those that stay may have one; those that went have left none.
        names.removeIf(
                name ->
                        name.endsWith(JOURNAL)
                                && parts.contains(
                                        name.substring(0, name.length() - JOURNAL.length())));
        assertThat(names)
                .containsExactlyInAnyOrderElementsOf(
                        Stream.concat(Stream.of("from.set", "to.set"), parts.stream()).toList());
        assertWhole(after);

        // What is done is known to be done, where a file of both tells that the pool is the same.
        Run again = Run.farheap("transform", before, after);
        if (what.equals("all others")) {
            again.failedWith(
                    ExitCode.BAD_DATA, "source poolset is broken", "missing", "made before");
        } else {
            assertThat(again.succeeded().out())
                    .startsWith("nothing is left to do\n")
                    .doesNotContain("will ", ": made", ": removed", "compared");
        }
        assertWhole(after);
    }

    @Test
    void replicasInBothFilesAreNotWrittenToButForTheirLinks() throws IOException {
        Path before = pool("from.set", "8M @a\n8M @b\n");
        byte[] first = Files.readAllBytes(dir.resolve("a"));
        Path after = set("to.set", "8M @a\n8M @b\nREPLICA\n16M @c\n");

        Run run = Run.farheap("transform", "-v", before, after).succeeded();

        assertThat(run.out())
                .startsWith("replica 0 (" + dir.resolve("a") + ") stays as it is")
                .contains("will write the new neighbours into 2 headers that stay");
        byte[] now = Files.readAllBytes(dir.resolve("a"));
        assertThat(Arrays.mismatch(first, PAGE, first.length, now, PAGE, now.length)).isEqualTo(-1);
    }

    @Test
    void theHeapTakesTheRoomOfNewParts() throws IOException {
        Path before = pool("from.set", "8M @a\n");
        Path after = set("to.set", "8M @a\n24M @b\n");
        Run.agreeing("transform", before, after).succeeded();
        try (ObjectPool pool = ObjectPool.open(after, "bank")) {
            pool.transaction(tx -> tx.allocate(20 << 20, 8));
        }
        assertWhole(after);
    }

    @Test
    void aPlainPoolGetsAReplica() throws IOException {
        Path plain = dir.resolve("a");
        try (ObjectPool pool = ObjectPool.at(plain).layout("bank").size(8 << 20).create()) {
            fill(pool);
        }
        Path after = set("to.set", "8M @a\nREPLICA\n8M @b\n");
        Run.farheap("transform", plain, after).succeeded();
        assertWhole(after);
    }

    @Test
    void aReplicaThatIsLostCanGo() throws IOException {
        Path before = pool("from.set", "8M @a\nREPLICA\n8M @b\n8M @c\n");
        Files.delete(dir.resolve("b"));
        Path after = set("to.set", "8M @a\n");
        Run.agreeing("transform", before, after).succeeded();
        assertWhole(after);
        assertThat(dir.resolve("c")).doesNotExist();
    }

    @Test
    void anOldPoolsetFileOpensNothingAnyMore() throws IOException {
        Path before = pool("from.set", "8M @a\nREPLICA\n8M @b\n");
        Path after = set("to.set", "8M @a\nREPLICA\n8M @c\n");
        Run.agreeing("transform", before, after).succeeded();
        Run.farheap("check", before).failedWith(ExitCode.BAD_DATA, dir.resolve("b").toString());
    }

    @Test
    void printsItForPrograms() throws IOException {
        Path before = pool("from.set", "8M @a\nREPLICA\n8M @b\n");
        Path after = set("to.set", "8M @a\nREPLICA\n8M @c\n");
        Run run = Run.farheap("transform", "--json", before, after).succeeded();
        JsonNode json = JsonMapper.builder().build().readTree(run.out());
        assertThat(json.get("dryRun").asBoolean()).isFalse();
        assertThat(json.get("plan")).hasSize(3);
        List<String> verdicts = new ArrayList<>();
        json.get("replicas").forEach(replica -> verdicts.add(replica.get("verdict").asText()));
        assertThat(verdicts).containsExactly("KEPT", "MADE", "REMOVED");
    }

    @Test
    void filesThatGetOtherHeadersInTheirPlaceAreNotSaidToBeRemoved() throws IOException {
        Path before = pool("from.set", "8M @a\n8M @b\n");
        Path after = set("to.set", "OPTION SINGLEHDR\n8M @a\n8M @b\n");

        Run run = Run.agreeing("transform", before, after).succeeded();

        assertThat(run.out())
                .contains("will replace the files of old replica 0 (" + dir.resolve("a") + ")")
                .doesNotContain("remove");
    }

    // ---- refused, and nothing is changed ----

    @ParameterizedTest
    @CsvSource({
        "equal, 8M @a, 8M @a, 2, both poolsets are equal",
        "too small, 16M @a, 8M @a/REPLICA/8M @b, 2, target poolset is too small",
        "no room for headers, OPTION SINGLEHDR/8M @a/8M @b, 8M @a/8M @b, 2, target poolset is too small",
        "twice, 8M @a, 8M @a/REPLICA h x.set/REPLICA h x.set, 1, used twice",
        "a file that is there, 8M @a, 8M @a/REPLICA/8M @other, 2, already exist",
        "no directory, 8M @a, 8M @a/REPLICA/8M @no/b, 3, does not exist",
        "a mistake, 8M @a, 8X @a, 1, to.set:2:1",
        "a directory, 8M @a, OPTION SINGLEHDR/64M @, 2, directory poolsets is not supported"
    })
    void whatCanNotBeIsRefused(String what, String from, String to, int code, String says)
            throws IOException {
        Path before = pool("from.set", from.replace('/', '\n'));
        Files.writeString(dir.resolve("other"), "mine");
        Path after = set("to.set", to.replace("/", "\n").replace("@no\nb", "@no/b"));
        Map<String, Long> untouched = files();

        for (String option : List.of("-d", "-v")) {
            Run run = Run.farheap("transform", option, before, after);
            run.failedWith(code, says);
            assertThat(run.out()).as(what).isEmpty();
            assertThat(files()).as(what).isEqualTo(untouched);
        }
    }

    @Test
    void anotherPoolIsNotWhatAPoolThatNeverWasBecame() throws IOException {
        Path before = set("from.set", "8M @a\nREPLICA\n8M @b\n");
        Path after = pool("to.set", "8M @c\n");
        Map<String, Long> untouched = files();

        Run run = Run.farheap("transform", before, after);

        run.failedWith(ExitCode.BAD_DATA, "source poolset is broken", dir.resolve("a").toString());
        assertThat(run.out()).isEmpty();
        assertThat(files()).isEqualTo(untouched);
    }

    @Test
    void aPoolThatIsOpenOrBrokenIsRefused() throws IOException {
        Path before = pool("from.set", "8M @a\nREPLICA\n8M @b\n");
        Path after = set("to.set", "8M @a\nREPLICA\n8M @b\nREPLICA\n8M @c\n");
        try (ObjectPool pool = ObjectPool.open(before, "bank")) {
            assertThat(pool.root(64).isNull()).isFalse();
            Run.farheap("transform", before, after).failedWith(ExitCode.ENVIRONMENT, "in use");
        }
        Files.delete(dir.resolve("b"));
        Map<String, Long> untouched = files();
        Run.farheap("transform", before, after)
                .failedWith(ExitCode.BAD_DATA, "source poolset is broken", "missing", "sync");
        assertThat(files()).isEqualTo(untouched);
    }

    @Test
    void theCopyOfALaterRunIsNeverLost() throws IOException {
        Path before = pool("from.set", "8M @a\nREPLICA\n8M @b\n8M @c\n");
        Path old = dir.resolve("old");
        Files.copy(dir.resolve("a"), old);
        assertThat(content(before)).hasSize(OBJECTS);
        Files.move(old, dir.resolve("a"), StandardCopyOption.REPLACE_EXISTING);
        Files.delete(dir.resolve("c"));
        Path after = set("to.set", "8M @a\n");
        Run.farheap("transform", before, after)
                .failedWith(ExitCode.BAD_DATA, "later run", dir.resolve("b").toString());
    }
}
