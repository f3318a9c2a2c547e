package io.farheap.replication.epoch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.base.ReplicaPolicy;
import io.farheap.base.ReplicaStatus.State;
import io.farheap.replication.dirty.DirtyBits;
import io.farheap.replication.dirty.LagDirtyMaps;
import io.farheap.replication.dirty.UnmarkableException;
import io.farheap.replication.stream.StagingRing;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An epoch has numbers for so many records; what comes after them is in the next one. */
@Timeout(120)
class EpochEndTest {
    private static final long PLACE = DegradingPool.PLACE;
    private static final int MOST = 20;
    private static final int THREADS = 3;

    @TempDir private Path directory;

    private DegradingPool site;

    @BeforeEach
    void open() {
        site = new DegradingPool(directory, ReplicaPolicy.FAIL, ReplicaPolicy.DEGRADE);
        site.mostRecords = MOST;
        site.reopen();
    }

    @AfterEach
    void close() {
        site.close();
    }

    private void commitMany(int commits) {
        List<CompletableFuture<Void>> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            long place = PLACE + 64L * i;
            threads.add(
                    CompletableFuture.runAsync(
                            () -> {
                                for (long value = 1; value <= commits; value++) {
                                    site.commit(place, value);
                                }
                            },
                            task -> Thread.ofPlatform().start(task)));
        }
        threads.forEach(CompletableFuture::join);
    }

    @Test
    void whenItsNumbersRunOutCommitsGoOnInTheNextOne() {
        int before = site.pool.numbers.size();
        commitMany(100);
        // A few are claimed while admission is being closed.
        assertThat(site.pool.numbers.size() - before)
                .isBetween(3 * 100 / (MOST + 2 * THREADS) - 1, 3 * 100 / MOST + 1);
        assertThat(site.state(0)).isEqualTo(State.ATTACHED);
        assertThat(site.state(1)).isEqualTo(State.ATTACHED);
        site.targets.lose(1);
        commitMany(30);
        site.targets.gone.clear();
        await().until(() -> site.state(1) == State.ATTACHED);
        commitMany(30);
        site.sink.close();
        site.assertSame(0);
        site.assertSame(1);
    }

    /** Though what was posted in ended epochs is counted in another place. */
    @Test
    void countersNeverFall() {
        AtomicBoolean over = new AtomicBoolean();
        CompletableFuture<Void> reader =
                CompletableFuture.runAsync(
                        () -> {
                            long last = 0;
                            while (!over.get()) {
                                long now = site.sink.counters().workRequests();
                                assertThat(now).isGreaterThanOrEqualTo(last);
                                last = now;
                            }
                        },
                        task -> Thread.ofPlatform().start(task));
        commitMany(100);
        over.set(true);
        assertThat(reader).succeedsWithin(Duration.ofSeconds(10));
    }

    /** Else a record that replicas have is rolled back here, and nobody tells them. */
    @Test
    void whoseRecordIsClaimedGetsItsTicketThoughTheEpochCanNotBeEndedYet() {
        AtomicInteger attempts = new AtomicInteger();
        Epoch epoch = endingWith(() -> throwOnce(attempts));

        long sequence = epoch.append(16, entries -> entries.set(PLACE, 1));

        assertThat(epoch.isOpen()).isTrue();
        assertThat(epoch.isEnding()).isTrue();
        assertThat(epoch.faultAtEnd()).hasMessage("no stack for that");
        epoch.committed(sequence);
        epoch.committed(epoch.append(16, entries -> entries.set(PLACE, 2)));
        assertThat(attempts).hasValue(2);
        assertThat(epoch.isOpen()).isFalse();
        assertThat(epoch.append(16, entries -> entries.set(PLACE, 3)))
                .isEqualTo(StagingRing.CLOSED);
        assertThat(epoch.awaitQuiet(Duration.ZERO)).isTrue();
    }

    private static void throwOnce(AtomicInteger attempts) {
        if (attempts.incrementAndGet() == 1) {
            throw new StackOverflowError("no stack for that");
        }
    }

    /** One that ends with each of its records. */
    private static Epoch endingWith(Runnable ending) {
        return new Epoch(
                1,
                2,
                List.of(),
                null,
                new DirtyBits[0],
                LagDirtyMaps.NONE,
                null,
                1,
                new Epoch.Listener() {
                    @Override
                    public void unmarked(UnmarkableException why) {
                        throw new AssertionError(why);
                    }

                    @Override
                    public void ending() {
                        ending.run();
                    }
                });
    }

    @Test
    void aTicketTellsEpochAndRecordUpToTheLast() {
        Epoch epoch =
                new Epoch(
                        (1L << 23) + 5,
                        2,
                        List.of(),
                        null,
                        new DirtyBits[0],
                        LagDirtyMaps.NONE,
                        null,
                        Epoch.MOST_RECORDS,
                        null);
        long last = Epoch.MOST_RECORDS + 1000;
        assertThat(epoch.ticket(last)).isPositive();
        assertThat(Epoch.sequence(epoch.ticket(last))).isEqualTo(last);
        assertThat(epoch.isOf(epoch.ticket(last))).isTrue();
    }
}
