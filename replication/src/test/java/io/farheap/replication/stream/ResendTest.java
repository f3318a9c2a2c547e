package io.farheap.replication.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.base.FarheapException;
import io.farheap.replication.FakeTarget;
import io.farheap.replication.dirty.LagDirtyMaps;
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
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A stream whose members' connections are lost, and go on over others. */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ResendTest {
    private static final boolean DEEP = Boolean.getBoolean("test.deep");
    private static final int COMMITS = DEEP ? 3000 : 900;
    private static final long EPOCH = 42;
    private static final StreamSettings SETTINGS =
            new StreamSettings(
                    Duration.ofSeconds(20),
                    new WaitStrategy(5_000, 50_000),
                    2,
                    Duration.ofMillis(20),
                    LagBound.DEFAULT);

    private final List<FakeTarget> targets = new ArrayList<>();
    private final List<FakeTarget> all = new ArrayList<>();
    private final LinkedBlockingQueue<StreamMember> lost = new LinkedBlockingQueue<>();
    private MemorySegment staging;
    private CommitStream stream;

    private final StreamListener listener =
            new StreamListener() {
                @Override
                public boolean lost(
                        CommitStream from, StreamMember link, FarheapException why, long since) {
                    return lost.add(link);
                }

                @Override
                public void frozen() {}

                @Override
                public void ended() {}
            };

    private void open(int members, int ringBytes) {
        staging = Arena.ofAuto().allocate(ringBytes, 64);
        List<StreamMember> links = new ArrayList<>();
        for (int i = 0; i < members; i++) {
            FakeTarget target = new FakeTarget(EPOCH, staging, method());
            targets.add(target);
            links.add(target.link("host" + i));
        }
        all.addAll(targets);
        stream = new CommitStream("", EPOCH, staging, links, SETTINGS, listener, LagDirtyMaps.NONE);
    }

    /** What makes records durable on the targets. */
    DurabilityMethod method() {
        return DurabilityMethod.GPSPM;
    }

    @AfterEach
    void close() {
        stream.abandon();
        all.forEach(FakeTarget::close);
        all.forEach(target -> assertThat(target.problem).isNull());
    }

    /** What a target answers at hello, and what follows. */
    private String resume(int index, FakeTarget next) {
        targets.set(index, next);
        all.add(next);
        return stream.resume(next.link("host" + index), next.durableSequence, () -> true);
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

    private static void start(Runnable task) {
        Thread.ofPlatform().start(task);
    }

    /** The old process says that it has the record, and then its ring turns out to lack it. */
    @Test
    void anAnswerOfTheLostConnectionDoesNotCount() throws Exception {
        open(1, 1 << 16);
        commit(8, 1);
        FakeTarget old = targets.get(0);
        old.mute = true;
        long ticket = append(16, 2);
        await().until(() -> old.durableSequence == ticket);
        StreamMember link = old.link("host0");
        stream.lost(link, new FarheapException(FarheapException.Category.REPLICA, "cut"));
        assertThat(lost.take()).isEqualTo(link);
        CompletableFuture<Void> waiting =
                CompletableFuture.runAsync(() -> stream.awaitDurable(ticket), ResendTest::start);
        old.die();
        FakeTarget next = old.next(staging);
        next.mute = true;
        assertThat(next.durableSequence).isEqualTo(ticket);
        assertThat(resume(0, next)).isNull();
        await().until(() -> next.flushes.get() > 0);
        assertThat(stream.durableSequence()).as("not proven on this connection").isLessThan(ticket);
        assertThat(waiting).isNotDone();
        next.mute = false;
        next.answerAgain();
        waiting.join();
        stream.committed(ticket);
    }

    @Test
    void whoClosesAConnectionBehindTheDrainIsNotToBeReachedAgain() {
        open(1, 1 << 16);
        commit(8, 1);
        stream.drain(Duration.ofSeconds(20));
        StreamMember link = targets.get(0).link("host0");
        stream.lost(link, new FarheapException(FarheapException.Category.REPLICA, "closed"));
        assertThat(lost).isEmpty();
        assertThat(stream.isFrozen()).isFalse();
    }

    @Test
    void nothingIsDoneWhereTheJournalLacksWhatWasAnsweredFor() {
        open(1, 1 << 16);
        for (int i = 1; i <= 10; i++) {
            commit(8, i);
        }
        FakeTarget old = targets.get(0);
        old.die();
        await().until(() -> !lost.isEmpty());
        StreamMember fresh = new FakeTarget(EPOCH, staging, method()).link("host0");
        assertThat(stream.resume(fresh, 9, () -> true))
                .startsWith("its journal ends with record 9; it answered for record 10");
        assertThat(stream.resume(fresh, 1000, () -> true)).contains("got those up to 1");
        assertThat(stream.isFrozen()).isFalse();
        fresh.connection().close();
    }

    @Test
    void whoIsNotWantedAnyMoreGetsNothing() {
        open(1, 1 << 16);
        commit(8, 1);
        targets.get(0).die();
        await().until(() -> !lost.isEmpty());
        FakeTarget next = targets.get(0).next(staging);
        all.add(next);
        assertThat(stream.resume(next.link("host0"), 1, () -> false)).isNotNull();
        assertThat(next.flushes).hasValue(0);
    }

    @Test
    void aConnectionThatIsReachedAfterTheStreamFrozeIsClosed() {
        open(1, 1 << 16);
        commit(8, 1);
        targets.get(0).die();
        await().until(() -> !lost.isEmpty());
        stream.freeze("host0", new FarheapException(FarheapException.Category.REPLICA, "late"));
        FakeTarget next = targets.get(0).next(staging);
        String unused = resume(0, next);
        await().until(() -> next.hasEnded());
        assertThat(next.flushes).hasValue(0);
    }

    /** The records of laps, long and short, on two members that die in turn. */
    @Test
    @Tag("sliced")
    void recordsOfEveryLengthAreSentAgainFromTheirPlaces() throws Exception {
        int rounds = DEEP ? 25 : 7;
        open(2, 1 << 14);
        Random random = new Random(5);
        FabricCounters before = stream.counters().get(0);
        CompletableFuture<Void> commits =
                CompletableFuture.runAsync(
                        () -> commitMany(COMMITS, new Random(9)), ResendTest::start);
        for (int round = 0; round < rounds; round++) {
            int index = random.nextInt(2);
            FakeTarget dying = targets.get(index);
            long from = dying.flushes.get();
            await().until(
                            () ->
                                    dying.flushes.get() > from + random.nextInt(30)
                                            || commits.isDone());
            dying.mute = random.nextBoolean();
            dying.applyLate = true;
            dying.die();
            StreamMember gone = lost.take();
            assertThat(gone.name()).isEqualTo("host" + index);
            assertThat(resume(index, dying.next(staging))).isNull();
        }
        commits.join();
        stream.drain(Duration.ofSeconds(20));
        assertThat(stream.counters().get(0).doorbells())
                .isGreaterThan(before.doorbells() + COMMITS / 3);
        long equal =
                MemorySegment.mismatch(
                        targets.get(0).image, 0, 1 << 16, targets.get(1).image, 0, 1 << 16);
        assertThat(equal).isEqualTo(-1);
        assertThat(word(targets.get(0), 0)).isEqualTo(COMMITS);
    }

    private void commitMany(int count, Random random) {
        for (long i = 1; i <= count; i++) {
            long number = i;
            byte[] bytes = new byte[8 + random.nextInt(1500)];
            random.nextBytes(bytes);
            long ticket =
                    stream.append(
                            RecordEntries.WORD_ENTRY_BYTES
                                    + RecordEntries.copyEntryBytes(bytes.length),
                            to -> {
                                to.set(0, number);
                                to.copy(64, MemorySegment.ofArray(bytes), 0, bytes.length);
                            });
            stream.awaitDurable(ticket);
            stream.committed(ticket);
        }
    }
}
