package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.base.PersistenceDomain;
import io.farheap.base.Ref;
import io.farheap.base.TransactionAbortedException;
import io.farheap.memory.PoolMemory;
import io.farheap.testing.CrashSimulation;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PoolEventsTest {
    private static final String NAME = "/pools/bank.pool";

    @TempDir Path dir;

    @Test
    void commitsRollBacksAndRecoveryLeaveFlightRecorderEvents() throws IOException {
        CrashSimulation machine = SimulatedPool.formatted();
        RecordingSink sink = new RecordingSink();
        Path file = dir.resolve("events.jfr");
        try (Recording recording = new Recording()) {
            recording.enable("io.farheap.Commit").withoutThreshold();
            recording.enable("io.farheap.Recovery").withoutThreshold();
            recording.start();
            try (ObjectPool pool = SimulatedPool.open(named(machine), sink)) {
                Ref root = pool.root(64);
                pool.transaction(tx -> tx.setLong(root, 0, 1));
                assertThat(catchAbort(pool, root)).isNotNull();
            }
            recording.stop();
            recording.dump(file);
        }

        List<RecordedEvent> events = RecordingFile.readAllEvents(file);
        List<RecordedEvent> recoveries = named(events, "io.farheap.Recovery");
        List<RecordedEvent> commits = named(events, "io.farheap.Commit");
        assertThat(recoveries).hasSize(1);
        assertThat(recoveries.get(0).getBoolean("replicated")).isTrue();
        assertThat(recoveries.get(0).getString("pool")).isEqualTo(NAME);
        assertThat(commits).hasSize(3);
        assertThat(commits.get(1).getBoolean("committed")).isTrue();
        assertThat(commits.get(1).getInt("ranges")).isEqualTo(1);
        assertThat(commits.get(1).getLong("bytes")).isEqualTo(8);
        assertThat(commits).allSatisfy(e -> assertThat(e.getString("pool")).isEqualTo(NAME));
        assertThat(commits.get(2).getBoolean("committed")).isFalse();
    }

    @Test
    void aStoreOutsideOfTransactionsIsACommit() throws IOException {
        Path file = dir.resolve("store.jfr");
        try (ObjectPool pool = SimulatedPool.open(SimulatedPool.formatted())) {
            Ref root = pool.root(64);
            try (Recording recording = new Recording()) {
                recording.enable("io.farheap.Commit").withoutThreshold();
                recording.start();
                pool.memory().fill(root, 1, 40, (byte) 1);
                pool.transaction(tx -> tx.setLong(root, 0, 1));
                recording.stop();
                recording.dump(file);
            }
        }

        List<RecordedEvent> commits = named(RecordingFile.readAllEvents(file), "io.farheap.Commit");
        assertThat(commits).allSatisfy(e -> assertThat(e.getBoolean("committed")).isTrue());
        assertThat(commits).extracting(e -> e.getInt("ranges")).containsExactly(1, 1);
        assertThat(commits).extracting(e -> e.getLong("bytes")).containsExactly(40L, 8L);
    }

    @Test
    void recoverySaysWhatItDid() throws IOException {
        CrashSimulation machine = SimulatedPool.formatted();
        CrashSimulation[] cut = new CrashSimulation[1];
        try (ObjectPool pool = SimulatedPool.open(machine)) {
            Ref root = pool.root(64);
            pool.transaction(
                    tx -> {
                        tx.snapshot(root, 0, 8).set(ValueLayout.JAVA_LONG, 0, 1);
                        cut[0] = machine.crash(CrashSimulation.Loss.NONE, null);
                    });
        }
        Path file = dir.resolve("recovery.jfr");
        try (Recording recording = new Recording()) {
            recording.enable("io.farheap.Recovery").withoutThreshold();
            recording.start();
            SimulatedPool.open(cut[0]).close();
            SimulatedPool.open(cut[0]).close();
            recording.stop();
            recording.dump(file);
        }
        List<RecordedEvent> recoveries =
                named(RecordingFile.readAllEvents(file), "io.farheap.Recovery");
        assertThat(recoveries).extracting(e -> e.getInt("rolledBack")).containsExactly(1, 0);
        assertThat(recoveries).extracting(e -> e.getInt("completed")).containsExactly(0, 0);
    }

    @Test
    void aDiskJournalTellsOfItsSyncsAndCheckpoints() throws IOException {
        Path file = dir.resolve("disk.jfr");
        Path path = dir.resolve("a.pool");
        PoolOptions options = PoolOptions.builder().persistence(PersistenceDomain.JOURNAL).build();
        PoolCounters before;
        PoolCounters after;
        try (Recording recording = new Recording()) {
            recording.enable("io.farheap.DiskSync").withoutThreshold();
            recording.enable("io.farheap.Checkpoint").withoutThreshold();
            try (ObjectPool pool =
                    ObjectPool.at(path).layout("test").size(16 << 20).options(options).create()) {
                Ref root = pool.root(64);
                before = pool.counters();
                recording.start();
                for (int i = 0; i < 3; i++) {
                    pool.transaction(tx -> tx.setLong(root, 0, 1));
                }
                after = pool.counters();
            }
            recording.stop();
            recording.dump(file);
        }

        assertThat(after.diskSyncs() - before.diskSyncs()).isEqualTo(3);
        assertThat(after.diskBytes() - before.diskBytes()).isEqualTo(3 * 4096);
        assertThat(after.diskWaits()).isZero();
        List<RecordedEvent> events = RecordingFile.readAllEvents(file);
        List<RecordedEvent> syncs = named(events, "io.farheap.DiskSync");
        assertThat(syncs).hasSizeGreaterThanOrEqualTo(3);
        assertThat(syncs.subList(0, 3))
                .allSatisfy(e -> assertThat(e.getLong("bytes")).isEqualTo(4096))
                .allSatisfy(e -> assertThat(e.getString("journal")).endsWith(".disk-journal"));
        List<RecordedEvent> checkpoints = named(events, "io.farheap.Checkpoint");
        assertThat(checkpoints).as("at the close").hasSize(1);
        assertThat(checkpoints.get(0).getLong("pages")).isBetween(2L, 1000L);
    }

    /** One object serves all events of a lane: one after the other, they can't overlap. */
    @Test
    void eachCommitHasItsOwnDuration() throws IOException {
        CrashSimulation machine = SimulatedPool.formatted();
        RecordingSink sink = new RecordingSink();
        Path file = dir.resolve("durations.jfr");
        Duration slow = Duration.ofMillis(100);
        long nanos;
        try (Recording recording = new Recording();
                ObjectPool pool = SimulatedPool.open(named(machine), sink)) {
            Ref root = pool.root(64);
            recording.enable("io.farheap.Commit").withoutThreshold();
            recording.start();
            long begin = System.nanoTime();
            for (int length = 1; length <= 6; length++) {
                byte[] value = new byte[length];
                sink.whileWaiting =
                        () -> LockSupport.parkNanos(value.length % 3 == 1 ? slow.toNanos() : 1);
                pool.transaction(tx -> tx.writeBytes(root, 0, value));
            }
            nanos = System.nanoTime() - begin;
            recording.stop();
            recording.dump(file);
        }

        List<RecordedEvent> commits = named(RecordingFile.readAllEvents(file), "io.farheap.Commit");
        assertThat(commits)
                .extracting(e -> e.getLong("bytes"))
                .containsExactly(1L, 2L, 3L, 4L, 5L, 6L);
        assertThat(commits.stream().mapToLong(e -> e.getDuration().toNanos()).sum())
                .isLessThanOrEqualTo(nanos);
        assertThat(commits)
                .allSatisfy(
                        e ->
                                assertThat(e.getDuration())
                                        .isGreaterThanOrEqualTo(e.getDuration("durabilityWait")));
    }

    /** The same memory, of a pool that has a path. */
    private static PoolMemory named(CrashSimulation machine) {
        return new PoolMemory(NAME, machine.memory().image(), machine);
    }

    private static TransactionAbortedException catchAbort(ObjectPool pool, Ref root) {
        try {
            pool.transaction(
                    tx -> {
                        tx.setLong(root, 0, 2);
                        tx.abort();
                    });
            return null;
        } catch (TransactionAbortedException aborted) {
            return aborted;
        }
    }

    private static List<RecordedEvent> named(List<RecordedEvent> events, String name) {
        return events.stream().filter(e -> e.getEventType().getName().equals(name)).toList();
    }
}
