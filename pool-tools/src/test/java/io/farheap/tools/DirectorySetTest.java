package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands over a poolset whose parts are directories. */
class DirectorySetTest {
    @TempDir Path dir;
    private Path set;

    @BeforeEach
    void create() throws IOException {
        for (String name : List.of("a", "b", "r")) {
            Files.createDirectory(dir.resolve(name));
        }
        String text = "PMEMPOOLSET\nOPTION SINGLEHDR\n16M @/a\n16M @/b\nREPLICA\n32M @/r\n";
        set = Files.writeString(dir.resolve("p.set"), text.replace("@", dir.toString()));
        Run.farheap("create", "-l", "dirs", set).succeeded();
    }

    private void grow() {
        try (ObjectPool pool = ObjectPool.open(set, "dirs")) {
            pool.heap().extend(4 << 20);
            pool.heap().extend(4 << 20);
            pool.transaction(tx -> tx.setLong(tx.allocate(5 << 20, 1), 4 << 20, 42));
        }
    }

    private List<String> left() throws IOException {
        try (Stream<Path> all = Files.walk(dir)) {
            return all.filter(Files::isRegularFile)
                    .map(path -> dir.relativize(path).toString())
                    .sorted()
                    .toList();
        }
    }

    @Test
    void infoNamesTheFilesInTheDirectories() {
        grow();
        assertThat(Run.farheap("info", set).succeeded().out())
                .contains(
                        "Number of parts          : 3",
                        ": " + dir.resolve("b/000001.pmem") + "\n",
                        ": " + dir.resolve("r/000002.pmem") + "\n",
                        "size                     : 4194304\n");
    }

    @Test
    void checkFindsWhatIsMissingAndSyncBringsItBack() throws IOException {
        grow();
        Run.farheap("check", set).succeeded();
        Files.delete(dir.resolve("r/000002.pmem"));
        Run.farheap("check", set)
                .failedWith(ExitCode.BAD_DATA, dir.resolve("r/000002.pmem").toString());

        Run.farheap("sync", set).succeeded();

        Run.farheap("check", set).succeeded();
        try (ObjectPool pool = ObjectPool.open(set, "dirs")) {
            Ref object = pool.objects().iterator().next();
            assertThat(pool.getLong(object, 4 << 20)).isEqualTo(42);
        }
    }

    @Test
    void rmRemovesEveryPartAndNothingElse() throws IOException {
        grow();
        Files.writeString(dir.resolve("a/notes"), "mine");
        Run.agreeing("rm", "-l", set).succeeded();
        assertThat(left()).containsExactly("a/notes");
    }

    @Test
    void rmWithoutPartsSaysSo() throws IOException {
        Run.agreeing("rm", set).succeeded();
        Run.farheap("rm", set).failedWith(ExitCode.ENVIRONMENT, "No such file", "-f");
        Run.agreeing("rm", "-f", "-l", set).succeeded();
        assertThat(left()).isEmpty();
    }
}
