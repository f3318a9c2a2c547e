package io.farheap.replication.stream;

import static io.farheap.replication.journal.RecordLayout.LONG;

import io.farheap.base.FarheapException;
import io.farheap.replication.fabric.Connection;
import io.farheap.replication.journal.JournalLayout;
import io.farheap.replication.journal.ProgressLayout;
import io.farheap.replication.journal.RecordLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Appliance: two READs behind the WRITEs, with the same doorbell, and nothing else. A READ is
 * executed after the WRITEs before it and pushes them to where they are durable, on a target that
 * has reported this method; the first one fetches the last record's trailer, which no other record
 * of any epoch has, the second one what the agent publishes of its progress.
 *
 * <p>Any trailer but the expected one is a fault: never an answer. Progress that was read while it
 * was being written is no news; space in the ring is all that depends on it.
 */
public final class ApmPoint extends DurabilityPoint {
    private static final int INTO_BYTES = 4096;

    private static final int SLOT_BYTES = 128;

    /** Questions that may be unanswered at a time. */
    static final int SLOTS = INTO_BYTES / SLOT_BYTES;

    private static final int PROGRESS = 64;

    private final MemorySegment into;
    private final long epoch;
    private final long ringBytes;

    /** Each question's own, until it is answered: which record it is about. */
    private final long[] expected = new long[SLOTS];

    /** Of one thread each; the fabric's hand-over between them is none that Java knows of. */
    private final AtomicLong asked = new AtomicLong();

    private final AtomicLong answered = new AtomicLong();

    ApmPoint(AckedPositions replica, Connection connection, MemorySegment into, long epoch) {
        super(replica, connection);
        this.into = into;
        this.epoch = epoch;
        this.ringBytes = connection.remoteBytes();
        if (connection.publishedBytes() < ProgressLayout.BYTES) {
            throw replica.fault("reports APM and publishes no progress");
        }
    }

    /** Memory for the READs of one connection. */
    public static MemorySegment memory() {
        return Arena.ofAuto().allocate(INTO_BYTES, INTO_BYTES);
    }

    @Override
    void ask(long from, BatchPoster.Cursor end) {
        if (asked.get() - answered.get() == SLOTS) {
            throw FarheapException.wrongUse(
                    "%s READs are on their way; settings allow too many batches in flight", SLOTS);
        }
        int slot = (int) (asked.get() % SLOTS);
        int at = slot * SLOT_BYTES;
        expected[slot] = end.sequence;
        into.set(LONG, at, 0); // no trailer: what an earlier READ brought proves nothing
        if (end.sequence > 0) {
            connection().read(at, Long.BYTES, JournalLayout.ringOffset(end.trailer, ringBytes));
        }
        connection().readPublished(at + PROGRESS, ProgressLayout.BYTES, 0);
        asked.getAndIncrement();
    }

    @Override
    public void readDone(long localOffset, int length) {
        if (localOffset % SLOT_BYTES == PROGRESS) { // else the other READ is still to come
            int slot = (int) (answered.get() % SLOTS);
            if (answered.get() == asked.get()
                    || localOffset != (long) slot * SLOT_BYTES + PROGRESS) {
                throw replica().fault("answers a READ that was not posted");
            }
            requireTrailer(expected[slot], slot * SLOT_BYTES);
            learn(expected[slot], localOffset);
            answered.getAndIncrement(); // only now the slot is another question's
        }
    }

    private void requireTrailer(long sequence, long at) {
        if (sequence > 0 && into.get(LONG, at) != RecordLayout.trailer(epoch, sequence)) {
            throw replica()
                    .fault(
                            "has something else where record "
                                    + sequence
                                    + " was written: whether its journal has that is not known");
        }
    }

    private void learn(long sequence, long at) {
        long applied = replica().appliedSequence();
        long position = replica().appliedPosition();
        if (ProgressLayout.isWhole(into, at)) {
            if (ProgressLayout.epoch(into, at) != epoch) {
                throw replica()
                        .fault("publishes progress of epoch " + ProgressLayout.epoch(into, at));
            }
            if (ProgressLayout.appliedSequence(into, at) > applied) {
                applied = ProgressLayout.appliedSequence(into, at);
                position = ProgressLayout.appliedPosition(into, at);
            }
        }
        // What is applied is durable: it may be a later record, which came in between.
        long durable = Math.max(replica().durableSequence(), Math.max(sequence, applied));
        replica().answered(durable, applied, position);
    }

    @Override
    public void received(MemorySegment memory, long offset, int length) {
        int kind = GpspmPoint.kindOf(replica(), memory, offset, length);
        throw replica().fault("sends a message of kind " + kind + " that nobody asked for");
    }
}
