package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CreateCommandTest {
    @TempDir Path dir;

    @Test
    void aPlainPoolHas8MiBUnlessToldOtherwise() throws IOException {
        Run.farheap("create", dir.resolve("a")).succeeded();
        Run.farheap("create", "-s", "9MiB", "--layout", "bank", dir.resolve("b")).succeeded();

        assertThat(Files.size(dir.resolve("a"))).isEqualTo(8 << 20);
        assertThat(Files.size(dir.resolve("b"))).isEqualTo(9 << 20);
        try (ObjectPool pool = ObjectPool.open(dir.resolve("b"), "bank")) {
            assertThat(pool.layout()).isEqualTo("bank");
        }
    }

    @Test
    void aPoolsetMakesAllItsParts() throws IOException {
        Path set = set("8M " + dir + "/a\n8M " + dir + "/b\nREPLICA\n16M " + dir + "/c\n");

        Run.farheap("create", "-l", "bank", set).succeeded();

        Run info = Run.farheap("info", "-s", set).succeeded();
        assertThat(info.out())
                .contains("Number of replicas       : 2", "Layout                   : bank");
        assertThat(Run.farheap("check", set).succeeded().out()).isEqualTo(set + ": consistent\n");
    }

    @Test
    void onAMistakeNoFileIsLeft() throws IOException {
        Path set = set("8M " + dir + "/a\n1M " + dir + "/b\n");
        Run.farheap("create", set).failedWith(ExitCode.BAD_DATA, set + ":3", "1048576");
        Run.farheap("create", "-s", "16M", set).failedWith(ExitCode.WRONG_USE, "-s|--size");
        Run.farheap("create", "-s", "4M", dir.resolve("p"))
                .failedWith(ExitCode.WRONG_USE, "8388608");
        Run.farheap("create", dir.resolve("none/p")).failedWith(ExitCode.ENVIRONMENT, "none/p");
        String longName = "x".repeat(1024);
        Run.farheap("create", "-l", longName, dir.resolve("p"))
                .failedWith(ExitCode.WRONG_USE, "1023");

        assertThat(dir).isDirectoryNotContaining(f -> !f.equals(set));
    }

    @Test
    void anExistingPoolIsNotTouched() throws IOException {
        Path pool = dir.resolve("a");
        Run.farheap("create", "-l", "first", pool).succeeded();
        byte[] before = Files.readAllBytes(pool);

        Run.farheap("create", "-l", "second", pool).failedWith(ExitCode.WRONG_USE, pool.toString());

        assertThat(Files.readAllBytes(pool)).isEqualTo(before);
    }

    private Path set(String lines) throws IOException {
        return Files.writeString(dir.resolve("z.set"), "PMEMPOOLSET\n" + lines);
    }
}
