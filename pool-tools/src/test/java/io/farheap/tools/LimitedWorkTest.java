package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.farheap.ObjectPool;
import io.farheap.tools.demo.LocalMachine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Commands with {@code --limit} and {@code --progress}; and killed while they take their time. */
@Timeout(120)
class LimitedWorkTest {
    private static final int KILLED = 137;
    private static final int MIB = 1 << 20;
    private static final int SIZE = 24; // MiB

    @TempDir private Path dir;
    private Path set;
    private Path lost;

    @BeforeEach
    void aMirroredPoolThatLostAReplica() throws IOException {
        set = dir.resolve("bank.set");
        Files.writeString(
                set, "PMEMPOOLSET\n%2$sM %1$s/a\nREPLICA\n%2$sM %1$s/b\n".formatted(dir, SIZE));
        ObjectPool.create(set, "bank").close();
        lost = dir.resolve("b");
        Files.delete(lost);
    }

    private static double seconds(Runnable work) {
        long begin = System.nanoTime();
        work.run();
        return (System.nanoTime() - begin) / 1e9;
    }

    private static List<JsonNode> json(Run run) throws IOException {
        List<JsonNode> lines = new ArrayList<>();
        for (String line : run.err().lines().toList()) {
            lines.add(new JsonMapper().readTree(line));
        }
        return lines;
    }

    private static void assertDone(JsonNode line, String task, long bytes) {
        assertThat(line.get("task").asText()).isEqualTo(task);
        assertThat(line.get("bytes").asLong()).isEqualTo(bytes);
        assertThat(line.get("totalBytes").asLong()).isEqualTo(bytes);
        assertThat(line.get("done").asBoolean()).isTrue();
    }

    @Test
    @Tag("deep")
    void aSyncTakesAsLongAsItsLimitSaysAndTellsAProgramHowFarItIs() throws IOException {
        Run[] run = new Run[1];
        double seconds =
                seconds(() -> run[0] = Run.farheap("sync", "--limit=4M", "--progress=json", set));
        assertThat(run[0].exitCode()).isZero();
        assertThat(seconds).isBetween(5.0, 40.0); // 24 MiB
        List<JsonNode> lines = json(run[0]);
        assertThat(lines).hasSizeBetween(2, 9);
        JsonNode first = lines.getFirst();
        assertThat(first.get("done").asBoolean()).isFalse();
        assertThat(first.get("bytes").asLong()).isBetween(1L, 23L * MIB);
        assertThat(first.get("bytesPerSecond").asLong()).isLessThanOrEqualTo(4 * MIB + MIB / 8);
        assertThat(first.get("secondsLeft").asLong()).isPositive();
        assertDone(lines.getLast(), "copying", (long) SIZE * MIB - 4096);
        Run.farheap("verify", set).succeeded();
    }

    @Test
    @Tag("deep")
    void aBackupTakesAsLongAsItsLimitSays() throws IOException {
        Path backup = dir.resolve("bank.farheap-backup");
        Path alone = dir.resolve("alone.set");
        Files.writeString(alone, "PMEMPOOLSET\n%sM %s/c\n".formatted(SIZE, dir));
        ObjectPool.create(alone, "bank").close();
        Run[] run = new Run[1];
        double seconds =
                seconds(
                        () ->
                                run[0] =
                                        Run.farheap(
                                                "backup",
                                                "--limit=8M",
                                                "--progress=json",
                                                alone,
                                                backup));
        assertThat(run[0].exitCode()).isZero();
        assertThat(seconds).isBetween(2.5, 30.0);
        assertDone(json(run[0]).getLast(), "backing up", (long) SIZE * MIB);
        Run verified = Run.farheap("backup", "--verify", "--progress=json", backup);
        assertThat(json(verified).getLast().get("task").asText()).isEqualTo("verifying");
    }

    @Test
    @Tag("deep")
    void aPoolIsMadeOfABackupAsFastAsTheLimitSaysAndReadBackSo() throws IOException {
        Path backup = dir.resolve("bank.farheap-backup");
        Run.farheap("sync", set).succeeded();
        Run.farheap("backup", set, backup).succeeded();
        Files.delete(dir.resolve("a"));
        Files.delete(lost);
        Run[] run = new Run[1];
        double seconds =
                seconds(
                        () ->
                                run[0] =
                                        Run.farheap(
                                                "restore",
                                                "--limit=24M",
                                                "--progress=json",
                                                backup,
                                                set));
        assertThat(run[0].exitCode()).as(run[0].err()).isZero();
        assertThat(seconds).as("read back, copied, compared").isBetween(2.5, 60.0);
        List<JsonNode> done = json(run[0]).stream().filter(l -> l.get("done").asBoolean()).toList();
        assertThat(done)
                .extracting(line -> line.get("task").asText())
                .containsExactly("restoring", "comparing", "copying", "comparing");
        assertDone(done.getLast(), "comparing", (long) SIZE * MIB);
        Run.farheap("verify", set).succeeded();
    }

    @Test
    void aComparisonTakesAsLongAsItsLimitSays() {
        Run.farheap("sync", set).succeeded();
        Run[] run = new Run[1];
        double seconds =
                seconds(
                        () ->
                                run[0] =
                                        Run.farheap(
                                                "verify", "--limit=8M", "--progress=lines", set));
        assertThat(run[0].exitCode()).isZero();
        assertThat(seconds).isBetween(2.5, 30.0);
        assertThat(run[0].err().lines().toList().getLast())
                .matches("comparing: done, \\d+\\.\\d MiB in \\d+ s, \\d\\.\\d MiB/s");
    }

    @Test
    void newReplicasAreMadeAsFastAsTheLimitSaysAndCompared() throws IOException {
        Path alone = dir.resolve("alone.set");
        Files.writeString(alone, "PMEMPOOLSET\n%sM %s/a\n".formatted(SIZE, dir));
        Run.farheap("sync", set).succeeded();
        Run.agreeing("transform", set, alone).succeeded();
        Run[] run = new Run[1];
        double seconds =
                seconds(
                        () ->
                                run[0] =
                                        Run.farheap(
                                                "transform",
                                                "--limit=16M",
                                                "--progress=json",
                                                alone,
                                                set));
        assertThat(run[0].exitCode()).as(run[0].err()).isZero();
        assertThat(seconds).as("copied, compared").isBetween(2.5, 60.0);
        List<JsonNode> done = json(run[0]).stream().filter(l -> l.get("done").asBoolean()).toList();
        assertThat(done).hasSize(2);
        assertDone(done.getFirst(), "copying", (long) SIZE * MIB - 4096);
        assertDone(done.getLast(), "comparing", (long) SIZE * MIB - 4096);
        Run.farheap("verify", set).succeeded();
    }

    @Test
    void whoWantsNothingGetsNothing() {
        Run.farheap("sync", "--progress=none", set).succeeded();
        Run.farheap("sync", "--progress=lines", set).succeeded(); // nothing needs to be done
    }

    @Test
    void otherWordsAreRefused() {
        Run.farheap("sync", "--progress=all", set)
                .failedWith(ExitCode.WRONG_USE, "--progress", "'all' is none of lines, json");
        Run.farheap("sync", "--limit=0", set)
                .failedWith(ExitCode.WRONG_USE, "--limit", "'0' is no size");
        Run.farheap("sync", "--limit=50", set)
                .failedWith(ExitCode.WRONG_USE, "--limit is 50 bytes a second", "such as 50M");
        assertThat(lost).doesNotExist();
    }

    @Test
    void whatAKilledSyncLeavesIsNamedAndRemovedByTheNext() throws Exception {
        Path unfinished = dir.resolve("b.farheap-restoring");
        Path other = dir.resolve("a.farheap-restoring"); // beside a part that is whole
        killedAt(unfinished, "sync", "--limit=64K", set);
        Files.writeString(other, "left");
        assertThat(lost).doesNotExist();

        String named =
                unfinished + " (" + SIZE * MIB + " bytes), which a run that was cut has left";
        assertThat(Run.farheap("sync", "-d", set).succeeded().out())
                .containsOnlyOnce("would remove " + named);
        assertThat(unfinished).exists();
        Run again = Run.farheap("sync", set).succeeded();
        assertThat(again.out()).containsOnlyOnce("now: removing " + named);
        assertThat(again.out()).containsOnlyOnce("removed " + other).contains("synchronized");
        assertThat(unfinished).doesNotExist();
        assertThat(other).doesNotExist();
        Run.farheap("verify", set).succeeded();
    }

    @Test
    void whatAKilledBackupLeavesIsNamedAndRemovedByTheNext() throws Exception {
        Run.farheap("sync", set).succeeded();
        Path file = dir.resolve("bank.farheap-backup");
        Path unfinished = dir.resolve("bank.farheap-backup.farheap-unfinished");
        killedAt(unfinished, "backup", "--limit=64K", set, file);
        assertThat(file).doesNotExist();

        Run again = Run.farheap("backup", set, file).succeeded();
        assertThat(again.out())
                .contains("removed " + unfinished + ", which a backup that was cut left")
                .contains(file + ": complete");
        assertThat(unfinished).doesNotExist();
    }

    /** A program that starts beside a slow restoration gets no pool of its own, nor loses one. */
    @Test
    void ofARestorationAndACreationInItsMiddleExactlyOneFails() throws Exception {
        Path backup = dir.resolve("bank.farheap-backup");
        Run.farheap("sync", set).succeeded();
        Run.farheap("backup", set, backup).succeeded();
        Files.delete(dir.resolve("a"));
        Files.delete(lost);
        Path unfinished = dir.resolve("a.farheap-restoring");
        Path said = dir.resolve("said");
        Process restore =
                process(said, "restore", "--limit=16M", backup.toString(), set.toString());
        await().atMost(Duration.ofMinutes(1))
                .until(() -> unfinished.toFile().length() > 0 || !restore.isAlive());
        assertThatThrownBy(() -> ObjectPool.at(set).layout("bank").openOrCreate())
                .hasMessageContaining("is being restored by process " + restore.pid());

        assertThat(restore.waitFor()).as(Files.readString(said)).isZero();
        ObjectPool.open(set, "bank").close();
        Run.farheap("verify", set).succeeded();
    }

    private static Process process(Path said, String... words) throws IOException {
        return new ProcessBuilder(LocalMachine.java(Main.class.getName(), words))
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
    }

    /** Of 24 MiB at 64 KiB a second it has not done much by then. */
    private void killedAt(Path file, Object... words) throws Exception {
        Path said = dir.resolve("said");
        String[] command = new String[words.length];
        for (int i = 0; i < words.length; i++) {
            command[i] = words[i].toString();
        }
        Process process = process(said, command);
        try {
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> file.toFile().length() > 0 || !process.isAlive());
        } finally {
            process.destroyForcibly();
        }
        assertThat(process.waitFor())
                .as(Files.readString(said, StandardCharsets.UTF_8))
                .isEqualTo(KILLED);
        assertThat(file).exists();
    }
}
