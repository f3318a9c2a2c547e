package io.farheap.engine;

import io.farheap.memory.PoolMemory;
import io.farheap.spi.RecordEntries;
import io.farheap.spi.RecordSource;
import io.farheap.spi.ReplicaSink;
import java.lang.foreign.MemorySegment;

/**
 * Stores that are durable when they return, here and on every replica, and not atomic: no log. A
 * crash in the middle leaves every aligned word old or new. Remote before local, as commits are: a
 * replica can only be ahead, and the next opening gives it what is here.
 *
 * <p>One for each lane, used by whoever claimed that.
 */
final class NonAtomicStore implements RecordSource {
    private final PoolEngine engine;
    private final PoolMemory memory;
    private final SentRecord sent;

    private long offset;
    private MemorySegment source;
    private long sourceOffset;
    private long length;

    /**
     * @param sent the lane's
     */
    NonAtomicStore(PoolEngine engine, SentRecord sent) {
        this.engine = engine;
        this.sent = sent;
        this.memory = engine.memory();
    }

    /** Stores bytes that do not change meanwhile. One fence, and one for each further record. */
    void store(long at, MemorySegment from, long fromOffset, long bytes) {
        ReplicaSink replicas = engine.replicas();
        long most =
                replicas == null
                        ? bytes
                        : (replicas.pieceEntryBytes() - RecordEntries.copyEntryBytes(0))
                                & -Long.BYTES;
        source = from;
        try {
            for (long done = 0; done < bytes; done += length) {
                offset = at + done;
                sourceOffset = fromOffset + done;
                length = Math.min(most, bytes - done);
                if (replicas == null) {
                    storeHere();
                } else {
                    storeEverywhere(replicas);
                }
            }
        } finally {
            source = null;
        }
    }

    private void storeEverywhere(ReplicaSink replicas) {
        sent.append(replicas, RecordEntries.copyEntryBytes(length), this);
        sent.awaitDurableOrRollBack();
        storeHere();
    }

    private void storeHere() {
        try {
            memory.copyIn(offset, source, sourceOffset, length);
            memory.persist(offset, length);
            sent.committed();
        } catch (Throwable failure) {
            throw sent.broken(failure);
        }
    }

    @Override
    public void writeTo(RecordEntries entries) {
        entries.copy(offset, source, sourceOffset, length);
    }
}
