package io.farheap.replication.stream;

import io.farheap.base.FarheapException;
import io.farheap.replication.fabric.Connection;
import io.farheap.replication.journal.JournalMessages;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** General purpose: a message names the records, the agent flushes them, then answers. */
final class GpspmPoint extends DurabilityPoint {
    private final MemorySegment flush = Arena.ofAuto().allocate(JournalMessages.HEADER_BYTES, 8);

    GpspmPoint(AckedPositions replica, Connection connection) {
        super(replica, connection);
    }

    @Override
    void ask(long from, BatchPoster.Cursor end) {
        int length = JournalMessages.flush(flush, end.sequence, from, end.position);
        connection().send(flush, 0, length);
    }

    @Override
    public void received(MemorySegment memory, long offset, int length) {
        int kind = kindOf(replica(), memory, offset, length);
        if (kind != JournalMessages.DURABLE) {
            throw replica().fault("answers a commit with a message of kind " + kind);
        }
        replica()
                .answered(
                        JournalMessages.durableSequence(memory, offset),
                        JournalMessages.appliedSequence(memory, offset),
                        JournalMessages.appliedPosition(memory, offset));
    }

    /** Of any message but a refusal, which is thrown. */
    static int kindOf(AckedPositions replica, MemorySegment memory, long offset, int length) {
        int kind;
        try {
            kind = JournalMessages.check(memory, offset, length);
        } catch (FarheapException e) {
            throw replica.fault(e);
        }
        if (kind == JournalMessages.REFUSED) {
            throw replica.fault("refuses: " + JournalMessages.refusal(memory, offset, length));
        }
        return kind;
    }
}
