package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.ObjectPool;
import io.farheap.PoolOptions;
import io.farheap.base.HeapSpace;
import io.farheap.base.PersistenceDomain;
import io.farheap.base.Ref;
import io.farheap.live.LiveClient;
import io.farheap.live.LiveFigures;
import io.farheap.tools.command.RunningPool;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class TopCommandTest {
    @TempDir Path dir;

    private static List<String> looks(Run run) {
        List<String> lines = run.out().lines().toList();
        assertThat(lines.get(0)).startsWith("time      commits/s");
        return lines.subList(1, lines.size());
    }

    @Test
    void itCountsTheCommitsOfARunningProgram() throws Exception {
        Path pool = dir.resolve("a.pool");
        AtomicBoolean ended = new AtomicBoolean();
        try (ObjectPool open = ObjectPool.at(pool).layout("top").size(16 << 20).create()) {
            Ref root = open.root(64);
            Thread committing =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        while (!ended.get()) {
                                            open.transaction(tx -> tx.setLong(root, 0, 1));
                                        }
                                    });
            await().until(() -> open.counters().commits() > 0);
            List<String> looks = looks(Run.farheap("top", "-i", "0.5", "-n", 3, pool).succeeded());
            ended.set(true);
            committing.join();
            assertThat(looks).hasSize(3);
            for (String look : looks) {
                String[] fields = look.trim().split(" +");
                assertThat(Double.parseDouble(fields[1])).as(look).isPositive();
                assertThat(fields[6]).as("replicas").isEqualTo("0/0");
                double median = Double.parseDouble(fields[8]);
                assertThat(median).as(look).isPositive();
                assertThat(Double.parseDouble(fields[9])).as(look).isGreaterThanOrEqualTo(median);
                assertThat(fields[10]).as("waits for replicas").isEqualTo("-");
            }
        }
    }

    @Test
    void theProgramTellsHowFullItsHeapIs() throws Exception {
        Path pool = dir.resolve("a.pool");
        try (ObjectPool open = ObjectPool.at(pool).layout("top").size(16 << 20).create();
                LiveClient client = LiveClient.connect(ProcessHandle.current().pid(), "-")) {
            open.transaction(tx -> tx.allocate(1 << 20, 1));
            LiveFigures told = client.figures(RunningPool.poolId(pool));
            HeapSpace space = open.heap().space();
            assertThat(told.of("heapUsedBytes")).isEqualTo(space.usedBytes()).isPositive();
            assertThat(told.of("heapFreeBytes")).isEqualTo(space.freeBytes()).isPositive();
            assertThat(told.of("heapLargestFreeBytes")).isEqualTo(space.largestFreeBytes());
        }
    }

    @Test
    void theProgramTellsWhatItsDiskJournalDidLast() throws Exception {
        Path pool = dir.resolve("a.pool");
        PoolOptions journal = PoolOptions.builder().persistence(PersistenceDomain.JOURNAL).build();
        long begin = System.nanoTime();
        try (ObjectPool open =
                        ObjectPool.at(pool).layout("top").size(16 << 20).options(journal).create();
                LiveClient client = LiveClient.connect(ProcessHandle.current().pid(), "-")) {
            Ref root = open.root(64);
            open.transaction(tx -> tx.setLong(root, 0, 1));
            LiveFigures told = client.figures(RunningPool.poolId(pool));
            assertThat(told.of("lastDiskSyncEndedNanos")).isBetween(begin, told.nanos());
            assertThat(told.of("lastDiskSyncTookNanos")).isBetween(1L, told.nanos() - begin);
        }
    }

    private static long measured(LiveFigures figures) {
        return figures.counts().entrySet().stream()
                .filter(each -> each.getKey().startsWith("commitNanosBelow"))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    @Test
    void howLongCommitsTakeIsMeasuredWhileSomebodyWatches() throws Exception {
        Path pool = dir.resolve("a.pool");
        try (ObjectPool open = ObjectPool.at(pool).layout("top").size(16 << 20).create()) {
            Ref root = open.root(64);
            long self = ProcessHandle.current().pid();
            long poolId = RunningPool.poolId(pool);
            try (LiveClient first = LiveClient.connect(self, "-");
                    LiveClient second = LiveClient.connect(self, "-")) {
                assertThat(measured(first.figures(poolId))).isZero();
                assertThat(measured(second.figures(poolId))).isZero();
                for (int i = 0; i < 10; i++) {
                    open.transaction(tx -> tx.setLong(root, 0, 1));
                }
                open.transaction(tx -> {});
                assertThat(measured(first.figures(poolId))).isEqualTo(10);
                second.close();
                open.transaction(tx -> tx.setLong(root, 0, 1));
                assertThat(measured(first.figures(poolId))).isEqualTo(11);
            }
            await().until(
                            () ->
                                    Thread.getAllStackTraces().keySet().stream()
                                            .noneMatch(this::serves));
            open.transaction(tx -> tx.setLong(root, 0, 1));
            try (LiveClient later = LiveClient.connect(self, "-")) {
                assertThat(measured(later.figures(poolId))).isEqualTo(11);
            }
        }
    }

    @Test
    void itEndsWithThePool() throws Exception {
        Path pool = dir.resolve("a.pool");
        ObjectPool open = ObjectPool.at(pool).layout("top").size(16 << 20).create();
        Thread closing =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    await().until(() -> open.counters().commits() > 0);
                                    open.close();
                                });
        Run[] run = new Run[1];
        Thread watching =
                Thread.ofPlatform().start(() -> run[0] = Run.farheap("top", "-i", "0.1", pool));
        await().until(() -> Thread.getAllStackTraces().keySet().stream().anyMatch(this::serves));
        Ref root = open.root(64);
        open.transaction(tx -> tx.setLong(root, 0, 1));
        closing.join();
        watching.join();
        assertThat(run[0].exitCode()).isZero();
        assertThat(run[0].err()).as("the output may be a log").contains("ended or closed it");
        assertThat(looks(run[0])).allMatch(line -> line.matches("[0-9:]{8} .*"));
    }

    private boolean serves(Thread thread) {
        return thread.getName().equals("farheap-live-for");
    }

    @Test
    void withoutAProgramItSaysSo() {
        Path pool = dir.resolve("a.pool");
        ObjectPool.at(pool).layout("top").size(16 << 20).create().close();
        Run.farheap("top", pool).failedWith(3, "no program has the pool open");
        Run.farheap("top", "-i", "0", pool).failedWith(2, "0.1 to 3600");
        Run.farheap("top", "-n", "0", pool).failedWith(2, "--count begins at 1");
    }
}
