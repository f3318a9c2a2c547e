package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What may have changed in a poolset file that is read again, and how the rest is refused. */
class PoolReloadTest {
    @TempDir private Path dir;

    private Path set;
    private ObjectPool pool;

    @BeforeEach
    void create() throws IOException {
        set = dir.resolve("bank.set");
        write("8M " + dir.resolve("a") + "\n");
        pool = ObjectPool.create(set, "bank");
    }

    @AfterEach
    void close() {
        pool.close();
    }

    private void write(String lines) throws IOException {
        Files.writeString(set, "PMEMPOOLSET\n" + lines);
    }

    private static void refused(Category category, ThrowingCallable reload, String... words) {
        assertThatThrownBy(reload)
                .isInstanceOfSatisfying(
                        FarheapException.class, e -> assertThat(e.category()).isEqualTo(category))
                .hasMessageContainingAll(words);
    }

    @Test
    void nothingHasChanged() {
        pool.reload();
        pool.reloadAlone();
    }

    @Test
    void anotherSizeIsRefusedByItsLine() throws IOException {
        write("# larger\n9M " + dir.resolve("a") + "\n");
        refused(Category.WRONG_USE, pool::reload, "line 3", "/a, is not as", "nothing has changed");
    }

    @Test
    void anotherPartIsRefused() throws IOException {
        write("8M " + dir.resolve("a") + "\n8M " + dir.resolve("b") + "\n");
        refused(Category.WRONG_USE, pool::reload, "has 2 parts", "nothing has changed");
    }

    @Test
    void anotherLocalReplicaIsRefused() throws IOException {
        write("8M " + dir.resolve("a") + "\nREPLICA\n8M " + dir.resolve("b") + "\n");
        refused(Category.WRONG_USE, pool::reload, "2 local replicas", "nothing has changed");
    }

    @Test
    void anotherOptionIsRefused() throws IOException {
        write("OPTION SINGLEHDR\n8M " + dir.resolve("a") + "\n");
        refused(Category.WRONG_USE, pool::reload, "the options are not as");
    }

    @Test
    void aMistakeIsNamedWithItsLine() throws IOException {
        write("8M " + dir.resolve("a") + "\nREPLICA far\n");
        refused(Category.BAD_DATA, pool::reload, "bank.set:3");
    }

    @Test
    void aPoolThatWasOpenedAloneGetsNoReplicaMeanwhile() throws IOException {
        write("8M " + dir.resolve("a") + "\nREPLICA far bank.set\n");
        refused(Category.WRONG_USE, pool::reload, "without remote replicas", "nothing has changed");
    }

    @Test
    void aPoolFileNamesNone() {
        try (ObjectPool plain =
                ObjectPool.at(dir.resolve("b.pool")).layout("x").size(8 << 20).create()) {
            refused(Category.WRONG_USE, plain::reload, "poolset file");
        }
    }
}
