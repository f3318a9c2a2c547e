package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Commands that are told to end (SIGTERM) while they change files. */
@Timeout(60)
class InterruptionTest {
    private static final int SIGTERM = 143;

    @TempDir private Path dir;
    private Path errors;

    @BeforeEach
    void errors() {
        errors = dir.resolve("errors");
    }

    private Path set(String name, String lines) throws IOException {
        return Files.writeString(
                dir.resolve(name), "PMEMPOOLSET\n" + lines.replace("@", dir + "/"));
    }

    private Process farheap(Object... words) throws IOException {
        return command(words).start();
    }

    private ProcessBuilder command(Object... words) {
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElseThrow());
        command.addAll(
                List.of(
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName()));
        Stream.of(words).map(Object::toString).forEach(command::add);
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(errors.toFile());
    }

    /** Ends it as soon as this file is there. */
    private String endedAt(Path file, Process process) throws Exception {
        try {
            await().pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(1))
                    .until(() -> Files.exists(file) || !process.isAlive());
        } finally {
            process.destroy();
        }
        assertThat(process.waitFor()).as(said()).isEqualTo(SIGTERM);
        return said();
    }

    private String said() throws IOException {
        return Files.readString(errors, StandardCharsets.UTF_8);
    }

    @Test
    void aCreationThatIsEndedLeavesNothing() throws Exception {
        Path set = set("bank.set", "400M @a\nREPLICA\n400M @b\n");

        String said = endedAt(dir.resolve("a"), farheap("create", set));

        assertThat(said.lines())
                .containsOnlyOnce(
                        "farheap: interrupted: the part files here that were begun are removed; give"
                                + " the same command again");
        assertThat(dir.resolve("a")).doesNotExist();
        assertThat(dir.resolve("b")).doesNotExist();
    }

    @Test
    void aCreationInADirectoryThatIsEndedLeavesNothing() throws Exception {
        Path parts = Files.createDirectory(dir.resolve("parts"));
        Path set = set("bank.set", "OPTION SINGLEHDR\n800M @parts\n");
        Path part = parts.resolve("000000.pmem");

        assertThat(endedAt(part, farheap("create", set)))
                .contains("the part files here that were begun are removed");

        assertThat(parts).isEmptyDirectory();
    }

    @Test
    void aCreationThatIsEndedLeavesWhatAnotherProgramMadeMeanwhile() throws Exception {
        Path asked = dir.resolve("asked");
        Path ssh =
                Files.writeString(
                        dir.resolve("ssh"), "#!/bin/sh\n: >" + asked + "\nread -r x\nread -r x\n");
        assertThat(ssh.toFile().setExecutable(true)).isTrue();
        Path pool = dir.resolve("a");
        Path set = set("bank.set", "8M @a\nREPLICA target copy.set\n");
        ProcessBuilder creation = command("create", set);
        creation.environment().put("RPMEM_SSH", ssh.toString());
        Process waiting = creation.start();
        await().until(() -> Files.exists(asked));
        Run.farheap("create", pool).succeeded();

        String said = endedAt(pool, waiting);

        assertThat(said).contains("was not made by this command, and stays: farheap status " + set);
        Run.farheap("check", pool).succeeded();
    }

    @Test
    @Tag("deep")
    void aBackupThatIsEndedNamesWhatItLeaves() throws Exception {
        Path pool = dir.resolve("large.pool");
        Run.farheap("create", "-s", "400M", pool).succeeded();
        Path file = dir.resolve("large.farheap-backup");
        Path unfinished = dir.resolve("large.farheap-backup.farheap-unfinished");

        String said = endedAt(unfinished, farheap("backup", pool, file));

        assertThat(said)
                .contains(
                        "farheap: interrupted: no backup was made; give the same command again, or"
                                + " another backup to the same place, which removes what is left: "
                                + unfinished);
        assertThat(file).doesNotExist();
        Run again = Run.farheap("backup", pool, file).succeeded();
        assertThat(again.out()).contains("removed " + unfinished, file + ": complete");
    }

    @Test
    @Tag("deep")
    void aTransformationThatIsEndedNamesWhatItLeaves() throws Exception {
        Path before = set("from.set", "200M @a\n");
        Run.farheap("create", before).succeeded();
        Path after = set("to.set", "200M @a\nREPLICA\n200M @b\n");
        Path unfinished = dir.resolve("b.farheap-transforming");

        String said = endedAt(unfinished, farheap("transform", before, after));

        assertThat(said)
                .contains(
                        "farheap: interrupted: no part of the pool was changed here; give the same"
                                + " command again, which goes on (what was copied is in "
                                + unfinished
                                + ")");
        Run.farheap("check", before).succeeded();
        Run.farheap("transform", before, after).succeeded();
        assertThat(unfinished).doesNotExist();
    }
}
