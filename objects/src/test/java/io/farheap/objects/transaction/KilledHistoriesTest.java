package io.farheap.objects.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.objects.transaction.HistoryGround.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A program is killed in the middle of its transactions, and the next one goes on with its pool:
 * what all of them saw has one order, in which whatever returned is, and whatever was under way is
 * whole or not at all.
 */
class KilledHistoriesTest {
    private static final int KILLED = 128 + 9;
    private static final int FEW = Boolean.getBoolean("test.deep") ? 4 : 2;
    private static final int LONGEST_LOG = 200_000;

    @TempDir Path directory;

    @ParameterizedTest
    @EnumSource(Kind.class)
    @Tag("sliced")
    void aHistoryGoesOnAfterKills(Kind kind) throws Exception {
        kill(kind, FEW);
    }

    @Tag("deep")
    @ParameterizedTest
    @EnumSource(Kind.class)
    void aLongHistoryGoesOnAfterManyKills(Kind kind) throws Exception {
        for (int i = 0; i < 3; i++) {
            kill(kind, 15);
        }
    }

    @Tag("kills")
    @ParameterizedTest
    @EnumSource(Kind.class)
    void historiesGoOnForAsManyRoundsAsTold(Kind kind) throws Exception {
        for (int left = Integer.getInteger("kills.rounds", 200); left > 0; left -= 20) {
            kill(kind, Math.min(20, left));
        }
    }

    private void kill(Kind kind, int rounds) throws Exception {
        long seed = new Random().nextLong();
        System.out.println("KilledHistoriesTest: " + kind + ", " + rounds + " kills, seed " + seed);
        Random random = new Random(seed);
        Path run = Files.createDirectory(directory.resolve("run" + seed));
        Path pool = run.resolve("pool");
        List<RecordedTransaction> history = new ArrayList<>();
        List<RecordedTransaction> underWay = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            Path log = Files.createDirectory(run.resolve("log" + round));
            killOnce(kind, pool, log, round, random);
            history.addAll(FileHistoryLog.ended(log));
            for (RecordedTransaction tx : FileHistoryLog.underWay(log)) {
                tx.end = HistoryProgram.ticketsBefore(round + 1);
                underWay.add(tx);
            }
        }
        history.add(look(kind, pool, rounds));
        int before = history.size();
        UndecidedTransactions.decide(history, underWay);
        System.out.printf(
                "KilledHistoriesTest: %d transactions, %d under way, %d of them committed%n",
                before, underWay.size(), history.size() - before);
        assertThat(SerialisabilityCheck.problemOf(history)).isEmpty();
    }

    private static void killOnce(Kind kind, Path pool, Path log, int round, Random random)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElseThrow());
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(
                List.of(
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        HistoryProgram.class.getName(),
                        pool.toString(),
                        log.toString(),
                        Integer.toString(round),
                        Integer.toString(2 + random.nextInt(7)),
                        Long.toString(random.nextLong()),
                        kind.name()));
        Process program =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(log.resolveSibling("output" + round).toFile())
                        .start();
        try {
            long enough = 1L + random.nextInt(LONGEST_LOG);
            await().atMost(Duration.ofMinutes(2))
                    .pollInterval(Duration.ofMillis(1))
                    .until(() -> !program.isAlive() || bytes(log) > enough);
        } finally {
            program.destroyForcibly();
        }
        assertThat(program.waitFor())
                .as(Files.readString(log.resolveSibling("output" + round)))
                .isEqualTo(KILLED);
    }

    private static long bytes(Path log) {
        try (Stream<Path> files = Files.list(log)) {
            return files.mapToLong(file -> file.toFile().length()).sum();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Reads all in this process; what is allocated belongs to something, and the other way. */
    private static RecordedTransaction look(Kind kind, Path file, int round) {
        try (HistoryGround ground = HistoryGround.open(kind, file)) {
            RecordedTransaction all =
                    HistoryProgram.recorder(ground, HistoryLog.NONE, round).readAll("at the end");
            ground.requireAllOwned();
            return all;
        }
    }
}
