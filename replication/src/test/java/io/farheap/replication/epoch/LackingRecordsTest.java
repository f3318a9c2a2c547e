package io.farheap.replication.epoch;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.replication.control.Limits;
import io.farheap.replication.control.Reply;
import io.farheap.replication.journal.JournalLayout;
import io.farheap.replication.journal.RecordEncoder;
import io.farheap.replication.journal.RecordLayout;
import io.farheap.replication.journal.RecordReader;
import io.farheap.replication.journal.RecordReader.Verdict;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The records that a copy lacks come to it in pieces, and it may have to take over at any time. */
class LackingRecordsTest {
    private static final long EPOCH = 4711;
    private static final long APPLIED = 20;
    private static final int CAPACITY = 1 << 20;

    private final MemorySegment content = Arena.ofAuto().allocate(2L * Limits.MAX_READ_BYTES, 8);
    private final MemorySegment ring = Arena.ofAuto().allocate(CAPACITY, 64);
    private final MemorySegment others = Arena.ofAuto().allocate(CAPACITY, 64);

    /** Where each of them ends in the stream. */
    private final List<Long> ends = new ArrayList<>();

    @ParameterizedTest
    @CsvSource({"1, 1, 100", "2, 9, 100", "3, 1, 130000", "4, 6, 130000", "5, 40, 20000"})
    void aCopyHasAllOfThemOrNoneWhereverThisStops(long seed, int count, int mostBytes) {
        long begin = 7L * CAPACITY - 2 * 4096; // they go around the ring's end
        write(new Random(seed), begin, count, mostBytes);
        List<Long> pieces = new ArrayList<>();
        long end = ends.getLast();
        Reply.TailEnd unused =
                new LackingRecords(
                                new TakenTail(EPOCH, APPLIED, begin, APPLIED + ends.size(), ring))
                        .send(
                                begin,
                                ends.getFirst(),
                                end,
                                (position, bytes) -> {
                                    pieces.add(position + bytes.byteSize());
                                    assertThat(bytes.byteSize()).isBetween(1L, most(position));
                                    take(position, bytes.asSlice(0, bytes.byteSize() / 2), begin);
                                    take(position, bytes, begin);
                                    return new Reply.TailEnd(0, 0);
                                });
        assertThat(validIn(others, begin)).isEqualTo(ends.size());
        assertThat(pieces.getLast()).as("the end of what is looked through").isEqualTo(end);
    }

    private static long most(long position) {
        return Math.min(
                Limits.MAX_READ_BYTES, CAPACITY - JournalLayout.ringOffset(position, CAPACITY));
    }

    private void take(long position, MemorySegment bytes, long begin) {
        others.asSlice(JournalLayout.ringOffset(position, CAPACITY)).copyFrom(bytes);
        assertThat(validIn(others, begin)).isIn(0, ends.size());
    }

    private void write(Random random, long begin, int count, int mostBytes) {
        RecordEncoder encoder = new RecordEncoder(ring);
        long position = begin;
        for (int i = 0; i < count; i++) {
            long bytes = 8L * (1 + random.nextInt(mostBytes / 8));
            long at = JournalLayout.ringOffset(position, CAPACITY);
            long span = RecordLayout.span(16 + bytes);
            if (at + span > CAPACITY) {
                encoder.skip(at, EPOCH, nextSequence(), 0, CAPACITY - at);
                position += CAPACITY - at;
                ends.add(position);
                at = 0;
            }
            encoder.begin(at, EPOCH, nextSequence(), 0, 16 + bytes);
            encoder.copy(4096, content, 0, bytes);
            encoder.end();
            position += span;
            ends.add(position);
        }
    }

    private long nextSequence() {
        return APPLIED + ends.size() + 1;
    }

    private int validIn(MemorySegment journal, long begin) {
        RecordReader reader = new RecordReader(journal);
        long position = begin;
        int count = 0;
        while (count < ends.size()
                && reader.read(
                                JournalLayout.ringOffset(position, CAPACITY),
                                EPOCH,
                                APPLIED + count + 1)
                        == Verdict.VALID) {
            count++;
            position += reader.length();
        }
        return count;
    }
}
