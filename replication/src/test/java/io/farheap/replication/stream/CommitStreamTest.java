package io.farheap.replication.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.farheap.base.CommitUnknownException;
import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.base.ReplicaPolicy;
import io.farheap.replication.FakeTarget;
import io.farheap.replication.fabric.DurabilityMethod;
import io.farheap.replication.fabric.FabricCounters;
import io.farheap.replication.fabric.WaitStrategy;
import io.farheap.replication.journal.RecordLayout;
import io.farheap.spi.RecordEntries;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CommitStreamTest {
    static final long EPOCH = 42;
    private static final Duration NEVER = Duration.ofDays(1);
    static final StreamSettings QUIET =
            new StreamSettings(
                    Duration.ofSeconds(20),
                    new WaitStrategy(5_000, 50_000),
                    2,
                    NEVER,
                    LagBound.DEFAULT);

    final List<FakeTarget> targets = new ArrayList<>();
    private final AtomicInteger freezes = new AtomicInteger();
    private MemorySegment staging;
    CommitStream stream;

    CommitStream open(int members, int ringBytes, StreamSettings settings) {
        return open(members, ringBytes, settings, ReplicaPolicy.FAIL);
    }

    private CommitStream open(
            int members, int ringBytes, StreamSettings settings, ReplicaPolicy policy) {
        staging = Arena.ofAuto().allocate(ringBytes, 64);
        List<StreamMember> links = new ArrayList<>();
        for (int i = 0; i < members; i++) {
            FakeTarget target = new FakeTarget(EPOCH, staging, method());
            targets.add(target);
            links.add(target.link("host" + i + " bank.set", policy));
        }
        stream = new CommitStream(EPOCH, staging, links, settings, freezes::incrementAndGet);
        return stream;
    }

    /** What makes records durable on the targets. */
    DurabilityMethod method() {
        return DurabilityMethod.GPSPM;
    }

    /** A WRITE, and the SEND or the two READs behind it. */
    private long requestsPerCommit() {
        return method() == DurabilityMethod.APM ? 3 : 2;
    }

    @AfterEach
    void close() {
        stream.abandon();
        targets.forEach(FakeTarget::close);
        targets.forEach(target -> assertThat(target.problem).isNull());
    }

    void commit(long offset, long value) {
        long ticket = append(offset, value);
        stream.awaitDurable(ticket);
        stream.committed(ticket);
    }

    long append(long offset, long value) {
        return stream.append(RecordEntries.WORD_ENTRY_BYTES, to -> to.set(offset, value));
    }

    private static long word(FakeTarget target, long offset) {
        return target.image.get(RecordLayout.LONG, offset);
    }

    @ParameterizedTest
    @CsvSource({"1", "2", "3"})
    void aCommitThatReturnedIsOnEveryMember(int members) {
        open(members, 1 << 16, QUIET);
        for (int i = 1; i <= 500; i++) {
            commit(8L * i, i);
            for (FakeTarget target : targets) {
                assertThat(target.lastRecord()).isGreaterThanOrEqualTo(i);
            }
        }
        stream.drain(Duration.ofSeconds(20));
        for (FakeTarget target : targets) {
            for (int i = 1; i <= 500; i++) {
                assertThat(word(target, 8L * i)).isEqualTo(i);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"1", "2"})
    void aCommitIsOneDoorbellAndOneWaitPerMember(int members) {
        open(members, 1 << 20, QUIET);
        commit(8, 1);
        List<FabricCounters> before = stream.counters();
        long begin = System.nanoTime();
        for (int i = 0; i < 100; i++) {
            commit(8, i);
        }
        List<FabricCounters> after = stream.counters();
        long turns = (System.nanoTime() - begin) / DurabilityWaiter.TURN_NANOS;
        for (int i = 0; i < members; i++) {
            assertThat(after.get(i).doorbells() - before.get(i).doorbells()).isEqualTo(100);
            assertThat(after.get(i).workRequests() - before.get(i).workRequests())
                    .isEqualTo(100L * requestsPerCommit());
            assertThat(after.get(i).completions() - before.get(i).completions())
                    .isEqualTo(100L * (requestsPerCommit() - 1));
        }
        // who has waited for a turn in vain waits once more
        assertThat(waits(after) - waits(before)).isBetween(100L, 100L * members + turns);
    }

    private static long waits(List<FabricCounters> counters) {
        return counters.stream().mapToLong(FabricCounters::waits).sum();
    }

    @Test
    void aLapsBorderCostsOneMoreWrite() {
        open(1, 4096, QUIET);
        // 64 records of 128 bytes in two laps, each ending exactly at the border
        for (int i = 0; i < 32; i++) {
            commit(8, i);
        }
        assertThat(stream.counters().get(0).workRequests()).isEqualTo(32 * requestsPerCommit());
        commitBytes(960); // span 1088: four of them don't fit a lap
        commitBytes(960);
        commitBytes(960);
        long before = writes();
        commitBytes(960);
        // who is not told what was applied asks for room first, with a record that tells
        long told = method() == DurabilityMethod.APM ? 1 : 0;
        assertThat(writes() - before).isBetween(2L, 2 + told);
    }

    /** The rest asks for something: whether records are durable, or applied. */
    private long writes() {
        FabricCounters counters = stream.counters().get(0);
        return counters.workRequests() - (requestsPerCommit() - 1) * counters.doorbells();
    }

    private void commitBytes(int length) {
        MemorySegment bytes = MemorySegment.ofArray(new byte[length]);
        long ticket =
                stream.append(
                        RecordEntries.copyEntryBytes(length), to -> to.copy(0, bytes, 0, length));
        stream.awaitDurable(ticket);
        stream.committed(ticket);
    }

    @Test
    void recordsOfEveryLengthPassManyLaps() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        open(2, 8192, QUIET);
        targets.get(1).applyLate = true;
        byte[] expected = new byte[4096];
        for (int round = 0; round < 2000; round++) {
            int length = random.nextInt(3000);
            byte[] bytes = new byte[length];
            random.nextBytes(bytes);
            int at = random.nextInt(expected.length - length);
            System.arraycopy(bytes, 0, expected, at, length);
            long ticket =
                    stream.append(
                            RecordEntries.copyEntryBytes(length),
                            to -> to.copy(at, MemorySegment.ofArray(bytes), 0, length));
            stream.awaitDurable(ticket);
            stream.committed(ticket);
        }
        stream.drain(Duration.ofSeconds(20));
        for (FakeTarget target : targets) {
            assertThat(target.image.asSlice(0, 4096).mismatch(MemorySegment.ofArray(expected)))
                    .as("seed %d", seed)
                    .isEqualTo(-1);
        }
    }

    @Test
    void theLargestRecordFitsAnywhereAndNoLargerOne() {
        open(1, 4096, QUIET);
        int largest = (int) stream.maxEntryBytes();
        assertThat(largest).isEqualTo(2048 - 56);
        for (int i = 0; i < 50; i++) {
            commitBytes(largest - 16);
            commit(8, i);
        }
        assertThatThrownBy(() -> commitBytes(largest - 15))
                .isInstanceOfSatisfying(
                        FarheapException.class,
                        e -> assertThat(e.category()).isEqualTo(Category.WRONG_USE))
                .hasMessageContaining(String.valueOf(largest))
                .hasMessageContaining("2000")
                .hasMessageContaining("journal-size");
    }

    /** A record is applied only when it is known to be committed; later ones wait for it. */
    @Test
    void nothingUncommittedIsAppliedWhateverCommitsAfterIt() {
        open(1, 1 << 16, QUIET);
        long first = append(8, 1);
        long second = append(16, 2);
        stream.awaitDurable(second);
        stream.committed(second);
        commit(24, 3);
        commit(32, 4);
        assertThat(targets.get(0).lastRecord()).isEqualTo(4);
        assertThat(targets.get(0).appliedSequence).isZero();
        stream.committed(first);
        commit(40, 5);
        await().until(() -> targets.get(0).appliedSequence == 4);
        stream.drain(Duration.ofSeconds(20));
        assertThat(word(targets.get(0), 40)).isEqualTo(5);
    }

    /** Without the room kept for an empty record this would never end. */
    @Test
    void aRingFullOfCommittedRecordsDrainsByAnEmptyOne() {
        open(1, 4096, QUIET);
        List<Long> tickets = new ArrayList<>();
        for (int i = 0; i < 31; i++) {
            tickets.add(append(8L * i, i + 1));
        }
        tickets.forEach(stream::awaitDurable);
        tickets.forEach(stream::committed);
        assertThat(targets.get(0).appliedSequence).isZero();
        for (int i = 31; i < 200; i++) {
            commit(8L * i, i + 1);
        }
        assertThat(targets.get(0).emptyRecords.get()).isPositive();
    }

    @Test
    void anIdleStreamTellsWhatWasCommitted() {
        open(
                2,
                1 << 16,
                new StreamSettings(
                        Duration.ofSeconds(20),
                        WaitStrategy.DEFAULT,
                        2,
                        Duration.ofMillis(5),
                        LagBound.DEFAULT));
        commit(8, 77);
        for (FakeTarget target : targets) {
            await().until(() -> word(target, 8) == 77);
        }
        // and is silent when there is no news
        await().until(() -> targets.get(0).appliedSequence == 2);
        long flushes = targets.get(0).flushes.get();
        long end = System.nanoTime() + 60_000_000;
        await().until(() -> System.nanoTime() > end);
        assertThat(targets.get(0).flushes.get()).isLessThanOrEqualTo(flushes + 1);
        assertThat(targets.get(0).emptyRecords.get()).isEqualTo(1);
    }

    @Test
    void aRingThatDoesNotDrainRefusesWithoutClaiming() {
        open(1, 4096, QUIET.withCommitTimeout(Duration.ofMillis(1500)));
        targets.get(0).lazy = true;
        for (int i = 0; i < 31; i++) {
            commit(8, i);
        }
        assertThatThrownBy(() -> commit(8, 99))
                .isInstanceOfSatisfying(
                        FarheapException.class,
                        e -> assertThat(e.category()).isEqualTo(Category.REPLICA))
                .isNotInstanceOf(CommitUnknownException.class)
                .hasMessageContaining("host0 bank.set")
                .hasMessageContaining("no room within 1500 ms");
        assertThat(stream.isFrozen()).isFalse();
        targets.get(0).lazy = false;
        commit(8, 100);
    }

    @Test
    void whoCanBeDoneWithoutIsLostWhenItsRingDoesNotDrain() {
        open(2, 4096, QUIET.withCommitTimeout(Duration.ofMillis(1500)), ReplicaPolicy.DEGRADE);
        targets.get(1).lazy = true;
        for (int i = 0; i < 31; i++) {
            commit(8, i);
        }
        assertThatThrownBy(() -> commit(8, 99))
                .isNotInstanceOf(CommitUnknownException.class)
                .hasMessageContaining("no room within 1500 ms");
        assertThat(stream.isFrozen()).isTrue();
        assertThat(stream.lostReplica()).isEqualTo("host1 bank.set");
        assertThat(freezes).hasValue(1);
    }

    @Test
    void silenceFreezesTheStreamAndTheOutcomeIsUnknown() {
        open(2, 1 << 16, QUIET.withCommitTimeout(Duration.ofSeconds(2)));
        commit(8, 1);
        targets.get(1).mute = true;
        long ticket = append(8, 2);
        assertThatThrownBy(() -> stream.awaitDurable(ticket))
                .isInstanceOfSatisfying(
                        CommitUnknownException.class,
                        e -> assertThat(e.replica()).isEqualTo("host1 bank.set"))
                .hasMessageContaining("host1 bank.set")
                .hasMessageContaining("no answer within 2000 ms");
        stream.rolledBack(ticket);
        assertThat(stream.isFrozen()).isTrue();
        assertThat(stream.durableSequence()).isEqualTo(1);
        assertThat(stream.needsContent()).isFalse();
        assertThat(stream.awaitQuiet(Duration.ZERO)).isTrue();
        assertThat(freezes).hasValue(1);
        assertThatThrownBy(() -> append(8, 3))
                .isInstanceOfSatisfying(
                        FarheapException.class,
                        e -> assertThat(e.category()).isEqualTo(Category.REPLICA))
                .hasMessageContaining("refused until the replica host1 bank.set is back");
        assertThat(stream.awaitQuiet(Duration.ZERO)).isTrue();
    }

    /** From the instant of freezing no answer counts, though it was on its way. */
    @Test
    void anAnswerAfterFreezingDoesNotCount() {
        open(1, 1 << 16, QUIET);
        targets.get(0).mute = true;
        long ticket = append(8, 1);
        await().until(() -> targets.get(0).durableSequence == 1);
        targets.get(0).claimDurable(1);
        stream.freeze("host0 bank.set", new FarheapException(Category.REPLICA, "cut off"));
        assertThatThrownBy(() -> stream.awaitDurable(ticket))
                .isInstanceOf(CommitUnknownException.class)
                .hasMessageContaining("cut off");
        assertThat(stream.durableSequence()).isZero();
        stream.rolledBack(ticket);
    }

    @Test
    void lossOfOneMemberEndsEveryWaitAtOnce() throws Exception {
        open(2, 1 << 16, QUIET);
        targets.get(1).mute = true;
        int threads = 4;
        CountDownLatch appended = new CountDownLatch(threads);
        List<CompletableFuture<Throwable>> outcomes = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            long offset = 8L * i;
            outcomes.add(
                    CompletableFuture.supplyAsync(
                            () -> {
                                long ticket = append(offset, 1);
                                appended.countDown();
                                try {
                                    stream.awaitDurable(ticket);
                                    return null;
                                } catch (CommitUnknownException e) {
                                    stream.rolledBack(ticket);
                                    return e;
                                }
                            },
                            task -> Thread.ofPlatform().start(task)));
        }
        appended.await();
        targets.get(1).die();
        for (CompletableFuture<Throwable> outcome : outcomes) {
            assertThat(outcome.join())
                    .isInstanceOf(CommitUnknownException.class)
                    .hasMessageContaining("host1 bank.set");
        }
        assertThat(stream.awaitQuiet(Duration.ofSeconds(5))).isTrue();
        assertThat(stream.durableSequence()).isZero();
    }

    @Test
    void anIdleStreamNoticesThatItsConnectionBroke() {
        open(
                1,
                1 << 16,
                new StreamSettings(
                        Duration.ofSeconds(20),
                        WaitStrategy.DEFAULT,
                        2,
                        Duration.ofMillis(5),
                        LagBound.DEFAULT));
        commit(8, 1);
        targets.get(0).die();
        await().until(stream::isFrozen);
        assertThatThrownBy(() -> commit(8, 2)).hasMessageContaining("broke");
    }

    @Test
    void aRefusalIsPassedOn() {
        open(1, 1 << 16, QUIET);
        targets.get(0).mute = true;
        long ticket = append(8, 1);
        targets.get(0).refuse("the journal's disk is full");
        assertThatThrownBy(() -> stream.awaitDurable(ticket))
                .isInstanceOf(CommitUnknownException.class)
                .hasMessageContaining("the journal's disk is full");
        stream.rolledBack(ticket);
    }

    @Test
    void anAnswerAboutWhatWasNeverPostedBreaksTheStream() {
        open(1, 1 << 16, QUIET);
        targets.get(0).mute = true;
        long ticket = append(8, 1);
        targets.get(0).claimDurable(2);
        assertThatThrownBy(() -> stream.awaitDurable(ticket))
                .isInstanceOf(CommitUnknownException.class)
                .hasMessageContaining("claims to have record 2 of 1");
        stream.rolledBack(ticket);
    }

    /** Members would apply a durable record that was rolled back: they must get content instead. */
    @Test
    void aDurableRecordThatIsRolledBackNeedsContent() {
        open(1, 1 << 16, QUIET);
        long ticket = append(8, 1);
        stream.awaitDurable(ticket);
        stream.rolledBack(ticket);
        assertThat(stream.isFrozen()).isTrue();
        assertThat(stream.needsContent()).isTrue();
        assertThat(stream.durableSequence()).isEqualTo(1);
    }

    @Test
    void aSourceThatFailsCostsNothingButItsPlace() {
        open(1, 4096, QUIET);
        for (int i = 0; i < 100; i++) {
            assertThatThrownBy(
                            () ->
                                    stream.append(
                                            160,
                                            to -> {
                                                throw new IllegalStateException("no");
                                            }))
                    .hasMessage("no");
            assertThatThrownBy(() -> stream.append(32, to -> to.set(8, 1)))
                    .hasMessageContaining("shorter than announced");
            commit(8, i);
        }
        assertThat(stream.awaitQuiet(Duration.ZERO)).isTrue();
        await().until(() -> word(targets.get(0), 8) == 98);
    }

    @Test
    void drainedStreamClaimsNothingMore() {
        open(2, 1 << 16, QUIET);
        commit(8, 5);
        stream.drain(Duration.ofSeconds(20));
        for (FakeTarget target : targets) {
            assertThat(word(target, 8)).isEqualTo(5);
            assertThat(target.appliedSequence).isEqualTo(target.durableSequence);
        }
        assertThatThrownBy(() -> append(8, 6))
                .isInstanceOfSatisfying(
                        FarheapException.class,
                        e -> assertThat(e.category()).isEqualTo(Category.WRONG_USE))
                .hasMessageContaining("being closed");
        stream.drain(Duration.ofSeconds(20));
    }

    @Test
    void drainIsBounded() {
        open(1, 1 << 16, QUIET);
        targets.get(0).lazy = true;
        commit(8, 5);
        assertThatThrownBy(() -> stream.drain(Duration.ofMillis(50)))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("host0 bank.set")
                .hasMessageContaining("within 50 ms");
    }

    @Test
    void drainDoesNotWaitForEverForACommitUnderWay() {
        open(1, 1 << 16, QUIET);
        long ticket = append(8, 5);
        assertThatThrownBy(() -> stream.drain(Duration.ofMillis(50)))
                .hasMessageContaining("still under way");
        stream.awaitDurable(ticket);
        stream.committed(ticket);
    }

    @Test
    void interruptDoesNotCutACommitInTwoAndIsKept() {
        open(1, 4096, QUIET);
        Thread.currentThread().interrupt();
        for (int i = 0; i < 100; i++) {
            commit(8, i);
        }
        assertThat(Thread.interrupted()).isTrue();
        assertThat(targets.get(0).lastRecord()).isGreaterThanOrEqualTo(100);
    }

    /** Many threads, small rings, late applies: everything arrives, in the order of the stream. */
    @ParameterizedTest
    @CsvSource({
        "1, 2, 8192, false",
        "1, 4, 4096, true",
        "2, 4, 65536, true",
        "3, 8, 16384, false",
        "1, 16, 1048576, true"
    })
    void manyThreadsCommitAtOnce(int members, int threads, int ringBytes, boolean late)
            throws InterruptedException {
        long seed = new Random().nextLong();
        open(members, ringBytes, QUIET);
        targets.forEach(target -> target.applyLate = late);
        int perThread = 300;
        List<Thread> committers = new ArrayList<>();
        List<Throwable> problems = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            int own = t;
            committers.add(
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        try {
                                            commitMany(own, perThread, new Random(seed + own));
                                        } catch (Throwable e) {
                                            synchronized (problems) {
                                                problems.add(e);
                                            }
                                        }
                                    }));
        }
        for (Thread committer : committers) {
            committer.join();
        }
        assertThat(problems).as("seed %d", seed).isEmpty();
        stream.drain(Duration.ofSeconds(20));
        for (FakeTarget target : targets) {
            assertThat(target.problem).as("seed %d", seed).isNull();
            for (int t = 0; t < threads; t++) {
                assertThat(word(target, 1024L * t)).as("seed %d", seed).isEqualTo(perThread);
                assertThat(word(target, 1024L * t + 8)).isEqualTo(-1L);
            }
        }
    }

    private void commitMany(int own, int count, Random random) {
        long base = 1024L * own;
        MemorySegment bytes = MemorySegment.ofArray(new byte[512]);
        for (int i = 1; i <= count; i++) {
            long value = i;
            long bit = 1L << (i & 63);
            int length = random.nextInt(500);
            long ticket =
                    stream.append(
                            32 + RecordEntries.copyEntryBytes(length),
                            to -> {
                                to.set(base, value);
                                to.or(base + 8, bit);
                                to.copy(base + 16, bytes, 0, length);
                            });
            if (random.nextInt(4) == 0) {
                Thread.yield();
            }
            stream.awaitDurable(ticket);
            for (FakeTarget target : targets) {
                assertThat(target.lastRecord()).isGreaterThanOrEqualTo(ticket);
            }
            stream.committed(ticket);
        }
    }

    /** While batches are unanswered, what is appended becomes one batch. */
    @Test
    void recordsAppendedMeanwhileLeaveAsOne() {
        open(1, 1 << 20, QUIET);
        List<Long> tickets = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            tickets.add(append(8, i));
        }
        stream.awaitDurable(tickets.get(99));
        tickets.forEach(stream::committed);
        FabricCounters counters = stream.counters().get(0);
        assertThat(counters.doorbells()).isBetween(2L, 3L);
        assertThat(counters.workRequests()).isEqualTo(requestsPerCommit() * counters.doorbells());
    }

    /** What a member was not sent must not be hidden by a later record that it was. */
    @Test
    void aFaultWhilePostingDecidesNothingAndEndsTheStreamAtOnce() {
        openWithLongTurns();
        commit(8, 1);
        turns.fault = () -> new StackOverflowError("in the doorbell");

        long lost = append(16, 2);
        turns.fault = () -> null;
        long later = append(24, 3);

        for (long sequence : new long[] {lost, later}) {
            assertThatThrownBy(() -> stream.awaitDurable(sequence))
                    .isInstanceOf(CommitUnknownException.class)
                    .hasMessageContaining("in the doorbell");
            stream.rolledBack(sequence);
        }
        assertThat(stream.lostReplica()).as("no member is to blame").isNull();
        assertThat(stream.durableSequence()).isEqualTo(1);
        assertThat(stream.awaitQuiet(Duration.ZERO)).isTrue();
        assertThat(freezes).hasValue(1);
    }

    @Test
    void aRecordThatIsBrokenIsToldToNobodyAndNothingFollows() {
        open(2, 1 << 16, QUIET);
        commit(8, 1);
        long broken = append(16, 2);
        stream.awaitDurable(broken);
        long other = append(24, 3);
        stream.awaitDurable(other);

        stream.broken(broken);
        stream.committed(other);

        assertThat(stream.isFrozen()).isTrue();
        assertThat(stream.lostReplica()).isNull();
        assertThat(stream.needsContent()).as("who may apply it can't be told").isTrue();
        assertThat(stream.awaitQuiet(Duration.ZERO)).isTrue();
        assertThatThrownBy(() -> append(32, 4)).isInstanceOf(FarheapException.class);
        stream.abandon();
        assertThat(targets).allMatch(target -> word(target, 16) == 0 && word(target, 24) == 0);
    }

    @Test
    void asManyBatchesAsAReplicaTakesAndNoMore() {
        for (int batches : new int[] {0, 33}) {
            assertThatThrownBy(() -> inFlight(batches))
                    .isInstanceOf(FarheapException.class)
                    .hasMessage(
                            "A commit stream can have 1 to 32 unanswered batches in flight, not "
                                    + batches
                                    + ".");
        }
        open(2, 1 << 20, inFlight(32));
        targets.forEach(target -> target.mute = true);
        List<Long> tickets = new ArrayList<>();
        for (int i = 1; i <= 40; i++) {
            tickets.add(append(8L * i, i));
        }
        await().until(() -> targets.stream().allMatch(target -> target.lastRecord() == 32));
        targets.forEach(target -> target.answerAgain(32));
        targets.forEach(target -> target.mute = false);
        tickets.forEach(
                ticket -> {
                    stream.awaitDurable(ticket);
                    stream.committed(ticket);
                });
        assertThat(stream.isFrozen()).isFalse();
    }

    private static StreamSettings inFlight(int batches) {
        return new StreamSettings(
                Duration.ofSeconds(20),
                new WaitStrategy(5_000, 50_000),
                batches,
                NEVER,
                LagBound.DEFAULT);
    }

    private LongTurns turns;

    private void openWithLongTurns() {
        staging = Arena.ofAuto().allocate(1 << 16, 64);
        FakeTarget target = new FakeTarget(EPOCH, staging, method());
        targets.add(target);
        turns = new LongTurns(target.connection);
        turns.letGo();
        stream =
                new CommitStream(
                        EPOCH,
                        staging,
                        List.of(
                                new StreamMember(
                                        "host0 bank.set",
                                        turns,
                                        ReplicaPolicy.FAIL,
                                        method(),
                                        target.link("host0 bank.set").into())),
                        QUIET,
                        freezes::incrementAndGet);
    }

    @Test
    void ringsOfDifferentSizesAreRefused() {
        open(1, 8192, QUIET);
        MemorySegment other = Arena.ofAuto().allocate(4096, 64);
        assertThatThrownBy(
                        () ->
                                new CommitStream(
                                        EPOCH,
                                        other,
                                        List.of(targets.get(0).link("host0 bank.set")),
                                        QUIET,
                                        () -> {}))
                .hasMessageContaining("has 8192 bytes, not 4096");
    }
}
