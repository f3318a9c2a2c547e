package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.layout.PoolUuid;
import io.farheap.pool.CreateOptions;
import io.farheap.pool.PoolFiles;
import io.farheap.pool.PoolSource;
import io.farheap.replication.journal.JournalLayout;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RmCommandTest {
    @TempDir Path dir;

    @Test
    void removesAPlainPool() throws IOException {
        Path pool = pool("a.pool");

        Run.agreeing("rm", pool).succeeded();

        assertThat(left()).isEmpty();
    }

    @Test
    void ofASymbolicLinkTheContentStaysAndIsNamed() throws IOException {
        Path pool = pool("a.pool");
        Path link = Files.createSymbolicLink(dir.resolve("link"), pool);

        assertThat(Run.agreeing("rm", link).succeeded().out())
                .isEqualTo(
                        "left '" + pool.toRealPath() + "': only a symbolic link to it is gone\n");

        assertThat(left()).containsExactly(pool);
    }

    /** The pool that it says not to open is there as before. */
    @Test
    void ofASymbolicLinkTheTermOfTheContentStays() throws IOException {
        Path pool = pool("a.pool");
        Path link = Files.createSymbolicLink(dir.resolve("link"), pool);
        Path term = Files.createFile(dir.resolve("a.pool.term"));
        Path unused = Files.createFile(dir.resolve("link.term"));

        Run.agreeing("rm", link).succeeded();

        assertThat(left()).containsExactlyInAnyOrder(pool, term);
    }

    @Test
    void removesTheNotesOfLostReplicasAndNothingElseBesideAPart() throws IOException {
        Path pool = pool("a.pool");
        Files.createFile(dir.resolve("a.pool.0123abcd.dirty"));
        Files.createFile(dir.resolve("a.pool.term"));
        Path other = Files.createFile(dir.resolve("a.pool.set"));
        Path deeper = Files.createFile(dir.resolve("a.pool.b.0123abcd.dirty"));

        Run.agreeing("rm", pool).succeeded();

        assertThat(left()).containsExactlyInAnyOrder(other, deeper);
    }

    @Test
    void removesTheJournalOfWhatWasAReplicaAndNoOtherFileOfThatName() throws IOException {
        Path pool = pool("a.pool");
        Path journal = Files.writeString(dir.resolve("a.pool.journal"), "somebody's");
        Run.agreeing("rm", pool).succeeded();
        assertThat(left()).containsExactly(journal);

        pool("a.pool");
        Files.delete(journal);
        try (Arena arena = Arena.ofShared();
                FileChannel file =
                        FileChannel.open(
                                journal,
                                StandardOpenOption.CREATE,
                                StandardOpenOption.READ,
                                StandardOpenOption.WRITE)) {
            long bytes = JournalLayout.fileBytes(1 << 16);
            MemorySegment memory = file.map(FileChannel.MapMode.READ_WRITE, 0, bytes, arena);
            JournalLayout.writeHeader(memory, 1 << 16, PoolUuid.random().bytes());
        }
        Files.createFile(dir.resolve("a.pool.journal.lock"));
        Run.agreeing("rm", pool).succeeded();
        assertThat(left()).isEmpty();
    }

    @Test
    void removesAllPartsButThePoolsetFileOnlyWhenTold() throws IOException {
        Path set = set();
        Run.agreeing("rm", set).succeeded();
        assertThat(left()).containsExactly(set);

        Run.agreeing("rm", "--force", "--local", set()).succeeded();
        assertThat(left()).isEmpty();
    }

    @Test
    void removesNothingWhenAPartIsMissing() throws IOException {
        Path set = set();
        Files.delete(dir.resolve("b"));
        List<Path> before = left();

        Run.farheap("rm", set)
                .failedWith(ExitCode.ENVIRONMENT, dir.resolve("b") + "': No such file", "-f");

        assertThat(left()).isEqualTo(before);
        Run.agreeing("rm", "-f", set).succeeded();
        assertThat(left()).containsExactly(set);
    }

    @Test
    void removesNothingWhileAPoolIsInUse() throws IOException {
        Path first = pool("first");
        Path second = pool("second");
        try (PoolFiles inUse = PoolFiles.open(PoolSource.of(second))) {
            assertThat(inUse.poolId()).isNotZero();

            Run.farheap("rm", first, second).failedWith(ExitCode.ENVIRONMENT, second.toString());
        }
        assertThat(left()).containsExactly(first, second);
    }

    @Test
    void removesNothingThatIsNoPool() throws IOException {
        Path foreign = Files.write(dir.resolve("foreign"), new byte[8192]);
        Path empty = Files.createFile(dir.resolve("short"));

        Run.farheap("rm", foreign).failedWith(ExitCode.BAD_DATA, foreign.toString(), "nothing");
        Run.farheap("rm", empty).failedWith(ExitCode.BAD_DATA, empty.toString());
        Run.farheap("rm", "-f", dir).failedWith(ExitCode.BAD_DATA, dir.toString());

        assertThat(left()).containsExactly(foreign, empty);
    }

    /** A directory that can't be entered stops no test of root; a loop of links does. */
    @Test
    void forceDoesNotTakeAPartThatCannotBeLookedAtForAMissingOne() throws IOException {
        Path set = set();
        Files.move(dir.resolve("b"), dir.resolve("kept"));
        Files.createSymbolicLink(dir.resolve("b"), dir.resolve("b"));
        String why = dir.resolve("b") + " cannot be read: Too many levels of symbolic links";
        List<Path> before = left();

        Run.farheap("rm", "-f", set).failedWith(ExitCode.ENVIRONMENT, why, "run this again");
        Run.farheap("rm", "-f", dir.resolve("b")).failedWith(ExitCode.ENVIRONMENT, why);
        Run.farheap("create", "-f", set).failedWith(ExitCode.ENVIRONMENT, why);

        assertThat(left()).isEqualTo(before);
    }

    /** One wrong path in a poolset file must not cost somebody a file. */
    @ParameterizedTest
    @ValueSource(strings = {"text", "zeros and then text", "longer than a header", "FIFO"})
    void removesNoFileThatIsNoPartOfAPool(String kind) throws Exception {
        Path set = set();
        Path foreign = dir.resolve("b");
        Files.delete(foreign);
        switch (kind) {
            case "text" -> Files.writeString(foreign, "hello");
            case "zeros and then text" ->
                    Files.writeString(foreign, "\0".repeat(1 << 20) + "hello");
            case "longer than a header" -> Files.writeString(foreign, "hello".repeat(2000));
            default -> new ProcessBuilder("mkfifo", foreign.toString()).start().waitFor();
        }
        List<Path> before = left();

        for (List<Object> command :
                List.<List<Object>>of(
                        List.of("rm", set),
                        List.of("rm", "-f", set),
                        List.of("create", "-f", set))) {
            Run.farheap(command.toArray())
                    .failedWith(
                            ExitCode.BAD_DATA,
                            foreign.toString(),
                            "no part of a pool",
                            "nothing was removed");
            assertThat(left()).isEqualTo(before);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"empty", "cut", "cut and zeroed", "without a header", "header overwritten"})
    void removesPartsThatAreBroken(String damage) throws IOException {
        Path set = set();
        try (FileChannel part = FileChannel.open(dir.resolve("b"), StandardOpenOption.WRITE)) {
            switch (damage) {
                case "empty" -> part.truncate(0);
                case "cut" -> part.truncate(5000);
                case "cut and zeroed" -> {
                    part.truncate(5000);
                    part.write(ByteBuffer.allocate(5000), 0);
                }
                case "without a header" -> part.write(ByteBuffer.allocate(4096), 0);
                default ->
                        part.write(
                                ByteBuffer.wrap(
                                        "hello".repeat(900).getBytes(StandardCharsets.UTF_8)),
                                0);
            }
        }

        Run.agreeing("rm", set).succeeded();

        assertThat(left()).containsExactly(set);
    }

    @Test
    void namesTheLineOfAMistakeInThePoolsetFile() throws IOException {
        Path set = Files.writeString(dir.resolve("a.set"), "PMEMPOOLSET\n8X /none\n");

        Run.farheap("rm", "-f", set).failedWith(ExitCode.BAD_DATA, set + ":2:1: incorrect format");
    }

    @Test
    void saysWhatWentAndAsksWhereTold() throws IOException {
        Path set = set();
        assertThat(Run.agreeing("rm", "-v", "-s", set).succeeded().out())
                .contains("removed '" + dir.resolve("a") + "'\n", dir.resolve("c") + "'\n")
                .doesNotContain("z.set");
        Path first = pool("first");
        Path second = pool("second");
        assertThat(answering("n\nyes\n", "rm", "-i", first, second).out())
                .isEqualTo(
                        "remove pool '"
                                + first
                                + "' ? [y/N] remove pool '"
                                + second
                                + "' ? [y/N] ");
        assertThat(left()).containsExactly(first, set);
        answering("", "rm", "-i", first);
        assertThat(left()).containsExactly(first, set);
        Run.farheap("rm", "-s", "-a", set).failedWith(ExitCode.WRONG_USE, "-s");
    }

    private static Run answering(String answers, Object... words) {
        InputStream before = System.in;
        System.setIn(new ByteArrayInputStream(answers.getBytes(StandardCharsets.UTF_8)));
        try {
            return Run.farheap(words).succeeded();
        } finally {
            System.setIn(before);
        }
    }

    private Path set() throws IOException {
        Path set = dir.resolve("z.set");
        Files.writeString(
                set,
                "PMEMPOOLSET\n8M " + dir + "/a\n8M " + dir + "/b\nREPLICA\n16M " + dir + "/c\n");
        create(PoolSource.of(set));
        return set;
    }

    private Path pool(String name) {
        Path file = dir.resolve(name);
        create(PoolSource.newFile(file, 8 << 20));
        return file;
    }

    private static void create(PoolSource source) {
        PoolFiles.create(source, CreateOptions.withLayout("test"), memory -> {}).close();
    }

    private List<Path> left() throws IOException {
        try (Stream<Path> files = Files.list(dir)) {
            return files.sorted().toList();
        }
    }
}
