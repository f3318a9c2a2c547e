package io.farheap.replication.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.farheap.base.CommitUnknownException;
import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.base.ReplicaPolicy;
import io.farheap.replication.FakeTarget;
import io.farheap.replication.dirty.Bases;
import io.farheap.replication.dirty.DirtyMap;
import io.farheap.replication.dirty.LagDirtyMaps;
import io.farheap.replication.fabric.DurabilityMethod;
import io.farheap.replication.fabric.WaitStrategy;
import io.farheap.replication.journal.RecordLayout;
import io.farheap.spi.RecordEntries;
import io.farheap.testing.CrashSimulation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Members that commits don't wait for. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AsyncStreamTest {
    private static final long EPOCH = 42;
    private static final LagBound WIDE = new LagBound(1 << 20, Duration.ofSeconds(60));

    private final List<FakeTarget> targets = new ArrayList<>();
    private final AtomicInteger freezes = new AtomicInteger();
    private CommitStream stream;

    private static StreamSettings settings(Duration timeout, LagBound lag) {
        return new StreamSettings(
                timeout, new WaitStrategy(5_000, 50_000), 2, Duration.ofMillis(5), lag);
    }

    private static StreamSettings wide() {
        return settings(Duration.ofSeconds(20), WIDE);
    }

    /** The last one is asynchronous. */
    private void open(int members, int ringBytes, StreamSettings settings) {
        open(members, ringBytes, settings, LagDirtyMaps.NONE);
    }

    private void open(int members, int ringBytes, StreamSettings settings, LagDirtyMaps maps) {
        MemorySegment staging = Arena.ofAuto().allocate(ringBytes, 64);
        List<StreamMember> links = new ArrayList<>();
        for (int i = 0; i < members; i++) {
            FakeTarget target = new FakeTarget(EPOCH, staging, method());
            targets.add(target);
            String name = "host" + i + " bank.set";
            links.add(i < members - 1 ? target.link(name) : target.link(name, ReplicaPolicy.ASYNC));
        }
        stream =
                new CommitStream(
                        "",
                        EPOCH,
                        staging,
                        links,
                        settings,
                        StreamListener.freezing(freezes::incrementAndGet),
                        maps);
    }

    private FakeTarget async() {
        return targets.getLast();
    }

    private AsyncFeed feed() {
        return stream.feed("host" + (targets.size() - 1) + " bank.set");
    }

    /** What makes records durable on the targets. */
    DurabilityMethod method() {
        return DurabilityMethod.GPSPM;
    }

    @AfterEach
    void close() {
        stream.abandon();
        targets.forEach(FakeTarget::close);
        targets.forEach(target -> assertThat(target.problem).isNull());
    }

    private long append(long offset, long value) {
        return stream.append(RecordEntries.WORD_ENTRY_BYTES, to -> to.set(offset, value));
    }

    private void commit(long offset, long value) {
        long ticket = append(offset, value);
        stream.awaitDurable(ticket);
        stream.committed(ticket);
    }

    private static long word(FakeTarget target, long offset) {
        return target.image.get(RecordLayout.LONG, offset);
    }

    private void assertCatchesUp(int commits) {
        await().until(() -> word(async(), 8) == commits);
        await().until(() -> feed().lagBytes() == 0 && feed().lagNanos() == 0);
    }

    @Test
    void commitsDoNotWaitForItAloneAndItGetsThemAll() {
        open(1, 1 << 16, wide());
        async().mute = true;
        for (int i = 1; i <= 500; i++) {
            commit(8, i);
        }
        assertThat(stream.isFrozen()).isFalse();
        assertThat(feed().lagBytes()).isEqualTo(500 * RecordLayout.span(16));
        assertThat(feed().lagNanos()).isPositive();
        assertThat(word(async(), 8)).isZero();
        async().mute = false;
        commit(8, 501); // what was not answered is answered with what follows
        assertThat(stream.durableSequence()).isGreaterThanOrEqualTo(501);
    }

    /** The disk is the program's own, and fails: the members are told all the same. */
    @Test
    void whoseNotesCanNotBeClearedIsLookedAfterAllTheSame() {
        CrashSimulation disk = new CrashSimulation(DirtyMap.fileBytes(1 << 20));
        DirtyMap map =
                DirtyMap.create(
                        disk.memory(),
                        DirtyMap.identity(new byte[16], "host1 bank.set"),
                        1 << 20,
                        Bases.of(EPOCH),
                        EPOCH,
                        true);
        AtomicInteger failed = new AtomicInteger();
        disk.beforeEachStep(
                () -> {
                    failed.incrementAndGet();
                    throw new FarheapException(Category.ENVIRONMENT, "Input/output error");
                });
        open(2, 1 << 16, wide(), new LagDirtyMaps(List.of(map), WIDE.time()));
        await().until(() -> failed.get() > 0);
        commit(8, 1);
        assertCatchesUp(1);
        await().until(() -> failed.get() > 1);
    }

    @Test
    void theOthersAreWaitedForAllTheSame() {
        open(2, 1 << 16, wide());
        for (int i = 1; i <= 300; i++) {
            commit(8, i);
            assertThat(targets.get(0).lastRecord()).isGreaterThanOrEqualTo(i);
        }
        assertCatchesUp(300);
    }

    @Test
    void manyLapsOfTheRing() {
        open(1, 1 << 14, wide());
        for (int i = 1; i <= 20_000; i++) {
            commit(8, i);
        }
        assertCatchesUp(20_000);
        stream.drain(Duration.ofSeconds(20));
        assertThat(async().appliedSequence).isEqualTo(stream.lastSequence());
    }

    @Test
    void manyThreadsWithOneThatIsWaitedForAndOneThatIsNot() {
        open(2, 1 << 15, wide());
        List<CompletableFuture<Void>> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            long place = 64L + 8 * t;
            threads.add(
                    CompletableFuture.runAsync(
                            () -> {
                                for (int i = 1; i <= 2000; i++) {
                                    commit(place, i);
                                }
                            }));
        }
        threads.forEach(CompletableFuture::join);
        for (int t = 0; t < 4; t++) {
            long place = 64L + 8 * t;
            await().until(() -> word(async(), place) == 2000);
        }
    }

    @Test
    void atTheBoundInBytesCommitsWaitAndThenItIsLost() {
        Duration timeout = Duration.ofSeconds(2);
        long span = RecordLayout.span(16);
        open(1, 1 << 16, settings(timeout, new LagBound(10 * span, Duration.ofSeconds(60))));
        async().mute = true;
        for (int i = 1; i <= 10; i++) {
            commit(8, i);
        }
        long begin = System.nanoTime();
        assertThat(stream.tryAppend(16, to -> to.set(8, 11))).isEqualTo(StagingRing.CLOSED);
        assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(timeout.toNanos());
        assertThat(stream.lostReplica()).isEqualTo("host0 bank.set");
        assertThat(stream.whyFrozen())
                .hasMessageContaining("lag-bytes is " + 10 * span + ",")
                .hasMessageContaining("did not catch up within 2000 ms");
        assertThat(stream.outstanding()).isZero();
        assertThat(freezes).hasValue(1);
    }

    @Test
    void aCommitThatWaitsAtTheBoundGoesOnWhenItHasCaughtUp() throws Exception {
        long span = RecordLayout.span(16);
        LagBound bound = new LagBound(span, Duration.ofSeconds(60));
        open(1, 1 << 16, settings(Duration.ofSeconds(20), bound));
        for (int i = 1; i <= 200; i++) {
            commit(8, i);
            assertThat(feed().lagBytes()).isLessThanOrEqualTo(2 * span); // one may tell commits
        }
        long large =
                stream.append(
                        4096 + 16,
                        to -> to.copy(4096, MemorySegment.ofArray(new long[512]), 0, 4096));
        stream.awaitDurable(large);
        stream.committed(large);
        commit(8, 201);
        assertCatchesUp(201);
    }

    @Test
    void atTheBoundInTimeItIsLostThoughNobodyCommits() {
        LagBound bound = new LagBound(1 << 20, Duration.ofMillis(500));
        open(1, 1 << 16, settings(Duration.ofMillis(1000), bound));
        commit(8, 1);
        assertCatchesUp(1);
        async().mute = true;
        commit(8, 2);
        await().until(stream::isFrozen);
        assertThat(stream.whyFrozen()).hasMessageContaining("lag-time 500 ms");
        assertThat(feed().lagNanos()).isGreaterThanOrEqualTo(1_500_000_000);
    }

    @Test
    void whatWaitsBehindTheBatchesInFlightIsAsOldAsItIs() {
        open(1, 1 << 16, wide());
        assumeTrue(method() == DurabilityMethod.GPSPM, "whose answers can be given one by one");
        async().mute = true;
        for (int i = 1; i <= 2; i++) { // as many as may be in flight
            int batches = i;
            commit(8, i);
            await().until(() -> async().flushes.get() >= batches);
        }
        long claimed = System.nanoTime();
        commit(8, 3);
        await().pollDelay(Duration.ofMillis(100)).until(() -> true);
        long inFlight = async().durablePosition.get();
        async().answerAgain(2);
        await().until(() -> async().flushes.get() == 3);
        await().until(() -> feed().lagBytes() == async().durablePosition.get() - inFlight);
        long waited = System.nanoTime() - claimed;
        assertThat(feed().lagNanos()).isGreaterThanOrEqualTo(waited);
    }

    /** Else a commit would wait for nothing, and the housekeeper might give up a sound replica. */
    @Test
    void whatIsClaimedAfterALongSilenceIsNew() {
        open(1, 1 << 16, wide());
        commit(8, 1);
        assertCatchesUp(1);
        await().until(this::feedSleeps);
        AtomicLong lag = new AtomicLong(-1);
        long ticket =
                stream.append(
                        RecordEntries.WORD_ENTRY_BYTES,
                        to -> {
                            lag.set(feed().lagNanos());
                            to.set(8, 2);
                        });
        stream.awaitDurable(ticket);
        stream.committed(ticket);
        assertThat(lag).hasValue(0);
        assertCatchesUp(2);
    }

    private boolean feedSleeps() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(
                        thread ->
                                thread.getName().equals("farheap-async-" + feed().replica().name()))
                .anyMatch(thread -> thread.getState() == Thread.State.WAITING);
    }

    @Test
    void whatIsDecidedWhenAnotherMemberIsLostItGetsStill() {
        open(2, 1 << 16, wide());
        for (int i = 1; i <= 100; i++) {
            commit(8, i);
        }
        targets.get(0).mute = true;
        long waiting = append(8, 101);
        targets.get(0).die();
        assertThatThrownBy(() -> stream.awaitDurable(waiting))
                .isInstanceOf(CommitUnknownException.class);
        stream.awaitFed(Duration.ofSeconds(20));
        assertThat(async().lastRecord()).isGreaterThanOrEqualTo(stream.durableSequence());
        assertThat(stream.durableSequence()).isGreaterThanOrEqualTo(100);
        stream.rolledBack(waiting);
        assertThat(stream.needsContent()).isFalse();
    }

    /** Once frozen, what is decided is final, and all of it is to be committed. */
    @Test
    void aloneItsLossDecidesNothingAgainstACommit() throws Exception {
        open(1, 1 << 16, wide());
        AtomicInteger committed = new AtomicInteger();
        List<CompletableFuture<Void>> threads = new ArrayList<>();
        for (int t = 0; t < 3; t++) {
            threads.add(
                    CompletableFuture.runAsync(
                            () -> {
                                while (true) {
                                    long at = stream.tryAppend(16, to -> to.set(8, 1));
                                    if (at < 0) {
                                        return;
                                    }
                                    if (!stream.awaitOutcome(at)) {
                                        assertThat(at).isGreaterThan(stream.durableSequence());
                                        return;
                                    }
                                    assertThat(at).isLessThanOrEqualTo(stream.durableSequence());
                                    stream.committed(at);
                                    committed.incrementAndGet();
                                }
                            }));
        }
        await().until(() -> committed.get() > 1000);
        async().die();
        for (CompletableFuture<Void> thread : threads) {
            thread.join();
        }
        assertThat(stream.lostReplica()).isEqualTo("host0 bank.set");
    }
}
