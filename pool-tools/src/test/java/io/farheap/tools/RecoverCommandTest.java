package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.PoolOptions;
import io.farheap.base.PersistenceDomain;
import io.farheap.base.Ref;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
            pool.transaction(tx -> tx.setLong(root, 0, 42));
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
}
