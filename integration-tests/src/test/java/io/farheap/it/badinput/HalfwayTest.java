package io.farheap.it.badinput;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.testing.FailingCalls;
import io.farheap.testing.FailingCalls.Call;
import io.farheap.tools.InProcess;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands that fail, or are ended, when some of their changes are made: they say which. */
@Timeout(120)
class HalfwayTest {
    private static final int WRONG_USE = 2;
    private static final int ENVIRONMENT = 3;
    private static final int ENDED = 143;
    private static final int EACCES = 13;
    private static final Pattern AGREEMENT =
            Pattern.compile("to (?:lose them|agree): farheap (.*)");
    private static final String THREE = "4M @a\n4M @b\n4M @c\n";
    private static final String RESTORING = ".farheap-restoring";

    @TempDir private Path dir;
    private Path set;
    private Path backup;

    @BeforeEach
    void aPoolAndItsBackup() throws IOException {
        set = set("pool.set", THREE);
        backup = dir.resolve("pool.farheap-backup");
        farheap("create", set).succeeded();
        farheap("backup", set, backup).succeeded();
    }

    private Path set(String name, String lines) throws IOException {
        return Files.writeString(
                dir.resolve(name), "PMEMPOOLSET\n" + lines.replace("@", dir + "/"));
    }

    private static Site.Run farheap(Object... words) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        String[] args = Stream.of(words).map(Object::toString).toArray(String[]::new);
        int code = InProcess.farheap(new PrintWriter(out, true), new PrintWriter(err, true), args);
        return new Site.Run(code, out.toString(), err.toString());
    }

    /** Types what the message has for that. */
    private static Site.Run agreeing(Object... words) {
        Site.Run refused = farheap(words);
        Matcher agreement = AGREEMENT.matcher(refused.err());
        return agreement.find()
                ? farheap((Object[]) agreement.group(1).replace("\"", "").split(" "))
                : refused;
    }

    private String at(String name) {
        return dir.resolve(name).toString();
    }

    private void lose() throws IOException {
        for (String name : dir.toFile().list()) {
            if (!name.startsWith("pool.") && !name.endsWith(".set")) {
                Files.delete(dir.resolve(name));
            }
        }
    }

    // ---- restore ----

    private String restored() {
        return "the pool is restored, all parts are in their places ("
                + String.join(", ", at("a"), at("b"), at("c"))
                + "); nothing more is to do";
    }

    private String anew() {
        return "farheap restore -f " + backup + " " + set;
    }

    private String endedRestore(String call, int number) throws Exception {
        return ended(call, Integer.toString(number), "restore", backup, set);
    }

    /** What it said until it was ended. */
    private static String ended(Object... words) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElseThrow());
        command.addAll(
                List.of(
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        EndedCommand.class.getName()));
        Stream.of(words).map(Object::toString).forEach(command::add);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isEqualTo(ENDED);
        return said;
    }

    @Test
    void aRestoreThatIsEndedWhenAllIsInItsPlaceSaysSo() throws Exception {
        lose();

        assertThat(endedRestore("sync", 3)).contains("farheap: interrupted: " + restored());

        farheap("check", set).succeeded();
    }

    @Test
    void aRestoreThatIsEndedBetweenItsPartsSaysWhichAreThere() throws Exception {
        lose();

        assertThat(endedRestore("rename", 3))
                .contains(
                        "farheap: interrupted: of the new parts in place: "
                                + at("c")
                                + ", "
                                + at("b")
                                + "; complete, and not in place: "
                                + at("a" + RESTORING)
                                + "; all of it is made anew by: "
                                + anew());

        restoreAnew();
    }

    @Test
    void aRestoreThatIsEndedBeforeAnythingIsInItsPlaceSaysSo() throws Exception {
        lose();

        assertThat(endedRestore("rename", 1))
                .contains(
                        "a copy that is not complete is in no part's place; give the same command"
                                + " again",
                        at("a" + RESTORING));
    }

    @ParameterizedTest
    @CsvSource({"1, none, 'c,b,a'", "3, 'c, b', a"})
    void aRestoreThatFailsAtARenameNamesWhatIsThere(int rename, String placed, String left)
            throws IOException {
        lose();
        try (FailingCalls disk = FailingCalls.under(dir)) {
            disk.fail(Call.RENAME, rename, EACCES);
            farheap("restore", backup, set)
                    .failedWith(
                            ENVIRONMENT,
                            "; of the new parts in place: "
                                    + placed.replaceAll("\\b([abc])\\b", dir + "/$1")
                                    + "; complete, and not in place: ",
                            "; all of it is made anew by: " + anew());
        }
        for (String part : left.split(",")) {
            assertThat(Path.of(at(part + RESTORING))).exists();
        }

        Site.Run again = farheap("restore", backup, set);

        again.failedWith(
                WRONG_USE,
                "a run that was cut has left",
                at("a" + RESTORING),
                "nothing was changed",
                "aside, and keep it until you know that it is not wanted: mv -n ");
        restoreAnew();
    }

    /** As its message says. */
    private void restoreAnew() {
        agreeing(Stream.of(anew().split(" ")).skip(1).toArray()).succeeded();
        farheap("check", set).succeeded();
        assertThat(dir.toFile().list()).noneMatch(name -> name.contains("farheap-rest"));
    }

    @Test
    void aRestoreThatCannotSyncTheLastNameSaysThatAllIsThere() throws IOException {
        lose();
        long syncs;
        try (FailingCalls disk = FailingCalls.under(dir)) {
            farheap("restore", backup, set).succeeded();
            syncs = disk.count(Call.SYNC);
        }
        lose();
        try (FailingCalls disk = FailingCalls.under(dir)) {
            disk.fail(Call.SYNC, syncs, FailingCalls.EIO);
            farheap("restore", backup, set)
                    .failedWith(
                            ENVIRONMENT, restored() + ", but for this: it may not outlive a loss");
        }
        farheap("check", set).succeeded();
    }

    @Test
    void aRestoreThatFailsBeforeSaysNothingOfThat() throws IOException {
        lose();
        try (FailingCalls disk = FailingCalls.under(dir)) {
            disk.fail(Call.ALLOCATE, 2, FailingCalls.ENOSPC);
            Site.Run run = farheap("restore", backup, set);
            run.failedWith(ENVIRONMENT, "No space left");
            assertThat(run.err()).doesNotContain("in place");
        }
        assertThat(dir.toFile().list())
                .containsExactlyInAnyOrder("pool.set", backup.toFile().getName());
    }

    // ---- rm ----

    @Test
    void aRemovalThatFailsSaysWhatIsGoneAndGoesOn() throws IOException {
        Path closed = Files.createDirectory(dir.resolve("closed"));
        Path two = set("two.set", "8M @first\nREPLICA\n8M @closed/second\n");
        farheap("create", two).succeeded();
        try (FailingCalls disk = FailingCalls.under(closed)) {
            disk.failAll(Call.UNLINK, EACCES);
            agreeing("rm", two)
                    .failedWith(
                            ENVIRONMENT,
                            "cannot remove " + at("closed/second"),
                            ": Permission denied",
                            "; removed already: " + at("first"),
                            at("first") + "; the same command with -f goes on then");
        }

        agreeing("rm", "-f", two).succeeded();

        assertThat(closed).isEmptyDirectory();
    }

    @Test
    void aRemovalThatFailsAtOnceSaysNothingOfThat() throws IOException {
        try (FailingCalls disk = FailingCalls.under(dir)) {
            disk.failAll(Call.UNLINK, EACCES);
            Site.Run run = agreeing("rm", set);
            run.failedWith(ENVIRONMENT, "Permission denied");
            assertThat(run.err()).doesNotContain("removed already");
        }
    }

    // ---- transform ----

    private enum Change {
        MOVES("4M @d\n4M @e\n4M @f\n"),
        ADDS(THREE + "REPLICA\n4M @d\n4M @e\n4M @f\n");

        private final String lines;

        Change(String lines) {
            this.lines = lines;
        }
    }

    @ParameterizedTest
    @CsvSource({
        "MOVES, MAP",
        "MOVES, SYNC",
        "MOVES, UNLINK",
        "ADDS, MAP",
        "ADDS, SYNC",
        "ADDS, UNLINK"
    })
    void aTransformationThatFailsWhenItIsDoneNamesTheFileThatCounts(Change change, Call last)
            throws IOException {
        Path to = set("new.set", change.lines);
        lose();
        farheap("restore", backup, set).succeeded();
        long calls;
        try (FailingCalls disk = FailingCalls.under(dir)) {
            agreeing("transform", set, to).succeeded();
            calls = disk.count(last);
        }
        lose();
        farheap("restore", backup, set).succeeded();
        try (FailingCalls disk = FailingCalls.under(dir)) {
            disk.fail(last, calls, EACCES);
            agreeing("transform", set, to)
                    .failedWith(
                            ENVIRONMENT,
                            "Permission denied",
                            "; but the change is done here: "
                                    + to
                                    + " names the pool now, "
                                    + set
                                    + " does not; ",
                            last == Call.UNLINK
                                    ? "give the same command again, which goes on and removes "
                                            + to
                                            + ".transforming"
                                    : "to see that all is well: farheap status " + to);
        }
        farheap("check", to).succeeded();
        if (last == Call.UNLINK) {
            agreeing("transform", set, to).succeeded();
        }
        assertThat(dir.toFile().list()).noneMatch(name -> name.contains("transforming"));
        farheap("check", to).succeeded();
    }

    // ---- backup ----

    @ParameterizedTest
    @EnumSource(names = {"OPEN", "SYNC"})
    void aBackupWhoseDirectoryCannotBeSyncedIsSaidToBeThere(Call last) throws IOException {
        Path made = dir.resolve("made");
        long calls;
        try (FailingCalls disk = FailingCalls.under(dir)) {
            farheap("backup", set, made).succeeded();
            calls = disk.count(last);
        }
        Files.delete(made);
        try (FailingCalls disk = FailingCalls.under(dir)) {
            disk.fail(last, calls, EACCES);
            farheap("backup", set, made)
                    .failedWith(
                            ENVIRONMENT,
                            "Permission denied",
                            "; the backup is there and complete, "
                                    + made
                                    + ", but may not outlive a loss of power",
                            "farheap backup --verify " + made);
        }
        farheap("backup", "--verify", made).succeeded();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void aBackupThatIsEndedSaysWhetherItIsThere(int renames) throws Exception {
        Path made = dir.resolve("made");
        assertThat(ended(renames == 0 ? "rename" : "sync", "1", "backup", set, made))
                .contains(
                        "farheap: interrupted: "
                                + (renames == 0
                                        ? "no backup was made; give the same command again"
                                        : "the backup is complete: " + made));
        assertThat(Files.exists(made)).isEqualTo(renames == 1);
    }
}
