package io.farheap.engine;

import io.farheap.base.FarheapException;
import io.farheap.heap.Reservation;
import io.farheap.memory.PoolMemory;
import io.farheap.spi.RecordEntries;
import io.farheap.spi.RecordSource;
import io.farheap.spi.ReplicaSink;
import io.farheap.ulog.RedoOperations;

/**
 * What leaves for the replicas when one transaction commits: new bytes of the ranges changed in
 * place, the content of fresh objects, the allocator's words.
 *
 * <p>What does not fit one record travels ahead in records of its own: the content of fresh
 * objects, largest need, because the space is free until the words say otherwise. In-place ranges
 * and words must fit, or nothing is posted: the commit would wait for room that never comes
 * (docs/protocol.md#large-transactions).
 */
final class CommitRecord implements RecordSource {
    private final PoolMemory memory;
    private final WriteSet writes;
    private final RangeMap snapshots;
    private final Allocations allocations;
    private final RedoOperations words;
    private final SentRecord sent;
    private final RecordSource ahead = this::writeAhead;

    private boolean freshTravelsAhead;
    private long entryBytes;
    private long aheadOffset;
    private long aheadLength;

    /** Of the image, what the record has is between the two. */
    private long readFrom;

    private long readTo;

    CommitRecord(LaneTransaction tx) {
        this.memory = tx.memory();
        this.writes = tx.objects().writes();
        this.snapshots = tx.objects().snapshots();
        this.allocations = tx.allocations();
        this.words = tx.words();
        this.sent = tx.sent();
    }

    /** Bytes of entries of the commit's own record, after {@link #plan}. */
    long entryBytes() {
        return entryBytes;
    }

    /**
     * Decides what goes into the commit's own record.
     *
     * @param pieceEntryBytes above it, the content of fresh objects travels ahead
     * @throws FarheapException WRONG_USE when what must be in one record does not fit; nothing was
     *     posted then
     */
    void plan(long maxEntryBytes, long pieceEntryBytes) {
        long inPlace = (long) words.size() * RecordEntries.WORD_ENTRY_BYTES;
        for (int i = 0; i < writes.size(); i++) {
            inPlace += RecordEntries.copyEntryBytes(writes.length(i));
        }
        for (int i = 0; i < snapshots.size(); i++) {
            inPlace += RecordEntries.copyEntryBytes(snapshots.length(i));
        }
        if (inPlace > maxEntryBytes) {
            throw FarheapException.wrongUse(
                    "The transaction changes %s bytes in place and the commit journal of"
                            + " the replicas takes %s in one record; split the transaction or raise"
                            + " journal-size on the targets.",
                    inPlace, maxEntryBytes);
        }
        long fresh = 0;
        for (int i = 0; i < allocations.reservedCount(); i++) {
            if (allocations.isLive(i)) {
                fresh += RecordEntries.copyEntryBytes(allocations.reservation(i).realSize());
            }
        }
        freshTravelsAhead = fresh > 0 && inPlace + fresh > pieceEntryBytes;
        entryBytes = freshTravelsAhead ? inPlace : inPlace + fresh;
    }

    /**
     * Sends the content that travels ahead. Each record is decided at once: in the local pool it
     * changes free space only. Where one fails it is left to the commit's roll-back to end it.
     */
    void sendAhead(ReplicaSink sink) {
        if (!freshTravelsAhead) {
            return;
        }
        long most = (sink.pieceEntryBytes() - RecordEntries.copyEntryBytes(0)) & -Long.BYTES;
        for (int i = 0; i < allocations.reservedCount(); i++) {
            if (!allocations.isLive(i)) {
                continue;
            }
            Reservation fresh = allocations.reservation(i);
            long end = fresh.realOffset() + fresh.realSize();
            for (long at = fresh.realOffset(); at < end; at += aheadLength) {
                aheadOffset = at;
                aheadLength = Math.min(most, end - at);
                sendOneAhead(sink);
            }
        }
    }

    private void sendOneAhead(ReplicaSink sink) {
        long bytes = RecordEntries.copyEntryBytes(aheadLength);
        sent.append(sink, bytes, ahead);
        sent.awaitDurable();
        sent.committed();
    }

    private void writeAhead(RecordEntries entries) {
        entries.copy(aheadOffset, memory.image(), aheadOffset, aheadLength);
        memory.requireWhole(aheadOffset, aheadOffset + aheadLength);
    }

    @Override
    public void writeTo(RecordEntries entries) {
        readFrom = Long.MAX_VALUE;
        readTo = 0;
        for (int i = 0; i < writes.size(); i++) {
            entries.copy(writes.offset(i), writes.buffer(), writes.position(i), writes.length(i));
        }
        for (int i = 0; i < snapshots.size(); i++) {
            copyFromImage(entries, snapshots.start(i), snapshots.length(i));
        }
        if (!freshTravelsAhead) {
            for (int i = 0; i < allocations.reservedCount(); i++) {
                if (allocations.isLive(i)) {
                    Reservation fresh = allocations.reservation(i);
                    copyFromImage(entries, fresh.realOffset(), fresh.realSize());
                }
            }
        }
        if (readFrom < readTo) {
            memory.requireWhole(readFrom, readTo); // of what was read
        }
        for (int i = 0; i < words.size(); i++) {
            switch (words.kind(i)) {
                case SET -> entries.set(words.offset(i), words.value(i));
                case AND -> entries.and(words.offset(i), words.value(i));
                case OR -> entries.or(words.offset(i), words.value(i));
            }
        }
    }

    private void copyFromImage(RecordEntries entries, long start, long length) {
        entries.copy(start, memory.image(), start, length);
        readFrom = Math.min(readFrom, start);
        readTo = Math.max(readTo, start + length);
    }
}
