package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A part is there and the system refuses to read it, beside an older replica that can be read: it
 * is neither replaced nor passed over. Its path is a loop of links, which stops root, too.
 */
class UnreadablePartTest {
    private static final String WHY = "m cannot be read: Too many levels of symbolic links";

    @TempDir Path dir;
    private Path set;
    private byte[] older;

    /** m has the value 2, r the value 1. */
    @BeforeEach
    void theNewerReplicaCannotBeRead() throws IOException {
        set = dir.resolve("pool.set");
        Files.writeString(set, "PMEMPOOLSET\n8M %1$s/m\nREPLICA\n8M %1$s/r\n".formatted(dir));
        try (ObjectPool pool = ObjectPool.create(set, "x")) {
            pool.setLong(pool.root(64), 0, 1);
        }
        older = Files.readAllBytes(dir.resolve("r"));
        try (ObjectPool pool = ObjectPool.open(set, "x")) {
            pool.setLong(pool.root(64), 0, 2);
        }
        Files.write(dir.resolve("r"), older);
        Files.move(dir.resolve("m"), dir.resolve("kept"));
        Files.createSymbolicLink(dir.resolve("m"), dir.resolve("m"));
    }

    private void refused(Object... command) throws IOException {
        Run.farheap(command)
                .failedWith(
                        ExitCode.ENVIRONMENT, WHY, "mend that, or move it away", "run this again");
        assertThat(dir.resolve("m")).isSymbolicLink();
        assertThat(Files.readAllBytes(dir.resolve("r"))).isEqualTo(older);
    }

    @Test
    void syncDoesNotReplaceIt() throws IOException {
        refused("sync", "-d", set);
        refused("sync", set);
    }

    @Test
    void checkJudgesNothingAndRepairsNothing() throws IOException {
        refused("check", set);
        refused("check", "-r", "-y", set);
    }

    @Test
    void verifyComparesNothing() throws IOException {
        refused("verify", set);
    }

    @Test
    void transformDoesNotTakeTheOtherOneForThePool() throws IOException {
        Path alone = dir.resolve("alone.set");
        Files.writeString(alone, "PMEMPOOLSET\n8M %s/r\n".formatted(dir));
        refused("transform", set, alone);
    }

    @Test
    void statusSaysThatItIsUnknown() {
        Run run = Run.farheap("status", set);
        assertThat(run.exitCode()).isEqualTo(5);
        assertThat(run.out())
                .contains("unknown", WHY, "make its files readable")
                .contains("another local copy, which can't be read, may be newer")
                .doesNotContain("current");
    }

    /** None of them may say that there is no such file. */
    @Test
    void whatLooksAtFilesSaysWhyItCannot() {
        Path part = dir.resolve("m");
        for (List<Object> command :
                List.<List<Object>>of(
                        List.of("info", set),
                        List.of("info", part),
                        List.of("poolset", set),
                        List.of("poolset", part),
                        List.of("check", part),
                        List.of("status", part),
                        List.of("feature", "-l", part),
                        List.of("create", "-s", "8M", part),
                        List.of("rm", part))) {
            Run.farheap(command.toArray()).failedWith(ExitCode.ENVIRONMENT, WHY);
        }
    }

    @Test
    void onceItCanBeReadAgainItIsTheNewerOne() throws IOException {
        Files.move(dir.resolve("kept"), dir.resolve("m"), StandardCopyOption.REPLACE_EXISTING);
        Run.farheap("sync", set).failedWith(ExitCode.BAD_DATA, "different runs");
        Files.delete(dir.resolve("r"));
        Run.farheap("sync", set).succeeded();
        try (ObjectPool pool = ObjectPool.open(set, "x")) {
            assertThat(pool.getLong(pool.root(64), 0)).isEqualTo(2);
        }
    }

    @Test
    void oneThatIsMovedAwayIsMadeAnew() throws IOException {
        Files.delete(dir.resolve("m"));
        Run.farheap("sync", set).succeeded();
        assertThat(Files.isRegularFile(dir.resolve("m"), LinkOption.NOFOLLOW_LINKS)).isTrue();
    }
}
