package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.pool.RestorationLeftovers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a restoration has left that was cut goes once it can't be the last copy, not before. */
class LeftoversTest {
    @TempDir private Path dir;
    private Path set;
    private Path leftover;

    @BeforeEach
    void aMirroredPool() throws IOException {
        set = dir.resolve("bank.set");
        Files.writeString(set, "PMEMPOOLSET\n8M %1$s/a\nREPLICA\n8M %1$s/b\n".formatted(dir));
        ObjectPool.create(set, "bank").close();
        leftover = RestorationLeftovers.unfinished(dir.resolve("b"));
        Files.copy(dir.resolve("b"), leftover);
    }

    @Test
    void aLeftoverBesideAWholePoolGoes() {
        String said = leftover + " (8388608 bytes), which a run that was cut has left";
        assertThat(Run.farheap("sync", "-d", set).succeeded().out())
                .contains("would remove " + said);
        assertThat(leftover).exists();

        assertThat(Run.farheap("sync", set).succeeded().out()).contains("removed " + said);
        assertThat(leftover).doesNotExist();
        assertThat(Run.farheap("sync", set).succeeded().out()).doesNotContain("removed");
    }

    @Test
    void aLeftoverBesideAPoolThatBecomesWholeGoes() throws IOException {
        Files.delete(dir.resolve("a"));
        Run.farheap("sync", set).succeeded();
        assertThat(leftover).doesNotExist();
    }

    @Test
    void aWholeLeftoverIsKeptAsideUntilThePoolIsWhole() throws IOException {
        Files.delete(dir.resolve("b"));
        assertThat(Run.farheap("sync", "-d", set).succeeded().out())
                .contains("would keep " + leftover + " (8388608 bytes)");
        assertThat(Run.farheap("sync", set).succeeded().out())
                .contains("keeping " + leftover + " (8388608 bytes)")
                .contains("removed " + RestorationLeftovers.kept(dir.resolve("b")));
        assertThat(dir.resolve("b")).exists();
    }

    @Test
    void theCommandThatTakesAWholeLeftoverBringsThePoolBack() throws Exception {
        Files.delete(dir.resolve("a"));
        Files.delete(dir.resolve("b"));
        String command = "mv -n " + leftover + " " + dir.resolve("b");
        Run.farheap("sync", set).failedWith(ExitCode.BAD_DATA, command + ", then farheap sync");

        assertThat(new ProcessBuilder("sh", "-c", command).inheritIO().start().waitFor()).isZero();
        Run.farheap("sync", set).succeeded();
        ObjectPool.open(set, "bank").close();
    }

    /** The pool may have gone on after the backup, and that copy be all that has it. */
    @Test
    void noBackupTakesThePlaceOfAWholeLeftoverUnasked() throws IOException {
        Path backup = dir.resolve("bank.farheap-backup");
        Run.farheap("backup", set, backup).succeeded();
        Files.delete(dir.resolve("a"));
        Files.delete(dir.resolve("b"));
        String command = "mv -n " + leftover + " " + dir.resolve("b");
        String aside = "mv -n " + leftover + " " + leftover + ".aside";

        Run.farheap("restore", backup, set)
                .failedWith(
                        ExitCode.WRONG_USE,
                        "has left a whole copy (" + leftover + ")",
                        "nothing was changed",
                        command,
                        "farheap check " + set,
                        "move it aside, and keep it",
                        aside + ", then do this again");
        assertThat(leftover).exists();
        assertThat(dir.resolve("a")).doesNotExist();
    }

    @Test
    void whatItPrintsMovesAWholeLeftoverOutOfARestoresWay() throws Exception {
        Path backup = dir.resolve("bank.farheap-backup");
        Run.farheap("backup", set, backup).succeeded();
        byte[] copy = Files.readAllBytes(leftover);
        Files.delete(dir.resolve("a"));
        Files.write(dir.resolve("b"), new byte[0]); // which only holds the place
        Run refused = Run.farheap("restore", backup, set);
        String commands = refused.err().replaceAll("(?s).*not wanted: (.*), then do this.*", "$1");
        assertThat(commands).startsWith("mv -n ");

        assertThat(new ProcessBuilder("sh", "-c", commands).inheritIO().start().waitFor()).isZero();

        Run.farheap("restore", backup, set).succeeded();
        assertThat(Path.of(leftover + ".aside")).hasBinaryContent(copy);
        Run.farheap("verify", set).succeeded();
    }

    @Test
    void itIsRemovedWhereTheOwnerSaysSo() throws IOException {
        Path backup = dir.resolve("bank.farheap-backup");
        Run.farheap("backup", set, backup).succeeded();
        Files.delete(dir.resolve("a"));
        Files.delete(dir.resolve("b"));

        assertThat(Run.farheap("restore", "-f", backup, set).succeeded().out())
                .contains("what a run that was cut has left goes: " + leftover)
                .contains("removed " + RestorationLeftovers.kept(dir.resolve("b")));
        assertThat(leftover).doesNotExist();
        Run.farheap("verify", set).succeeded();
    }

    /** Cut while it made room for another one, its files have two names. */
    @Test
    void norOfOneWhosePartsHaveTwoNames() throws IOException {
        Path backup = dir.resolve("bank.farheap-backup");
        Run.farheap("backup", set, backup).succeeded();
        Files.delete(dir.resolve("a"));
        Files.delete(dir.resolve("b"));
        Files.writeString(set, "PMEMPOOLSET\n8M %1$s/b\n8M %1$s/c\n".formatted(dir));
        Path kept = Files.createFile(RestorationLeftovers.kept(dir.resolve("c")));

        Run.farheap("restore", backup, set)
                .failedWith(
                        ExitCode.WRONG_USE, leftover.toString(), "give its files", "nothing was");
        assertThat(leftover).exists();
        assertThat(kept).exists();
    }

    @Test
    void whatIsNoWholeCopyGoesAndIsNamed() throws IOException {
        Path backup = dir.resolve("bank.farheap-backup");
        Run.farheap("backup", set, backup).succeeded();
        Files.delete(dir.resolve("a"));
        Files.delete(dir.resolve("b"));
        Files.writeString(leftover, "the beginning of a copy");

        assertThat(Run.farheap("restore", backup, set).succeeded().out())
                .contains("what a run that was cut has left goes: " + leftover);
        assertThat(leftover).doesNotExist();
    }

    @Test
    void aLeftoverWhereNothingIsWholeStays() throws IOException {
        Files.delete(dir.resolve("a"));
        Files.delete(dir.resolve("b"));
        Run.farheap("sync", set).failedWith(ExitCode.BAD_DATA, "nothing can be restored");
        assertThat(leftover).exists();
    }
}
