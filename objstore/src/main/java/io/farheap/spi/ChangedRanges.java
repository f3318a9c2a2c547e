package io.farheap.spi;

import java.lang.foreign.MemorySegment;

/** For whoever wants to know where a record's entries change the image, and not to what. */
public abstract class ChangedRanges implements RecordEntries {
    /** Empty. */
    protected ChangedRanges() {}

    /** One entry's range; {@code length} is what the entry says, for a copy 0 too. */
    protected abstract void range(long offset, long length);

    @Override
    public final void set(long offset, long value) {
        range(offset, Long.BYTES);
    }

    @Override
    public final void and(long offset, long mask) {
        range(offset, Long.BYTES);
    }

    @Override
    public final void or(long offset, long mask) {
        range(offset, Long.BYTES);
    }

    @Override
    public final void copy(long offset, MemorySegment source, long sourceOffset, long length) {
        range(offset, length);
    }
}
