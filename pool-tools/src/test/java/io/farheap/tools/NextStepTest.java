package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a command tells to do next can be done: typed, it works, or there is nothing to type. */
class NextStepTest {
    private static final int NOT_CURRENT = 5;

    @TempDir private Path dir;
    private Path set;

    /** Two replicas here: m0 and m1, and r. */
    @BeforeEach
    void aPoolOfTwoReplicas() throws IOException {
        set = write("pool.set", "PMEMPOOLSET\n8M @/m0\n8M @/m1\nREPLICA\n16M @/r\n");
        Run.farheap("create", "-l", "x", set).succeeded();
    }

    @Test
    void whereEveryCopyMissesAFileOnlyABackupHelps() throws IOException {
        Files.delete(dir.resolve("m0"));
        Files.delete(dir.resolve("r"));

        for (List<String> command :
                List.of(
                        List.of("status"),
                        List.of("verify"),
                        List.of("sync"),
                        List.of("check", "-r", "-y"),
                        List.of("check", "-r", "-y", "-a"))) {
            Run run = farheap(command, set);
            assertThat(run.exitCode()).isIn(ExitCode.BAD_DATA, NOT_CURRENT);
            assertThat(run.out() + run.err())
                    .as("%s", command)
                    .contains("backup")
                    .doesNotContain("farheap sync", "--advanced");
        }
    }

    @Test
    void ofTheOnlyCopyAMissingFileCannotBeRepaired() throws IOException {
        Path alone = write("alone.set", "PMEMPOOLSET\n8M @/a0\n8M @/a1\n");
        Run.farheap("create", alone).succeeded();
        Files.delete(dir.resolve("a1"));

        assertThat(Run.farheap("check", "-r", "-y", alone).out())
                .contains("cannot repair; nothing was changed: put the missing files back");
        assertThat(Run.farheap("status", alone).out())
                .contains("next step   : there is no other copy: put the missing files back");
    }

    @Test
    void checkSendsToSyncWhatSyncCanMake() throws IOException {
        Files.delete(dir.resolve("m1"));

        assertThat(Run.farheap("check", "-r", "-y", set).out())
                .contains("cannot repair; nothing was changed", "next step: farheap sync " + set);
        Run.farheap("sync", set).succeeded();
        Run.farheap("check", set).succeeded();
    }

    @Test
    void aDamagedHeaderOfTheOnlyCopyIsForRepairToLookAt() throws IOException {
        Path pool = dir.resolve("plain");
        Run.farheap("create", pool).succeeded();
        try (RandomAccessFile file = new RandomAccessFile(pool.toFile(), "rw")) {
            file.seek(100);
            int before = file.read(); // of a uuid: any
            file.seek(100);
            file.write(before ^ 1);
        }

        for (String command : List.of("status", "verify")) {
            assertThat(Run.farheap(command, pool).out())
                    .contains("farheap check -r -d " + pool + " says whether it can be repaired");
        }
        Run.farheap("transform", pool, set).failedWith(1, "farheap check -r -d " + pool);
        assertThat(Run.farheap("check", "-r", "-d", pool).out()).contains("can be repaired");
    }

    @ParameterizedTest
    @ValueSource(strings = {"m0", "m1", "r"})
    void ofAPartThatIsNamedAloneThePoolsetFileIsAskedFor(String part) {
        for (List<String> command :
                List.of(List.of("status"), List.of("verify"), List.of("check", "-r", "-y"))) {
            Run run = farheap(command, dir.resolve(part));
            assertThat(run.exitCode()).isIn(ExitCode.BAD_DATA, NOT_CURRENT);
            assertThat(run.out())
                    .as("%s", command)
                    .contains("name the poolset file that lists them all")
                    .doesNotContain("farheap sync", "right", "compared, too");
        }
    }

    @Test
    void equalCopiesThatAreBothWrongAreNotSaidToBeRight() throws IOException {
        Files.copy(dir.resolve("r"), dir.resolve("copy"));
        Path twice = write("twice.set", "PMEMPOOLSET\n16M @/r\nREPLICA\n16M @/copy\n");

        assertThat(Run.farheap("verify", twice).out())
                .contains("wrong")
                .doesNotContain("right", "replicas  ");
    }

    @Test
    void whoHasAPoolOpenIsNotFoundOutForAReason() throws IOException {
        Files.delete(dir.resolve("m0"));

        assertThat(Run.farheap("status", set).out())
                .contains("not to be found out: " + dir + "/m0 is missing, whose lock would tell");
    }

    @Test
    void directoriesWithoutPartsMayHaveLostThem() throws IOException {
        Files.createDirectory(dir.resolve("d"));
        Path grows = write("grows.set", "PMEMPOOLSET\nOPTION SINGLEHDR\n1G @/d\n");

        Run.farheap("info", grows)
                .failedWith(ExitCode.ENVIRONMENT, "from a backup, or create the pool");
        Run.farheap("create", grows).succeeded();
    }

    private static Run farheap(List<String> command, Path file) {
        Object[] words = new Object[command.size() + 1];
        command.toArray(words);
        words[command.size()] = file;
        return Run.farheap(words);
    }

    private Path write(String name, String text) throws IOException {
        return Files.writeString(dir.resolve(name), text.replace("@", dir.toString()));
    }
}
