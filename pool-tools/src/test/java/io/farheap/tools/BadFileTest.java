package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Something else than a pool or a poolset file in the place of every FILE of every command: by the
 * table of docs/errors.md each has one exit code, whichever command it is given to, and one
 * sentence that ends with what to do.
 */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class BadFileTest {
    /** FILE stands for the bad one, OTHER for a poolset file without fault. */
    private static final List<String> COMMANDS =
            List.of(
                    "info FILE",
                    "check FILE",
                    "check -r -y FILE",
                    "status FILE",
                    "verify FILE",
                    "poolset FILE",
                    "poolset --target FILE",
                    "feature -l FILE",
                    "feature -q CKSUM_2K FILE",
                    "feature -e CKSUM_2K FILE",
                    "recover FILE",
                    "rm FILE",
                    "rm -a FILE",
                    "rm OTHER FILE",
                    "sync -d FILE",
                    "sync FILE",
                    "transform -d FILE OTHER",
                    "transform FILE OTHER",
                    "transform -d OTHER FILE",
                    "transform OTHER FILE",
                    "promote -d FILE",
                    "promote FILE",
                    "create -i FILE NEW");

    /** What is there, with the exit code and the words that every command has for it. */
    private enum Bad {
        MISSING("missing", ExitCode.ENVIRONMENT, "missing", "No such file or directory", "; "),
        BELOW_A_FILE("empty/below", ExitCode.ENVIRONMENT, "below", "No such file", "; "),
        LOOP("loop", ExitCode.ENVIRONMENT, "loop", "Too many levels of symbolic links", "; mend"),
        EMPTY("empty", ExitCode.BAD_DATA, "empty", "(;|expected|: (name|write)) .+"),
        TEXT("text", ExitCode.BAD_DATA, "text", "(;|expected|: (name|write)) .+"),
        DIRECTORY("directory", ExitCode.BAD_DATA, "directory is a directory", ": name one"),
        DEVICE("/dev/null", ExitCode.BAD_DATA, "/dev/null is no regular file", ": name one"),
        PIPE("pipe", ExitCode.BAD_DATA, "pipe is no regular file", ": name one"),
        MISTAKE("mistake.set", ExitCode.BAD_DATA, "mistake.set:2:1: ", "'8X'; expected .+"),
        NOTHING("", ExitCode.WRONG_USE, "(is empty|\"\" is neither|'')", "[:;] .+");

        private final String file;
        private final int exitCode;
        private final String[] says;

        Bad(String file, int exitCode, String... says) {
            this.file = file;
            this.exitCode = exitCode;
            this.says = says;
        }
    }

    @TempDir private Path dir;

    @BeforeEach
    void oneOfEachKind() throws Exception {
        Files.createFile(dir.resolve("empty"));
        Files.writeString(dir.resolve("text"), "no pool");
        Files.createDirectory(dir.resolve("directory"));
        Files.createSymbolicLink(dir.resolve("loop"), dir.resolve("loop"));
        assertThat(new ProcessBuilder("mkfifo", dir + "/pipe").start().waitFor()).isZero();
        Files.writeString(dir.resolve("mistake.set"), "PMEMPOOLSET\n8X " + dir + "/p\n");
        Files.writeString(dir.resolve("other.set"), "PMEMPOOLSET\n8M " + dir + "/p\n");
        Run.farheap("create", dir.resolve("other.set")).succeeded();
    }

    @ParameterizedTest
    @EnumSource
    void hasOneExitCodeAndOneSentenceWithANextStepForEveryCommand(Bad bad) {
        Map<String, String> before = files();
        List<String> wrong = new ArrayList<>();
        for (String command : COMMANDS) {
            Run run = Run.farheap((Object[]) words(command, bad));
            String said = run.err();
            boolean told =
                    run.exitCode() == bad.exitCode
                            && said.startsWith("farheap: ")
                            && said.lines().count() == 1
                            && !said.contains("Exception")
                            && run.out().isEmpty()
                            && Stream.of(bad.says).allMatch(part -> contains(said, part));
            if (!told || !files().equals(before)) {
                wrong.add(command + ": " + run);
            }
        }
        assertThat(wrong).isEmpty();
    }

    /** Options name files, too. */
    @Test
    void anEmptyNameIsNotTheCurrentDirectoryForAnOption() {
        Run.farheap("check", "-r", "-y", "-b", "", dir.resolve("other.set"))
                .failedWith(ExitCode.WRONG_USE, "the name of a file is empty");
    }

    /** Creation wants nothing there: what is there is in the way, whatever it is. */
    @ParameterizedTest
    @EnumSource(names = {"EMPTY", "TEXT", "DIRECTORY", "PIPE", "DEVICE"})
    void isInTheWayOfAPoolToBeCreated(Bad bad) {
        Map<String, String> before = files();
        for (String command : List.of("create FILE", "create -s 8M FILE", "create obj FILE")) {
            Run.farheap((Object[]) words(command, bad))
                    .failedWith(
                            ExitCode.WRONG_USE,
                            bad.file,
                            "already exists: open it, or name another");
        }
        assertThat(files()).isEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource(names = {"EMPTY", "TEXT", "DIRECTORY", "PIPE", "DEVICE", "LOOP", "MISTAKE"})
    void isNotRemovedToCreateAPool(Bad bad) {
        Map<String, String> before = files();
        Run.farheap((Object[]) words("create -f FILE", bad)).failedWith(bad.exitCode, bad.file);
        assertThat(files()).isEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource(names = {"MISTAKE", "NOTHING", "BELOW_A_FILE", "LOOP"})
    void isNoPlaceToCreateAPool(Bad bad) {
        Map<String, String> before = files();
        Run.farheap((Object[]) words("create FILE", bad)).failedWith(bad.exitCode);
        assertThat(files()).isEqualTo(before);
    }

    /** With -f what is missing is gone already, but not what can't be looked at. */
    @Test
    void removingByForcePassesOverWhatIsMissingOnly() {
        Run.agreeing("rm", "-f", dir.resolve("missing")).succeeded();
        Run.farheap("rm", "-f", dir.resolve("loop")).failedWith(ExitCode.ENVIRONMENT, "loop");
        assertThat(dir.resolve("loop")).isSymbolicLink();
    }

    private static boolean contains(String said, String part) {
        return Pattern.compile(part).matcher(said).find();
    }

    private String[] words(String command, Bad bad) {
        return Arrays.stream(command.split(" "))
                .map(
                        word ->
                                switch (word) {
                                    case "FILE" -> file(bad);
                                    case "OTHER" -> dir + "/other.set";
                                    case "NEW" -> dir + "/new";
                                    default -> word;
                                })
                .toArray(String[]::new);
    }

    private String file(Bad bad) {
        return bad.file.isEmpty() ? "" : dir.resolve(bad.file).toString();
    }

    /** What is in the directory, with what tells that it was changed. */
    private Map<String, String> files() {
        Map<String, String> files = new TreeMap<>();
        try (Stream<Path> all = Files.walk(dir)) {
            for (Path file : all.toList()) {
                BasicFileAttributes found =
                        Files.readAttributes(
                                file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
                String changed = found.size() + " bytes, " + found.lastModifiedTime();
                files.put(file.toString(), found.isRegularFile() ? changed : "");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return files;
    }
}
