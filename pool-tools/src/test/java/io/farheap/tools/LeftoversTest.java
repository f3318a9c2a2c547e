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

    @Test
    void aLeftoverWhereNothingIsWholeStays() throws IOException {
        Files.delete(dir.resolve("a"));
        Files.delete(dir.resolve("b"));
        Run.farheap("sync", set).failedWith(ExitCode.BAD_DATA, "nothing can be restored");
        assertThat(leftover).exists();
    }
}
