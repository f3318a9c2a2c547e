package io.farheap.objects.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.ObjectPool;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How long a transaction that meets conflicts goes on before it runs alone, and who is told. */
@Timeout(120)
class ConflictPolicyTest {
    private static final long TYPE = 77;

    @TempDir Path directory;
    private final ExecutorService other = Executors.newSingleThreadExecutor();
    private final AtomicInteger runs = new AtomicInteger();
    private ObjectPool pool;
    private HeapTransactions heap;
    private long object;

    @BeforeEach
    void create() {
        pool = ObjectPool.at(directory.resolve("pool")).layout("objects").size(16 << 20).create();
        heap = new HeapTransactions(pool);
        object = heap.transaction(tx -> tx.allocate(64, TYPE));
    }

    @AfterEach
    void close() {
        other.shutdownNow();
        pool.close();
    }

    private void addElsewhere() {
        try {
            Object unused = other.submit(() -> heap.transaction(tx -> add(tx, 100))).get();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private Object add(HeapTransaction tx, long amount) {
        tx.setLong(object, 0, tx.getLong(object, 0) + amount);
        return null;
    }

    /**
     * Adds 1, and has others change the object in between.
     *
     * @param conflicts in so many runs at most, and in none where it runs alone
     * @param between done before the others' change
     */
    private void addBesideOthers(int conflicts, Runnable between) {
        heap.transaction(
                tx -> {
                    long value = tx.getLong(object, 0);
                    if (runs.incrementAndGet() <= conflicts && heap.counters().alone() == 0) {
                        between.run();
                        addElsewhere();
                    }
                    tx.setLong(object, 0, value + 1);
                    return null;
                });
    }

    private void assertAdded(int others) {
        assertThat((long) heap.read(tx -> tx.getLong(object, 0))).isEqualTo(1 + 100L * others);
    }

    @Test
    void aConflictIsMetByRunningAgain() {
        addBesideOthers(1, () -> {});
        assertThat(runs).hasValue(2);
        assertThat(heap.counters().conflicts()).isEqualTo(1);
        assertThat(heap.counters().alone()).isZero();
        assertAdded(1);
    }

    /** The clock begins with the first conflict: the second run takes more than there is. */
    @Test
    void afterTenMillisecondsItRunsAlone() {
        AtomicLong second = new AtomicLong();
        addBesideOthers(
                2,
                () -> {
                    if (runs.get() == 2) {
                        second.set(System.nanoTime());
                        await().pollInterval(Duration.ofMillis(1))
                                .until(() -> millisSince(second) > TransactionAttempts.MOST_MILLIS);
                    }
                });
        assertThat(runs).hasValue(3);
        assertThat(heap.counters().conflicts()).isEqualTo(2);
        assertThat(heap.counters().alone()).isEqualTo(1);
        assertAdded(2);
    }

    private static long millisSince(AtomicLong nanos) {
        return (System.nanoTime() - nanos.get()) / 1_000_000;
    }

    @Test
    void whoeverMeetsConflictsAgainAndAgainRunsAloneAtTheLatestAfterSixteen() {
        addBesideOthers(Integer.MAX_VALUE, () -> {});
        assertThat(heap.counters().conflicts())
                .isBetween(1L, (long) TransactionAttempts.MOST_CONFLICTS);
        assertThat(heap.counters().alone()).isEqualTo(1);
        assertThat(runs.get()).isEqualTo(heap.counters().conflicts() + 1);
        assertAdded(runs.get() - 1);
    }

    @Test
    void bothAreEventsOfTheFlightRecorder() throws Exception {
        List<RecordedEvent> events;
        try (Recording recording = new Recording()) {
            recording.enable("io.farheap.TransactionConflict").withoutThreshold();
            recording.enable("io.farheap.TransactionAlone").withoutThreshold();
            recording.start();
            addBesideOthers(Integer.MAX_VALUE, () -> {});
            recording.stop();
            events = events(recording);
        }
        List<RecordedEvent> conflicts = named(events, "io.farheap.TransactionConflict");
        assertThat(conflicts).hasSize((int) heap.counters().conflicts());
        for (int i = 0; i < conflicts.size(); i++) {
            RecordedEvent conflict = conflicts.get(i);
            assertThat(conflict.getInt("attempt")).isEqualTo(i + 1);
            assertThat(conflict.getLong("object")).isEqualTo(object);
            assertThat(conflict.getLong("typeNumber")).isEqualTo(TYPE);
            assertThat(conflict.getString("pool")).endsWith("pool");
        }
        List<RecordedEvent> alone = named(events, "io.farheap.TransactionAlone");
        assertThat(alone).hasSize(1);
        assertThat(alone.get(0).getInt("conflicts")).isEqualTo(conflicts.size());
        assertThat(alone.get(0).getString("pool")).endsWith("pool");
        assertThat(alone.get(0).getDuration()).isPositive();
    }

    private List<RecordedEvent> events(Recording recording) throws IOException {
        Path file = directory.resolve("events.jfr");
        recording.dump(file);
        return RecordingFile.readAllEvents(file).stream()
                .sorted((one, next) -> one.getEndTime().compareTo(next.getEndTime()))
                .toList();
    }

    private static List<RecordedEvent> named(List<RecordedEvent> events, String name) {
        return events.stream().filter(one -> one.getEventType().getName().equals(name)).toList();
    }
}
