package io.farheap.replication.epoch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.farheap.base.FarheapException;
import io.farheap.base.ReplicaPolicy;
import io.farheap.base.ReplicaStatus;
import io.farheap.base.ReplicaStatus.State;
import io.farheap.replication.stream.LagBound;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Policy async: commits go ahead of the replica, and nobody takes it for current for that. */
@Timeout(120)
class AsyncReplicaTest {
    private static final long PLACE = DegradingPool.PLACE;
    private static final int COMMITS = 20;

    @TempDir private Path directory;

    private DegradingPool site;

    private void open(ReplicaPolicy... policies) throws IOException {
        site = new DegradingPool(Files.createDirectory(directory.resolve("pool")), policies);
    }

    @AfterEach
    void end() {
        site.close();
    }

    private void stall() {
        site.replica(0).stalled = true;
        await().until(() -> site.replica(0).stands);
    }

    private ReplicaStatus status(int index) {
        return site.sink.replicas().get(index);
    }

    /** Commits to as many regions. */
    private void commit(long value) {
        for (int i = 0; i < COMMITS; i++) {
            site.commit(PLACE + i * 8192L, value);
        }
    }

    /** In one look: what tells it of the commits is a record, too, and follows when it likes. */
    private void awaitCaughtUp(int index) {
        await().until(
                        () -> {
                            ReplicaStatus now = status(index);
                            return now.state() == State.ATTACHED
                                    && now.lagBytes() == 0
                                    && now.lag().isZero();
                        });
    }

    /** It has the first commits and not the last, and the machine crashes. */
    private void crashWhileItLags() throws IOException {
        commit(1);
        awaitCaughtUp(0);
        stall();
        commit(2);
        site = site.crash(Files.createDirectory(directory.resolve("after")));
        assertThat(site.replica(0).cur).as("the same number").isEqualTo(site.pool.runId());
        assertThat(site.replica(0).mayLag).isTrue();
        site.replica(0).copied.set(0);
    }

    @Test
    void commitsReturnWithoutItAndItsLagIsShown() throws IOException {
        open(ReplicaPolicy.ASYNC);
        stall();
        commit(1);
        ReplicaStatus behind = status(0);
        assertThat(behind.policy()).isEqualTo(ReplicaPolicy.ASYNC);
        assertThat(behind.state()).isEqualTo(State.ATTACHED);
        assertThat(behind.lagBytes()).isGreaterThanOrEqualTo(COMMITS * 64);
        await().until(() -> status(0).lag().compareTo(Duration.ofMillis(5)) > 0);
        site.replica(0).stalled = false;
        awaitCaughtUp(0);
        assertThat(site.replica(0).mayLag).isTrue();
    }

    @Test
    void theFlightRecorderShowsItsLagAndWhoWaitedForIt() throws Exception {
        open(ReplicaPolicy.ASYNC);
        site.sink.close();
        site.settings = site.settings.withLag(new LagBound(1024, Duration.ofSeconds(60)));
        Path file = directory.resolve("lag.jfr");
        try (Recording recording = new Recording()) {
            recording.enable("io.farheap.ReplicaLag");
            recording.enable("io.farheap.BackPressure");
            recording.start();
            site.sink = site.attach();
            stall();
            CompletableFuture<Void> commits = CompletableFuture.runAsync(() -> commit(1));
            await().until(() -> status(0).lag().compareTo(Duration.ofMillis(300)) > 0);
            site.replica(0).stalled = false;
            commits.join();
            recording.stop();
            recording.dump(file);
        }
        List<RecordedEvent> events = RecordingFile.readAllEvents(file);
        assertThat(events)
                .filteredOn(event -> event.getEventType().getName().endsWith("ReplicaLag"))
                .anyMatch(event -> event.getLong("lagBytes") > 512)
                .allMatch(event -> event.getString("replica").equals("target r0.set"));
        assertThat(events)
                .filteredOn(event -> event.getEventType().getName().endsWith("BackPressure"))
                .anyMatch(event -> event.getDuration().toMillis() > 50);
    }

    @Test
    void whatItLacksAfterACrashIsNoted() throws IOException {
        open(ReplicaPolicy.ASYNC);
        crashWhileItLags();
        site.sink = site.attach();
        long copied = site.replica(0).copied.get();
        assertThat(copied).isBetween(COMMITS * 4096L, (COMMITS + 2) * 4096L);
        site.sink.close();
        site.assertSame(0);
    }

    @Test
    void whatItLacksAfterACrashIsFoundByComparisonWhereNothingIsNoted() throws IOException {
        open(ReplicaPolicy.ASYNC);
        crashWhileItLags();
        try (var files = Files.list(directory.resolve("after"))) {
            for (Path map : files.toList()) {
                Files.delete(map);
            }
        }
        site.sink = site.attach();
        long copied = site.replica(0).copied.get();
        assertThat(copied).isBetween(COMMITS * 4096L, 8L << 16);
        site.sink.close();
        site.assertSame(0);
    }

    @ParameterizedTest
    @EnumSource(ReplicaPolicy.class)
    void theNextRunMayHaveAnotherPolicy(ReplicaPolicy next) throws IOException {
        open(ReplicaPolicy.ASYNC);
        crashWhileItLags();
        site.setPolicy(0, next);
        site.sink = site.attach();
        assertThat(site.replica(0).mayLag).isEqualTo(next == ReplicaPolicy.ASYNC);
        commit(3);
        site.sink.close();
        site.assertSame(0);
    }

    /** An absent replica may lag, too; what is noted from now on does not say that. */
    @Test
    void aMapThatBeganWhileItWasAwayDoesNotSayWhatItLackedBefore() throws IOException {
        open(ReplicaPolicy.ASYNC);
        crashWhileItLags();
        try (var files = Files.list(directory.resolve("after"))) {
            for (Path map : files.toList()) {
                Files.delete(map);
            }
        }
        site.setPolicy(0, ReplicaPolicy.DEGRADE);
        site.targets.gone.add(0);
        site.sink = site.attach();
        site.commit(PLACE + 400 * 4096, 9);
        site.targets.gone.clear();
        awaitCaughtUp(0);
        site.sink.close();
        site.assertSame(0);
    }

    @Test
    void afterACleanEndItsNumberIsProofAgain() throws IOException {
        open(ReplicaPolicy.ASYNC);
        commit(1);
        site.sink.close();
        assertThat(site.replica(0).mayLag).isFalse();
        site.replica(0).copied.set(0);
        site.sink = site.attach();
        assertThat(site.replica(0).copied).hasValue(0);
        assertThat(site.replica(0).mayLag).isTrue();
        commit(2);
        site.sink.close();
        site.assertSame(0);
    }

    @Test
    void lostWhileItLagsItGetsThatToo() throws IOException {
        open(ReplicaPolicy.ASYNC);
        commit(1);
        awaitCaughtUp(0);
        stall();
        commit(2);
        site.targets.lose(0);
        await().until(() -> status(0).state() == State.LOST);
        site.commit(PLACE + 400 * 4096, 9);
        assertThat(status(0).lagBytes())
                .as("known by regions only")
                .isBetween((COMMITS + 1) * 4096L, (COMMITS + 1) * 4096L + 3 * (1L << 20));
        site.replica(0).stalled = false;
        site.replica(0).copied.set(0);
        site.targets.gone.clear();
        awaitCaughtUp(0);
        assertThat(site.replica(0).copied.get()).isLessThan((COMMITS + 4) * 4096L);
        commit(3);
        site.sink.close();
        site.assertSame(0);
    }

    @Test
    void atTheBoundCommitsWaitForItAndThenGoOnWithoutIt() throws IOException {
        open(ReplicaPolicy.ASYNC);
        site.sink.close();
        site.settings = site.settings.withLag(new LagBound(1024, Duration.ofSeconds(60)));
        site.sink = site.attach();
        stall();
        long begin = System.nanoTime();
        commit(1);
        Duration took = Duration.ofNanos(System.nanoTime() - begin);
        assertThat(took).isBetween(Duration.ofSeconds(2), Duration.ofSeconds(30));
        assertThat(status(0).state()).isEqualTo(State.LOST);
        assertThat(status(0).reason()).contains("lags by", "lag-bytes is 1024");
        site.replica(0).stalled = false;
        awaitCaughtUp(0);
        site.sink.close();
        site.assertSame(0);
    }

    @Test
    void withOneThatIsWaitedForItIsOfTheSameEpochAndGetsWhatWasDecided() throws IOException {
        open(ReplicaPolicy.ASYNC, ReplicaPolicy.FAIL, ReplicaPolicy.DEGRADE);
        commit(1);
        site.targets.lose(1);
        assertThatThrownBy(() -> site.commit(PLACE, 7)).isInstanceOf(FarheapException.class);
        site.targets.gone.clear();
        await().ignoreExceptions()
                .until(
                        () -> {
                            site.commit(PLACE, 8);
                            return true;
                        });
        assertThat(status(0).state()).as("it had all that was decided").isEqualTo(State.ATTACHED);
        site.targets.lose(2);
        commit(9);
        assertThat(status(2).state()).isEqualTo(State.LOST);
        site.targets.gone.clear();
        awaitCaughtUp(2);
        awaitCaughtUp(0);
        site.sink.close();
        for (int i = 0; i < 3; i++) {
            site.assertSame(i);
            assertThat(site.replica(i).mayLag).isFalse();
        }
    }

    @Test
    void oneThatLagsTooFarWhenAnotherIsLostIsLeftOutAndComesBack() throws IOException {
        open(ReplicaPolicy.ASYNC, ReplicaPolicy.DEGRADE);
        site.sink.close();
        site.settings = site.settings.withLag(new LagBound(1 << 20, Duration.ofMillis(300)));
        site.sink = site.attach();
        commit(1);
        awaitCaughtUp(0);
        stall();
        site.commit(PLACE, 2);
        site.targets.lose(1);
        stall();
        site.commit(PLACE, 3);
        await().until(() -> status(1).state() == State.LOST);
        site.replica(0).stalled = false;
        site.targets.gone.clear();
        commit(4);
        awaitCaughtUp(0);
        awaitCaughtUp(1);
        site.sink.close();
        site.assertSame(0);
        site.assertSame(1);
    }
}
