package io.farheap.agent.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.agent.base.Refusal;
import io.farheap.agent.records.RecordWriter;
import io.farheap.layout.Descriptor;
import io.farheap.replication.journal.JournalLayout;
import io.farheap.replication.journal.ProgressLayout;
import io.farheap.replication.journal.RecordEncoder;
import io.farheap.replication.journal.RecordLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An agent that finds records by looking: whatever of them has arrived, and in whichever order. */
class WatchedRingTest {
    private static final long A = SimulatedReplica.HEAP + 4096;
    private static final int WORD = Long.BYTES;

    private final SimulatedReplica replica = ReplicaLife.member();
    private final ReplicaStore store = replica.start();
    private final MemorySegment ring = store.intake().ring();
    private final MemorySegment written = Arena.ofAuto().allocate(SimulatedReplica.RING_BYTES, 64);
    private final RecordWriter writer = new RecordWriter(written, ReplicaLife.EPOCH);

    @BeforeEach
    void watch() {
        store.watchRing();
        var unused = store.resume(ReplicaLife.EPOCH);
    }

    private void arrive(long from, long to) {
        MemorySegment.copy(written, from, ring, from, to - from);
    }

    private long word(long offset) {
        return replica.image.getLong(offset);
    }

    private long published() {
        assertThat(ProgressLayout.isWhole(store.intake().published(), 0)).isTrue();
        assertThat(ProgressLayout.epoch(store.intake().published(), 0))
                .isEqualTo(ReplicaLife.EPOCH);
        return ProgressLayout.appliedSequence(store.intake().published(), 0);
    }

    /** Else what is made durable would be what lay there before. */
    @Test
    void isTheJournalsOwnRingAgainAfterABounceRing() {
        MemorySegment unused = store.intake().bounceRing();
        store.watchRing();
        arrive(0, writer.set(0, A, 11).position());
        assertThat(store.intake().look()).isTrue();
        assertThat(replica.copy().start().report().lastSequence()).isEqualTo(1);
    }

    @Test
    void findsRecordsAppliesThoseThatAreCommittedAndPublishesThat() {
        assertThat(published()).isZero();
        long first = writer.set(0, A, 11).position();
        arrive(0, first);
        assertThat(store.intake().look()).isTrue();
        assertThat(store.intake().look()).as("no more").isFalse();
        assertThat(store.intake().sequence()).isEqualTo(1);
        assertThat(store.applyBatch()).isZero();
        assertThat(published()).isZero();
        long end = writer.empty(1).position();
        arrive(first, end);
        assertThat(store.intake().look()).isTrue();
        assertThat(store.applyBatch()).isEqualTo(2);
        assertThat(word(A)).isEqualTo(11);
        assertThat(published()).isEqualTo(2);
        assertThat(ProgressLayout.appliedPosition(store.intake().published(), 0)).isEqualTo(end);
    }

    @Test
    void doesNotLookBeforeTheEpochIsConfirmed() {
        ReplicaStore unconfirmed = replica.copy().start();
        unconfirmed.watchRing();
        arrive(0, writer.set(0, A, 11).position());
        MemorySegment.copy(ring, 0, unconfirmed.intake().ring(), 0, ring.byteSize());
        assertThat(unconfirmed.intake().look()).isFalse();
    }

    @Test
    void aRecordOfAnotherEpochIsNone() {
        RecordWriter other = new RecordWriter(written, ReplicaLife.EPOCH + 2);
        arrive(0, other.set(0, A, 11).position());
        assertThat(store.intake().look()).isFalse();
        assertThat(store.intake().sequence()).isZero();
    }

    @Test
    void aRecordOfAnotherLapIsNone() {
        new RecordEncoder(written).skip(0, ReplicaLife.EPOCH, 2, 0, RecordLayout.EMPTY_BYTES);
        arrive(0, RecordLayout.EMPTY_BYTES);
        assertThat(store.intake().look()).isFalse();
    }

    /** It could be made to store anything otherwise, behind the back of every check. */
    @Test
    void whatIsChangedInTheRingAfterItWasVerifiedIsNotApplied() {
        arrive(0, writer.set(1, A, 11).position());
        assertThat(store.intake().look()).isTrue();
        ring.fill((byte) 0x5a);
        RecordWriter evil = new RecordWriter(ring, ReplicaLife.EPOCH);
        assertThat(evil.set(1, Descriptor.RUN_ID, 666).position()).isPositive();
        assertThat(store.applyBatch()).isEqualTo(1);
        assertThat(word(A)).isEqualTo(11);
        assertThat(word(Descriptor.RUN_ID)).isNotEqualTo(666);
    }

    /** An initiator that does not wait for space harms nobody but itself. */
    @Test
    void whatLiesWhereUnappliedRecordsAreIsNotLookedAt() {
        while (writer.room(0) > 2 * RecordLayout.EMPTY_BYTES) {
            writer.set(0, A + writer.sequence() % 7 * 8, writer.sequence());
        }
        writer.fillTheLap(0);
        arrive(0, ring.byteSize());
        assertThat(store.intake().look()).isTrue();
        long last = writer.sequence();
        assertThat(store.intake().sequence()).isEqualTo(last);
        arrive(0, writer.set(last, A, 7).position() % ring.byteSize());
        assertThat(store.intake().look()).isFalse();
        assertThat(store.intake().sequence()).isEqualTo(last);
        assertThat(store.applyBatch()).isZero();
    }

    /** Nobody else would notice that something is wrong: a READ finds its trailer. */
    @Test
    void aRecordThatStaysBrokenEndsTheSession() throws Exception {
        long end = writer.set(0, A, 11).position();
        written.set(ValueLayout.JAVA_BYTE, end - 20, (byte) 99);
        arrive(0, end);
        assertThat(store.intake().look()).isFalse();
        assertThatThrownBy(
                        () -> {
                            long begin = System.nanoTime();
                            while (System.nanoTime() - begin < 10_000_000_000L) {
                                assertThat(store.intake().look()).isFalse();
                                Thread.onSpinWait();
                            }
                        })
                .isInstanceOf(Refusal.class)
                .hasMessageContaining("record 1 does not verify: verdict BAD_CRC");
    }

    /** It may be large and the network slow, or its connection lost: no READ has found it yet. */
    @Test
    void aRecordWhoseEndIsMissingIsWaitedFor() {
        MemorySegment bytes = Arena.ofAuto().allocate(1024, 8);
        long end = writer.record(0, 16 + 1024, e -> e.copy(A, bytes, 0, 1024)).position();
        arrive(0, 512);
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < 2_200_000_000L) {
            assertThat(store.intake().look()).isFalse();
            Thread.onSpinWait();
        }
        arrive(512, end);
        assertThat(store.intake().look()).isTrue();
        assertThat(store.intake().sequence()).isEqualTo(1);
    }

    /** Words of several WRITEs in any order, looked at in between as often as chance has it. */
    @Test
    void onlyWholeRecordsInOrderAreEverFound() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int round = 0; round < 40; round++) {
            ReplicaStore each = replica.copy().start();
            each.watchRing();
            var unused = each.resume(ReplicaLife.EPOCH);
            each.intake().ring().fill((byte) random.nextInt());
            stir(random, each, "seed " + seed + " round " + round);
        }
    }

    private static void stir(Random random, ReplicaStore store, String name) {
        MemorySegment stream = Arena.ofAuto().allocate(SimulatedReplica.RING_BYTES, 64);
        RecordWriter writer = new RecordWriter(stream, ReplicaLife.EPOCH);
        List<Long> ends = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            MemorySegment bytes = Arena.ofAuto().allocate(8 * (1 + random.nextInt(40)), 8);
            random.nextInt();
            ends.add(
                    random.nextInt(4) == 0
                            ? writer.empty(0).position()
                            : writer.record(
                                            0,
                                            16 + bytes.byteSize(),
                                            e -> e.copy(A, bytes, 0, bytes.byteSize()))
                                    .position());
        }
        long from = 0;
        while (from < writer.position()) {
            int first = Collections.binarySearch(ends, from + 1);
            int next = Math.min(ends.size(), -first + random.nextInt(4));
            long to = ends.get(next - 1);
            arriveStirred(random, store, stream, from, to, ends, name);
            from = to;
            boolean unused = store.intake().look();
            assertThat(store.intake().sequence()).as(name).isEqualTo(next);
        }
        assertThat(JournalLayout.ringOffset(from, SimulatedReplica.RING_BYTES))
                .isEqualTo(writer.position());
    }

    private static void arriveStirred(
            Random random,
            ReplicaStore store,
            MemorySegment stream,
            long from,
            long to,
            List<Long> ends,
            String name) {
        List<Long> missing = new ArrayList<>();
        for (long at = from; at < to; at += WORD) {
            missing.add(at);
        }
        Collections.shuffle(missing, random);
        while (!missing.isEmpty()) {
            long at = missing.remove(missing.size() - 1);
            store.intake()
                    .ring()
                    .set(ValueLayout.JAVA_LONG, at, stream.get(ValueLayout.JAVA_LONG, at));
            if (random.nextInt(8) == 0) {
                boolean unused = store.intake().look();
                assertThat(store.intake().sequence())
                        .as(name)
                        .isLessThanOrEqualTo(complete(store, stream, ends));
            }
        }
    }

    /** How many records from the first on are there with each of their bytes. */
    private static long complete(ReplicaStore store, MemorySegment stream, List<Long> ends) {
        long count = 0;
        long begin = 0;
        for (long end : ends) {
            if (MemorySegment.mismatch(stream, begin, end, store.intake().ring(), begin, end)
                    >= 0) {
                return count;
            }
            begin = end;
            count++;
        }
        return count;
    }
}
