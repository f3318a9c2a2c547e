package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Backups of a pool to which a program commits all the time: each that is called complete has
 * exactly the commits up to its number, whoever is killed.
 */
@Timeout(900)
class LiveBackupTest {
    private static final int ENVIRONMENT = 3;
    private static final boolean DEEP = Boolean.getBoolean("test.deep");

    @TempDir private Path dir;
    private final long seed = Long.getLong("farheap.backup.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final ObjectMapper json = new ObjectMapper();
    private Path pool;
    private Path kept;
    private Process program;

    int backups() {
        return Integer.getInteger("farheap.backups", DEEP ? 10 : 3);
    }

    int kills() {
        return Integer.getInteger("farheap.backup.kills", DEEP ? 4 : 1);
    }

    @BeforeEach
    void start() throws IOException {
        System.out.println("farheap.backup.seed=" + seed);
        pool = dir.resolve("bank.pool");
        kept = Files.createDirectory(dir.resolve("kept"));
        startProgram("pages");
    }

    private void startProgram(String durability) throws IOException {
        ProcessBuilder started = java(BackedUpProgram.class, pool);
        started.environment().put("FARHEAP_DURABILITY", durability);
        program = started.redirectError(ProcessBuilder.Redirect.DISCARD).start();
        BufferedReader said = program.inputReader();
        assertThat(said.readLine()).isEqualTo("ready");
    }

    private static ProcessBuilder java(Class<?> main, Object... words) {
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElseThrow());
        command.addAll(
                List.of(
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        main.getName()));
        Stream.of(words).map(Object::toString).forEach(command::add);
        return new ProcessBuilder(command);
    }

    @AfterEach
    void kill() throws InterruptedException {
        program.destroyForcibly().waitFor();
    }

    private void aMoment(int mostMillis) {
        int millis = random.nextInt(mostMillis);
        await().pollDelay(Duration.ofMillis(millis)).until(() -> true);
    }

    /** One of a pool whose program is gone has no number: it has all that was committed. */
    private void requireRight(JsonNode made) throws IOException {
        Path restored = dir.resolve("restored");
        Run.farheap("restore", made.get("file").asText(), restored).succeeded();
        if (made.has("commits")) {
            Run.farheap("check", restored).succeeded();
            BackedUpProgram.requireExactly(restored, made.get("commits").asLong());
        } else {
            BackedUpProgram.requireWhole(restored);
        }
        Files.delete(restored);
        try (Stream<Path> files = Files.list(dir)) {
            files.filter(file -> file.getFileName().toString().startsWith("restored"))
                    .forEach(file -> file.toFile().delete());
        }
    }

    /** By SIGSTOP, a debugger or a container that is frozen: nobody waits for it without end. */
    @Test
    @Timeout(90)
    void aProgramThatIsStoppedIsNotWaitedForWithoutEnd() throws Exception {
        Run.farheap("backup", pool, kept).succeeded(); // it listens by now
        signal("STOP");
        String stopped = "process " + program.pid() + ", which has the pool open, is stopped";

        Run.farheap("backup", pool, kept)
                .failedWith(ENVIRONMENT, stopped, "there is no backup", "kill -CONT");
        Run.farheap("top", "--count=1", pool).failedWith(ENVIRONMENT, stopped, "kill -CONT");
        Run.farheap("reload", pool)
                .failedWith(ENVIRONMENT, stopped, "nothing tells", "farheap status", "kill -CONT");

        signal("CONT");
        Run.farheap("backup", pool, kept).succeeded();
        try (Stream<Path> files = Files.list(kept)) {
            assertThat(files).hasSize(2);
        }
    }

    private void signal(String name) throws Exception {
        Process kill = new ProcessBuilder("kill", "-" + name, "" + program.pid()).start();
        assertThat(kill.waitFor()).isZero();
    }

    @Test
    @Tag("sliced")
    void eachHasExactlyTheCommitsUpToItsNumber() throws IOException {
        long before = 0;
        for (int i = 0; i < backups(); i++) {
            aMoment(200);
            String how = random.nextInt(4) == 0 ? "--keep=3" : "-i";

            JsonNode made =
                    json.readTree(
                            Run.farheap("backup", "--json", how, pool, kept).succeeded().out());

            System.out.println(
                    made.get("file").asText()
                            + " commits="
                            + made.get("commits")
                            + " heldMillis="
                            + made.get("heldMillis")
                            + " contentBytes="
                            + made.get("contentBytes")
                            + " fileBytes="
                            + made.get("fileBytes"));
            assertThat(made.get("state").asText()).isEqualTo("OPEN");
            assertThat(made.get("commits").asLong()).isGreaterThan(before);
            assertThat(made.get("heldMillis").asDouble()).isLessThan(10_000);
            before = made.get("commits").asLong();
            requireRight(made);
        }
        assertThat(program.isAlive()).isTrue();
        Run.farheap("backup", "--verify", kept).succeeded();
    }

    @Test
    @Tag("sliced")
    void norDoesAKilledProgramLeaveAHalfOne() throws Exception {
        int complete = 0;
        for (int i = 0; i < kills(); i++) {
            // Of the first second on it can be asked.
            Run.farheap("backup", "-i", pool, kept).succeeded();
            List<Path> before = files();
            CompletableFuture<Run> backup =
                    CompletableFuture.supplyAsync(
                            () -> Run.farheap("backup", "--json", pool, kept));
            aMoment(400);
            program.destroyForcibly().waitFor();
            Run run = backup.get(60, TimeUnit.SECONDS);
            if (run.exitCode() == 0) {
                complete++;
                requireRight(json.readTree(run.out()));
            } else {
                run.failedWith(ENVIRONMENT);
                assertThat(files()).isEqualTo(before);
            }
            startProgram("pages");
        }
        System.out.println(complete + " of " + kills() + " were complete");
        Run.farheap("backup", "--verify", kept).succeeded();
    }

    @Test
    @Tag("deep")
    @Tag("sliced")
    void soHasThatOfAPoolWithADiskJournal() throws Exception {
        program.destroyForcibly().waitFor();
        startProgram("journal");
        for (int i = 0; i < (DEEP ? 3 : 1); i++) {
            aMoment(200);
            requireRight(
                    json.readTree(
                            Run.farheap("backup", "--json", "-i", pool, kept).succeeded().out()));
        }
        program.destroyForcibly().waitFor();

        JsonNode left =
                json.readTree(Run.farheap("backup", "--json", pool, kept).succeeded().out());

        Path restored = dir.resolve("restored");
        String file = left.get("file").asText();
        assertThat(Run.farheap("restore", file, restored).succeeded().out())
                .contains("which was not closed");
        BackedUpProgram.requireWhole(restored);
    }

    @Test
    @Tag("sliced")
    @Tag("deep")
    void norDoesAKilledCommand() throws Exception {
        Run.farheap("backup", pool, kept).succeeded();
        int complete = 0;
        int unfinished = 0;
        for (int i = 0; i < kills(); i++) {
            List<Path> before = files();
            Path out = dir.resolve("out");
            Process command =
                    java(Main.class, "backup", "--json", pool, kept)
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .redirectOutput(out.toFile())
                            .start();
            if (random.nextInt(4) == 0) {
                aMoment(1500);
            } else {
                awaitBegun(command, before);
            }
            command.destroyForcibly().waitFor();
            JsonNode said = json.readTree(out.toFile());
            if (said.has("file")) {
                complete++;
                requireRight(said);
            }
            for (Path file : files()) {
                boolean isNew = !before.contains(file);
                if (isNew && isBackup(file)) {
                    Run.farheap("backup", "--verify", file).succeeded();
                    String listed =
                            Run.farheap("backup", "--list", "--json", file).succeeded().out();
                    requireRight(json.readTree(listed).get("backups").get(0));
                } else if (isNew) {
                    unfinished++;
                }
            }
        }
        System.out.printf(
                "%d of %d killed commands had said that they were complete, %d left a part%n",
                complete, kills(), unfinished);
        Run next = Run.farheap("backup", "--json", pool, kept).succeeded();
        requireRight(json.readTree(next.out()));
        assertThat(files()).allMatch(LiveBackupTest::isBackup);
    }

    private static boolean isBackup(Path file) {
        return file.toString().endsWith(".farheap-backup");
    }

    /** Until the command writes, or is done, and a moment more. */
    private void awaitBegun(Process command, List<Path> before) {
        await().pollInterval(Duration.ofMillis(1))
                .until(() -> !command.isAlive() || !before.equals(files()));
        aMoment(20);
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> all = Files.list(kept)) {
            return all.sorted().toList();
        }
    }
}
