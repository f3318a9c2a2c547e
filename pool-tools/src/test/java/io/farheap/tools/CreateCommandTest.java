package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
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
        assertThat(Run.farheap("check", "-v", set).succeeded().out())
                .isEqualTo(set + ": consistent\n");
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
    void ofATargetThatWasNeverReachedItSaysSoAndNothingElse() throws IOException {
        Path set = set("8M " + dir + "/a\nREPLICA localhost:1 b.set\n");
        Run run = Run.farheap("create", set).failedWith(ExitCode.REPLICA, "localhost:1 b.set");
        assertThat(run.err()).doesNotContain("rm -f");
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

    @Test
    void modeAndTypeAreAsInPmempool() throws IOException {
        Path pool = dir.resolve("a");
        Run run = Run.farheap("create", "-v", "-m", "640", "obj", pool).succeeded();
        assertThat(run.out()).isEqualTo(pool + ": created\n");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(pool)))
                .isEqualTo("rw-r-----");
        Run.farheap("create", dir.resolve("b")).succeeded();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(dir.resolve("b"))))
                .isEqualTo("rw-------");
        for (String mode : new String[] {"8", "9999", "rw", "1777", ""}) {
            Run.farheap("create", "--mode=" + mode, dir.resolve("c"))
                    .failedWith(ExitCode.WRONG_USE, "-m");
        }
        Run.farheap("create", "blk", dir.resolve("c"))
                .failedWith(ExitCode.WRONG_USE, "unknown pool type");
    }

    @Test
    void wordsThatNameNoOnePoolAreRefused() {
        Path pool = dir.resolve("a");
        for (Object[] words :
                new Object[][] {
                    {"create", "obj"},
                    {"create", pool, dir.resolve("b"), dir.resolve("c")},
                    {"create", "obj", pool, "obj", dir.resolve("b")},
                    {"create", "obj", pool, dir.resolve("b")}
                }) {
            Run.farheap(words).failedWith(ExitCode.WRONG_USE, "create --help");
        }
        assertThat(dir).isEmptyDirectory();
    }

    @Test
    void sizeAndLayoutCanBeAnothersPool() throws IOException {
        Path set = set("8M " + dir + "/a\n8M " + dir + "/b\n");
        Run.farheap("create", "-l", "bank", set).succeeded();
        Run.farheap("create", "-i", set, dir.resolve("c")).succeeded();
        assertThat(Files.size(dir.resolve("c"))).isEqualTo((16 << 20) - 4096);
        try (ObjectPool pool = ObjectPool.open(dir.resolve("c"), "bank")) {
            assertThat(pool.layout()).isEqualTo("bank");
        }
        Run.farheap("create", "-i", set, "-s", "8M", "-l", "own", dir.resolve("d")).succeeded();
        assertThat(Files.size(dir.resolve("d"))).isEqualTo(8 << 20);
        assertThat(Run.farheap("info", dir.resolve("d")).succeeded().out()).contains(": own\n");
        Run.farheap("create", "-i", dir.resolve("none"), dir.resolve("e"))
                .failedWith(ExitCode.ENVIRONMENT, "none");
    }

    @Test
    void anOldPoolGoesFirstOnlyByForce() throws IOException {
        Path set = set("8M " + dir + "/a\nREPLICA\n8M " + dir + "/b\n");
        Run.farheap("create", "-l", "first", set).succeeded();
        Files.delete(dir.resolve("b"));
        Run.farheap("create", "-l", "second", set).failedWith(ExitCode.WRONG_USE);
        Run.agreeing("create", "-f", "-l", "second", set).succeeded();
        assertThat(Run.farheap("info", set).succeeded().out()).contains(": second\n");
        Run.farheap("check", set).succeeded();
        Path foreign = Files.write(dir.resolve("foreign"), new byte[8192]);
        Run.farheap("create", "-f", foreign).failedWith(ExitCode.BAD_DATA, "nothing was removed");
        assertThat(foreign).hasSize(8192);
    }

    @Test
    void allThatIsFreeIsForPlainFilesOnly() throws IOException {
        Path set = set("8M " + dir + "/a\n");
        Run.farheap("create", "-M", set).failedWith(ExitCode.WRONG_USE, "-M|--max-size");
        Run.farheap("create", "-M", "-s", "8M", dir.resolve("p"))
                .failedWith(ExitCode.WRONG_USE, "-M");
    }

    private Path set(String lines) throws IOException {
        return Files.writeString(dir.resolve("z.set"), "PMEMPOOLSET\n" + lines);
    }
}
