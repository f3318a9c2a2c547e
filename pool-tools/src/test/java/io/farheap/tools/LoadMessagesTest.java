package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.objects.PersistentHeap;
import io.farheap.tools.EveryKind.Root;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code farheap load} refuses, and what it says can be done. */
class LoadMessagesTest {
    @TempDir private Path dir;
    private Path pool;
    private Path copy;

    @BeforeEach
    void fill() {
        pool = dir.resolve("a.pool");
        copy = dir.resolve("b.pool");
        try (PersistentHeap<Root> heap = EveryKind.create(pool)) {
            EveryKind.fill(heap);
        }
    }

    private Run load(String dump) throws IOException {
        Path file = Files.writeString(dir.resolve("dump.jsonl"), dump);
        return Run.farheap("load", "-i", file, "-s", "8M", copy);
    }

    @Test
    void whatCannotBeLoadedIsNamedWithWhatToDo() throws IOException {
        String dump = Run.farheap("dump", pool).succeeded().out();
        Path file = Files.writeString(dir.resolve("dump.jsonl"), dump);
        Run.farheap("load", "-i", dir, copy)
                .failedWith(ExitCode.WRONG_USE, dir + " is a directory");
        Run.farheap("load", "-i", file, copy)
                .failedWith(ExitCode.ENVIRONMENT, copy + ": No such file or directory", "--size");
        Run.farheap("load", "-i", file, "-s", "8M", pool)
                .failedWith(ExitCode.WRONG_USE, pool + " is there, and --size is for a pool file");
        load("hello").failedWith(ExitCode.BAD_DATA, "line 1: this is no dump");
        load(dump.replace("\"text\":\"", "\"text\":\"" + "x".repeat(9 << 20)))
                .failedWith(
                        ExitCode.ENVIRONMENT,
                        "does not fit into the pool: make it larger, with a --size above 8388608",
                        "is removed again");
        ObjectPool.at(copy).layout("bank").size(8 << 20).create().close();
        Run.farheap("load", "-i", file, copy)
                .failedWith(
                        ExitCode.WRONG_USE,
                        copy + " is no pool of typed objects, its layout is \"bank\"");
    }

    @Test
    void aLinkToNothingIsSaidToBeOne() throws IOException {
        Path link = Files.createSymbolicLink(dir.resolve("link"), dir.resolve("nothing"));
        Path file =
                Files.writeString(
                        dir.resolve("dump.jsonl"), Run.farheap("dump", pool).succeeded().out());
        String why = link + " is a symbolic link, and what it leads to is not there";
        Run.farheap("load", "-i", file, "-s", "8M", link).failedWith(ExitCode.ENVIRONMENT, why);
        Run.farheap("create", "-s", "8M", link).failedWith(ExitCode.ENVIRONMENT, why);
        assertThat(dir.resolve("nothing")).doesNotExist();
    }
}
