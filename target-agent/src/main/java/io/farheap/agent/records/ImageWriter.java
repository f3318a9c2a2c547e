package io.farheap.agent.records;

import io.farheap.memory.PoolMemory;
import io.farheap.spi.RecordEntries;
import java.lang.foreign.MemorySegment;

/**
 * Applies entries to the image and flushes what they touch; durable at the image's next fence.
 *
 * <p>Each entry is held against the bounds once more, although its record was verified: an
 * initiator that breaks the rules overwrites a record while it is applied.
 */
final class ImageWriter implements RecordEntries {
    private final PoolMemory image;
    private final ImageBounds bounds;

    ImageWriter(PoolMemory image, ImageBounds bounds) {
        this.image = image;
        this.bounds = bounds;
    }

    @Override
    public void set(long offset, long value) {
        bounds.check(offset, Long.BYTES);
        image.putLong(offset, value);
        image.flush(offset, Long.BYTES);
    }

    @Override
    public void and(long offset, long mask) {
        bounds.check(offset, Long.BYTES);
        set(offset, image.getLong(offset) & mask);
    }

    @Override
    public void or(long offset, long mask) {
        bounds.check(offset, Long.BYTES);
        set(offset, image.getLong(offset) | mask);
    }

    @Override
    public void copy(long offset, MemorySegment source, long sourceOffset, long length) {
        bounds.check(offset, length);
        image.copyIn(offset, source, sourceOffset, length);
        image.flush(offset, length);
    }
}
