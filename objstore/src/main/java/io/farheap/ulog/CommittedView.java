package io.farheap.ulog;

import io.farheap.base.FarheapException;
import io.farheap.layout.LogLayout;
import io.farheap.memory.PoolMemory;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * The pool as it is committed while transactions are open: the image, with the undo entries of all
 * lanes laid over it, in a copy: a replica must not keep what is rolled back later
 * (docs/protocol.md#committed-view). Read first the image, then the logs: what a transaction stored
 * in place before the image was read is in a log by then, unless it ended meanwhile, and whoever
 * reads hears of that afterwards. Thread-safe.
 */
public final class CommittedView {
    /** How often a log is read again that changes under the reader. */
    private static final int ATTEMPTS = 100;

    private final PoolMemory memory;
    private final Correction extensions;
    private final Unused unused;

    /** Puts something right in a copy of a range. */
    @FunctionalInterface
    public interface Correction {
        /**
         * @param offset where the copy begins in the image
         */
        void apply(long offset, MemorySegment copy, long length);
    }

    /** Tells of ranges that mean nothing. */
    @FunctionalInterface
    public interface Unused {
        /** Tells of every such range that meets this one. */
        void each(long offset, long length, LongBinaryConsumer range);
    }

    /** Takes a range: its offset and its end. */
    @FunctionalInterface
    public interface LongBinaryConsumer {
        void accept(long offset, long end);
    }

    /**
     * @param extensions makes the memory of log extensions free: it belongs to these lanes
     * @param unused what means nothing, log extensions included
     */
    public CommittedView(PoolMemory memory, Correction extensions, Unused unused) {
        this.memory = memory;
        this.extensions = extensions;
        this.unused = unused;
    }

    /**
     * Fills whatever means nothing with zeros, in two copies of a range that were read before, so
     * that they can be compared.
     */
    public void clearUnused(long offset, MemorySegment one, MemorySegment other, long length) {
        VarHandle.fullFence();
        unused.each(
                offset,
                length,
                (from, to) -> {
                    long begin = Math.max(from, offset) - offset;
                    long end = Math.min(to, offset + length) - offset;
                    if (begin < end) {
                        one.asSlice(begin, end - begin).fill((byte) 0);
                        other.asSlice(begin, end - begin).fill((byte) 0);
                    }
                });
    }

    /**
     * Copies a range.
     *
     * @param target at least {@code length} bytes, filled from its start
     */
    public void read(long offset, MemorySegment target, long length) {
        MemorySegment.copy(memory.image(), offset, target, 0, length);
        VarHandle.fullFence();
        extensions.apply(offset, target, length);
        LaneArea lanes = new LaneArea(memory); // the heap may have grown
        LogReader reader = new LogReader(lanes, new LogChecksums());
        LogChain undo = LogChain.forReading(lanes);
        for (int lane = 0; lane < lanes.count(); lane++) {
            layOver(lanes, lane, undo, reader, offset, target, length);
        }
    }

    private void layOver(
            LaneArea lanes,
            int lane,
            LogChain undo,
            LogReader reader,
            long offset,
            MemorySegment target,
            long length) {
        for (int attempt = 1; ; attempt++) {
            try {
                reader.undo(Lane.rereadUndo(undo, lanes, lane));
                while (reader.next()) {
                    if (reader.operation() == LogLayout.BUFFER_COPY) {
                        layOver(reader, offset, target, length);
                    }
                }
                return;
            } catch (FarheapException changing) {
                // An extension that was freed while its link was followed may hold anything.
                if (attempt == ATTEMPTS) {
                    throw changing;
                }
            }
        }
    }

    private void layOver(LogReader reader, long offset, MemorySegment target, long length) {
        long from = Math.max(offset, reader.target());
        long end = Math.min(offset + length, reader.target() + reader.length());
        if (from < end) {
            long data = reader.data() + from - reader.target();
            MemorySegment.copy(memory.image(), data, target, from - offset, end - from);
        }
    }
}
