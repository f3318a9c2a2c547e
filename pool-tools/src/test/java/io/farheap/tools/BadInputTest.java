package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.ObjectPool;
import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Files that are no pools, or no more, before every command, and before the library. */
class BadInputTest {
    private static final int POOL_BYTES = 8 << 20;
    private static final List<String> READERS = List.of("info", "check", "sync", "sync -d");

    @TempDir private Path dir;

    @BeforeEach
    void aPoolInTwoParts() throws IOException {
        write("two.set", "PMEMPOOLSET\n8M DIR/a\n8M DIR/b\n");
        Run.farheap("create", "-l", "bank", dir.resolve("two.set")).succeeded();
    }

    /** What is done to the directory, and what every reading command and the library must say. */
    private record Case(String name, Change change, List<String> says) {
        @Override
        public String toString() {
            return name;
        }
    }

    private interface Change {
        void in(BadInputTest test) throws IOException;
    }

    private static Case of(String name, Change change, String... says) {
        return new Case(name, change, Arrays.asList(says));
    }

    static List<Case> damagedPools() {
        return List.of(
                of("an empty part", t -> t.truncate("a", 0), "DIR/a", "0"),
                of("a part cut in its header", t -> t.truncate("a", 2000), "DIR/a", "2000"),
                of("a part cut in its data", t -> t.truncate("b", POOL_BYTES - 4096), "DIR/b"),
                of("a later part without header", t -> t.fill("b", 0, 4096), "DIR/b"),
                of("noise for a header", t -> t.noise("a", 0, 4096), "DIR/a"),
                of("noise for a descriptor", t -> t.noise("a", 4096, 2048), "descriptor"),
                of("a text in its place", t -> t.write("a", "no pool\n".repeat(4096)), "DIR/a"));
    }

    static List<Case> mistakes() {
        return List.of(
                of("a unit", t -> t.write("two.set", "PMEMPOOLSET\n8X DIR/a\n"), ":2:1: ", "'8X'"),
                of("a path", t -> t.write("two.set", "PMEMPOOLSET\n8M a\n"), ":2:4: "),
                of("a size", t -> t.write("two.set", "PMEMPOOLSET\n\n1M DIR/a\n"), ":3"),
                of(
                        "an option",
                        t -> t.write("two.set", "PMEMPOOLSET\nOPTION NONE\n8M DIR/a\n"),
                        ":2:8: ",
                        "NONE"),
                of("no part", t -> t.write("two.set", "PMEMPOOLSET\n"), "two.set:"),
                of(
                        "a replica without parts",
                        t -> t.write("two.set", "PMEMPOOLSET\n8M DIR/a\nREPLICA\n"),
                        "two.set:"),
                of(
                        "a replica without a name",
                        t -> t.write("two.set", "PMEMPOOLSET\n8M DIR/a\nREPLICA far\n"),
                        "two.set:3:"));
    }

    @ParameterizedTest
    @MethodSource({"damagedPools", "mistakes"})
    void isBadDataForEveryCommand(Case bad) throws IOException {
        bad.change().in(this);
        Map<Path, String> before = files();
        Path set = dir.resolve("two.set");
        String[] says =
                bad.says().stream()
                        .map(text -> text.replace("DIR", dir.toString()))
                        .toArray(String[]::new);

        for (String command : READERS) {
            List<Object> words = new ArrayList<>(Arrays.asList(command.split(" ")));
            words.add(set);
            Run run = Run.farheap(words.toArray());
            assertThat(run.exitCode()).as(command + ": " + run).isEqualTo(ExitCode.BAD_DATA);
            assertThat(run.out() + run.err()).as(command).contains(says);
            assertThat(run.err()).as(command).doesNotContain("Exception", "\tat ");
            assertThat(files()).as(command).isEqualTo(before);
        }
        assertThatThrownBy(() -> ObjectPool.open(set, "bank"))
                .isInstanceOfSatisfying(
                        FarheapException.class,
                        e -> assertThat(e.category()).isEqualTo(Category.BAD_DATA))
                .hasMessageContainingAll(says);
        assertThat(files()).isEqualTo(before);
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void createsNothingFromAMistake(Case bad) throws IOException {
        Run.agreeing("rm", dir.resolve("two.set")).succeeded();
        bad.change().in(this);
        Map<Path, String> before = files();

        Run.farheap("create", dir.resolve("two.set"))
                .failedWith(ExitCode.BAD_DATA, bad.says().toArray(String[]::new));

        assertThat(files()).isEqualTo(before);
    }

    @Test
    void anotherLayoutIsTheCallersMistake() throws IOException {
        Map<Path, String> before = files();

        assertThatThrownBy(() -> ObjectPool.open(dir.resolve("two.set"), "shop"))
                .isInstanceOfSatisfying(
                        FarheapException.class,
                        e -> assertThat(e.category()).isEqualTo(Category.WRONG_USE))
                .hasMessageContainingAll(dir + "/a", "\"shop\"", "\"bank\"");

        assertThat(files()).isEqualTo(before);
    }

    @Test
    void aPoolsetFileThatIsMistypedIsNotMadeAPool() throws IOException {
        Map<Path, String> before = files();

        Run.farheap("create", dir.resolve("tow.set"))
                .failedWith(ExitCode.ENVIRONMENT, "there is no poolset file", "tow.set");

        assertThat(files()).isEqualTo(before);
    }

    private void write(String name, String text) throws IOException {
        Files.writeString(dir.resolve(name), text.replace("DIR", dir.toString()));
    }

    private void truncate(String name, long size) throws IOException {
        Files.write(dir.resolve(name), Arrays.copyOf(bytes(name), (int) size));
    }

    private void fill(String name, int offset, int length) throws IOException {
        byte[] bytes = bytes(name);
        Arrays.fill(bytes, offset, offset + length, (byte) 0);
        Files.write(dir.resolve(name), bytes);
    }

    private void noise(String name, int offset, int length) throws IOException {
        byte[] noise = new byte[length];
        new Random(7).nextBytes(noise);
        byte[] bytes = bytes(name);
        System.arraycopy(noise, 0, bytes, offset, length);
        Files.write(dir.resolve(name), bytes);
    }

    private byte[] bytes(String name) throws IOException {
        return Files.readAllBytes(dir.resolve(name));
    }

    /** Every file with a hash of its content. */
    private Map<Path, String> files() throws IOException {
        Map<Path, String> files = new TreeMap<>();
        try (Stream<Path> all = Files.list(dir)) {
            all.forEach(file -> files.put(file, hash(file)));
        }
        return files;
    }

    private static String hash(Path file) {
        try {
            byte[] content = Files.readAllBytes(file);
            CRC32C sum = new CRC32C();
            sum.update(content);
            return content.length + " bytes, " + Long.toHexString(sum.getValue());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
