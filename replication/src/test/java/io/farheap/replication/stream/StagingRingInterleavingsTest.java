package io.farheap.replication.stream;

import io.farheap.replication.journal.JournalLayout;
import io.farheap.replication.journal.RecordLayout;
import io.farheap.replication.journal.RecordReader;
import io.farheap.replication.journal.RecordReader.Verdict;
import io.farheap.testing.support.LincheckFiles;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Every interleaving of committers in the staging ring, as far as Lincheck's model checker gets:
 * sequence numbers are given out as if one committer came after the other, and whatever the
 * interleaving the ring holds each record whole, in that order, without a gap.
 *
 * <p>It has a JVM of its own, because Lincheck rewrites the classes of the one that it runs in.
 */
@Tag("own-jvm")
@Param(name = "words", gen = IntGen.class, conf = "1:9")
public class StagingRingInterleavingsTest {
    private static final long EPOCH = 2;
    private static final long CAPACITY = JournalLayout.CAPACITY_UNIT;
    private static final long NOTHING_APPLIED = 0;
    private static final long ALL_POSTED = Long.MAX_VALUE;
    private static final int WORD_ENTRY = 16;

    private final MemorySegment memory = Arena.ofAuto().allocate(CAPACITY, 64);
    private final InFlightRecords window = new InFlightRecords();
    private final StagingRing ring = new StagingRing(EPOCH, memory, window);

    /** Claims, encodes and commits a record; its sequence number. */
    @Operation
    public long commit(@Param(name = "words") int words) {
        long entryBytes = (long) words * WORD_ENTRY;
        long span = RecordLayout.span(entryBytes);
        long sequence = ring.claim(span, NOTHING_APPLIED, ALL_POSTED, Long.MAX_VALUE);
        if (sequence > 0) {
            ring.encode(
                    ring.encoder(),
                    sequence,
                    span,
                    entryBytes,
                    entries -> {
                        for (int i = 0; i < words; i++) {
                            entries.set(8L * i, sequence);
                        }
                    });
            window.commit(sequence);
        }
        return sequence;
    }

    /** Claims a record and gives it up. */
    @Operation
    public long renounce(@Param(name = "words") int words) {
        long span = RecordLayout.span((long) words * WORD_ENTRY);
        long sequence = ring.claim(span, NOTHING_APPLIED, ALL_POSTED, Long.MAX_VALUE);
        if (sequence > 0) {
            ring.renounce(ring.encoder(), sequence, span);
        }
        return sequence;
    }

    @Operation(runOnce = true)
    public void close() {
        ring.close();
    }

    @Validate
    public void theRingHoldsWholeRecordsInOrder() {
        RecordReader reader = new RecordReader(memory);
        long position = 0;
        for (long sequence = 1; sequence <= ring.lastSequence(); sequence++) {
            Verdict verdict = reader.read(ring.offset(position), EPOCH, sequence);
            position += verdict == Verdict.VALID ? reader.length() : 0;
            if (verdict != Verdict.VALID || position != window.end(sequence)) {
                throw new IllegalStateException(
                        "record " + sequence + " is " + verdict + ", ends at " + position);
            }
        }
        if (window.committedUpTo() != ring.lastSequence()) {
            throw new IllegalStateException(
                    "all are committed, known is " + window.committedUpTo());
        }
    }

    /** One after the other: numbers from 1 until there is no room for the record and a skip. */
    public static final class OneByOne {
        private long sequence;
        private long position;
        private boolean closed;

        public long commit(int words) {
            return claim(RecordLayout.span((long) words * WORD_ENTRY));
        }

        public long renounce(int words) {
            return claim(RecordLayout.span((long) words * WORD_ENTRY));
        }

        public void close() {
            closed = true;
        }

        private long claim(long span) {
            if (closed) {
                return StagingRing.CLOSED;
            }
            if (position + span + RecordLayout.EMPTY_BYTES > CAPACITY) {
                return StagingRing.NO_ROOM;
            }
            position += span;
            return ++sequence;
        }
    }

    @AfterAll
    static void leaveNothing() {
        LincheckFiles.remove();
    }

    @Test
    void sequenceNumbersAndRecordsAreInOrder() {
        new ModelCheckingOptions()
                .iterations(5)
                .invocationsPerIteration(200)
                .threads(2)
                .actorsPerThread(2)
                .actorsBefore(1)
                .actorsAfter(1)
                .sequentialSpecification(OneByOne.class)
                .check(StagingRingInterleavingsTest.class);
    }

    @Test
    @Tag("deep")
    void alsoWhenManyCommitAndItFillsUp() {
        new StressOptions()
                .iterations(5)
                .invocationsPerIteration(300)
                .threads(3)
                .actorsPerThread(5)
                .actorsBefore(8)
                .actorsAfter(2)
                .sequentialSpecification(OneByOne.class)
                .check(StagingRingInterleavingsTest.class);
    }
}
