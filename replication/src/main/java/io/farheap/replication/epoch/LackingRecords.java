package io.farheap.replication.epoch;

import io.farheap.base.FarheapException;
import io.farheap.replication.control.Limits;
import io.farheap.replication.control.Reply;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.journal.JournalLayout;
import io.farheap.replication.journal.RecordLayout;
import io.farheap.replication.journal.RecordReader;
import io.farheap.replication.session.ReplicaSession;
import java.lang.foreign.MemorySegment;

/**
 * The records that a copy was taken over with and another one lacks: that one gets them, into its
 * journal, before any content (docs/high-availability.md#equalise). It had room for them: whoever
 * wrote them waited for that, with all copies of the set.
 *
 * <p>It gets all of them or none: a former writer's copy has the content of the last ones, and
 * would lose that if it had to take over with the first ones alone. So the first one goes last, and
 * until all of that is there, none counts.
 */
final class LackingRecords {
    private final TakenTail tail;
    private final RecordReader reader;

    LackingRecords(TakenTail tail) {
        this.tail = tail;
        this.reader = new RecordReader(tail.ring());
    }

    /** Whether a copy that is current may get content at once. */
    static boolean isWhole(SlotReport slot, TakenTail tail) {
        return tail.isEmpty()
                || slot.journalEpoch() == tail.epoch() && slot.lastSequence() >= tail.sequence();
    }

    /**
     * @param member prepared for a switch
     * @throws FarheapException when it can't be given what it lacks; it has got all of that or none
     */
    void sendTo(ReplicaSession member) {
        if (member.verdict().slot().journalEpoch() != tail.epoch()
                || member.endpoint().ringBytes() != tail.ring().byteSize()) {
            throw member.fault("it lacks records, and its journal can't take them");
        }
        Reply.TailEnd has = member.tailEnd();
        if (has.sequence() < tail.sequence()) {
            long next = has.sequence() + 1;
            long second = endOf(member, has.position(), next, next);
            long end = endOf(member, second, next + 1, tail.sequence());
            has = send(has.position(), second, end, member::putRecords);
        }
        if (has.sequence() < tail.sequence()) {
            throw member.fault(
                    "it lacks records, and has not taken them: its journal ends with record "
                            + has.sequence()
                            + " of "
                            + tail.sequence());
        }
    }

    /** Where bytes of the stream go. */
    interface Taker {
        /**
         * @return the end of the tail then
         */
        Reply.TailEnd put(long position, MemorySegment bytes);
    }

    /**
     * Sends records, the first one last.
     *
     * @param begin where that begins
     * @param second where that ends
     * @param end of all
     */
    Reply.TailEnd send(long begin, long second, long end, Taker taker) {
        Reply.TailEnd unused = sendPieces(second, end, taker);
        Reply.TailEnd has = sendPieces(begin, second, taker);
        // It looks for records no further than where the last bytes came to.
        return second < end ? sendPieces(end - RecordLayout.ALIGNMENT, end, taker) : has;
    }

    private Reply.TailEnd sendPieces(long from, long to, Taker taker) {
        Reply.TailEnd has = null;
        for (long at = from; at < to; ) {
            long offset = JournalLayout.ringOffset(at, tail.ring().byteSize());
            long length =
                    Math.min(
                            Math.min(Limits.MAX_READ_BYTES, to - at),
                            tail.ring().byteSize() - offset);
            has = taker.put(at, tail.ring().asSlice(offset, length));
            at += length;
        }
        return has;
    }

    private long endOf(ReplicaSession member, long begin, long first, long last) {
        long end = begin;
        for (long next = first; next <= last; next++) {
            long offset = JournalLayout.ringOffset(end, tail.ring().byteSize());
            if (reader.read(offset, tail.epoch(), next) != RecordReader.Verdict.VALID) {
                throw member.fault(
                        "it lacks the records from " + next + ", which are not here any more");
            }
            end += reader.length();
        }
        return end;
    }
}
