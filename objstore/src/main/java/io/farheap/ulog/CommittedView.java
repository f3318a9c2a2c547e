package io.farheap.ulog;

import io.farheap.FarheapException;
import io.farheap.layout.LogLayout;
import io.farheap.memory.PoolMemory;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * The pool as it is committed while transactions are open: the image, with the undo entries of all
 * lanes laid over it, in a copy. Read first the image, then the logs: what a transaction stored in
 * place before the image was read is in a log by then, unless it ended meanwhile, and whoever reads
 * hears of that afterwards. For one thread.
 */
public final class CommittedView {
    /** How often a log is read again that changes under the reader. */
    private static final int ATTEMPTS = 100;

    private final LaneArea lanes;
    private final PoolMemory memory;
    private final LogReader reader;

    public CommittedView(LaneArea lanes) {
        this.lanes = lanes;
        this.memory = lanes.memory();
        this.reader = new LogReader(lanes, new LogChecksums());
    }

    /**
     * Copies a range.
     *
     * @param target at least {@code length} bytes, filled from its start
     */
    public void read(long offset, MemorySegment target, long length) {
        MemorySegment.copy(memory.image(), offset, target, 0, length);
        VarHandle.fullFence();
        for (int lane = 0; lane < lanes.count(); lane++) {
            layOver(lane, offset, target, length);
        }
    }

    private void layOver(int lane, long offset, MemorySegment target, long length) {
        for (int attempt = 1; ; attempt++) {
            try {
                reader.undo(Lane.undoChain(lanes, lane, null, null));
                while (reader.next()) {
                    if (reader.operation() == LogLayout.BUFFER_COPY) {
                        layOver(offset, target, length);
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

    private void layOver(long offset, MemorySegment target, long length) {
        long from = Math.max(offset, reader.target());
        long end = Math.min(offset + length, reader.target() + reader.length());
        if (from < end) {
            long data = reader.data() + from - reader.target();
            MemorySegment.copy(memory.image(), data, target, from - offset, end - from);
        }
    }
}
