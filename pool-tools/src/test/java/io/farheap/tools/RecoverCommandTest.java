package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.ObjectPool;
import io.farheap.PoolOptions;
import io.farheap.base.PersistenceDomain;
import io.farheap.base.Ref;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A pool whose newest commits are in its disk journal becomes one like any other. */
class RecoverCommandTest {
    private static final PoolOptions JOURNAL =
            PoolOptions.builder().persistence(PersistenceDomain.JOURNAL).build();

    @TempDir private Path directory;
    private Path killed;
    private Path journal;

    @BeforeEach
    void aPoolThatWasNotClosed() throws IOException {
        Path file = directory.resolve("a.pool");
        killed = directory.resolve("killed.pool");
        journal = directory.resolve("killed.pool.disk-journal");
        try (ObjectPool pool =
                ObjectPool.at(file).layout("").size(16 << 20).options(JOURNAL).create()) {
            Ref root = pool.root(64);
            for (long value = 40; value <= 42; value++) {
                long next = value;
                pool.transaction(tx -> tx.setLong(root, 0, next));
            }
            Files.copy(file, killed);
            Files.copy(directory.resolve("a.pool.disk-journal"), journal);
        }
    }

    @Test
    void itMakesThePoolOneLikeAnyOther() {
        Run run = Run.farheap("recover", killed).succeeded();
        assertThat(run.out()).contains("killed.pool is recovered");

        Run.farheap("check", killed).succeeded();
        assertThat(Run.farheap("recover", killed).succeeded().out())
                .contains("nothing was changed");
        try (ObjectPool pool = ObjectPool.open(killed, "")) {
            assertThat(pool.getLong(pool.root(64), 0)).isEqualTo(42);
        }
    }

    @Test
    void itSaysItToPrograms() {
        assertThat(Run.farheap("recover", "--json", killed).succeeded().out())
                .contains("\"recovered\" : true");
        assertThat(Run.farheap("recover", "--json", killed).succeeded().out())
                .contains("\"recovered\" : false");
    }

    @Test
    void withoutTheJournalItRefusesAndChangesNothing() throws IOException {
        Files.delete(journal);
        byte[] before = Files.readAllBytes(killed);
        Run.farheap("recover", killed)
                .failedWith(ExitCode.BAD_DATA, "which is missing: put that file back");
        assertThat(Files.readAllBytes(killed)).isEqualTo(before);
    }

    @Test
    void noCopyIsMadeOfItAndNoneIsPutOverIt() throws IOException {
        byte[] before = Files.readAllBytes(killed);
        Path copy = directory.resolve("copy.pool");
        Path set =
                Files.writeString(
                        directory.resolve("a.set"),
                        "PMEMPOOLSET\n16M %s\nREPLICA\n16M %s\n".formatted(killed, copy));
        assertThat(Run.agreeing("sync", set).exitCode()).isNotZero();
        assertThat(copy).doesNotExist();
        assertThat(Files.readAllBytes(killed)).isEqualTo(before);
    }

    @Test
    void rmTakesTheJournalAlong() {
        Run.agreeing("rm", directory.resolve("a.pool")).succeeded();
        assertThat(directory.resolve("a.pool.disk-journal")).doesNotExist();
    }

    // ---- a journal that is damaged between batches ----

    /** Flips a byte of the last batch but {@code behind}; where that batch begins. */
    private static long damage(Path journal, int behind) throws IOException {
        byte[] all = Files.readAllBytes(journal);
        List<Integer> batches = new ArrayList<>();
        for (int at = 8192; at < all.length; at += 4096) {
            if (new String(all, at, 4, StandardCharsets.US_ASCII).equals("FHJB")) {
                batches.add(at);
            }
        }
        int damaged = batches.get(batches.size() - 1 - behind);
        all[damaged + 70] ^= 1;
        Files.write(journal, all);
        return damaged;
    }

    @Test
    void damageBeforeOtherCommitsIsRefusedByAllWhoLook() throws IOException {
        long at = damage(journal, 1);
        byte[] before = Files.readAllBytes(killed);
        byte[] journalBefore = Files.readAllBytes(journal);
        for (String command : List.of("recover", "check", "verify", "info", "dump")) {
            Run.farheap(command, killed)
                    .failedWith(
                            ExitCode.BAD_DATA,
                            journal.toString(),
                            "is damaged: the batch at byte " + at + " is not whole, and 1 batch",
                            "farheap recover --drop-behind-damage");
        }
        assertThatThrownBy(() -> ObjectPool.open(killed, ""))
                .hasMessageContaining("the batch at byte " + at);
        assertThat(Files.readAllBytes(killed)).isEqualTo(before);
        assertThat(Files.readAllBytes(journal)).isEqualTo(journalBefore);
    }

    @Test
    void whatLiesBehindDamageIsGivenUpWhereThatIsSaidAndTheJournalIsKept() throws IOException {
        long at = damage(journal, 1);
        byte[] damaged = Files.readAllBytes(journal);
        Path kept = directory.resolve("killed.pool.disk-journal.damaged");
        Files.writeString(kept, "of another time");

        Run run = Run.farheap("recover", "--drop-behind-damage", killed).succeeded();

        Path second = directory.resolve("killed.pool.disk-journal.damaged-2");
        assertThat(run.out())
                .contains("gave up 8192 bytes of " + journal + " from byte " + at + " on")
                .contains("with 1 batches behind the damage", "kept in " + second)
                .contains("killed.pool is recovered");
        assertThat(Files.readAllBytes(second)).isEqualTo(damaged);
        assertThat(kept).hasContent("of another time");
        Run.farheap("check", killed).succeeded();
        try (ObjectPool pool = ObjectPool.open(killed, "")) {
            assertThat(pool.getLong(pool.root(64), 0)).isEqualTo(40);
        }
    }

    @Test
    void programsAreToldWhatWasGivenUp() throws IOException {
        long at = damage(journal, 1);
        String out =
                Run.farheap("recover", "--json", "--drop-behind-damage", killed).succeeded().out();
        assertThat(out)
                .contains("\"recovered\" : true", "\"fromByte\" : " + at)
                .contains("\"bytes\" : 8192", "\"batchesBehindDamage\" : 1")
                .contains("\"keptAs\" : \"" + journal + ".damaged\"");
    }

    @Test
    void withoutDamageNothingIsGivenUp() throws IOException {
        Run run = Run.farheap("recover", "--drop-behind-damage", killed).succeeded();
        assertThat(run.out()).doesNotContain("gave up");
        assertThat(directory.resolve("killed.pool.disk-journal.damaged")).doesNotExist();
        try (ObjectPool pool = ObjectPool.open(killed, "")) {
            assertThat(pool.getLong(pool.root(64), 0)).isEqualTo(42);
        }
    }

    // ---- its size, and how it is written ----

    @Test
    void createMakesAJournalOfTheSizeThatIsSaidAndInfoShowsIt() {
        Path made = directory.resolve("made.pool");
        Run.farheap("create", "--journal-size", "20M", made).succeeded();
        assertThat(directory.resolve("made.pool.disk-journal")).hasSize(8192 + (20 << 20));
        assertThat(Run.farheap("info", made).succeeded().out())
                .contains(
                        "Disk journal", "made.pool.disk-journal", "not needed: the pool was closed")
                .containsPattern(
                        "Written +: (past|through) the page cache \\((O_DIRECT|fdatasync)");
        Run.farheap("create", "--journal-size", "1M", directory.resolve("b.pool"))
                .failedWith(ExitCode.WRONG_USE, "2 MiB to 16 GiB");
        assertThat(directory.resolve("b.pool")).doesNotExist();
    }
}
