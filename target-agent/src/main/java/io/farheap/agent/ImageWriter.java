package io.farheap.agent;

import io.farheap.memory.PoolMemory;
import io.farheap.spi.RecordEntries;
import java.lang.foreign.MemorySegment;

/** Applies entries to the image and flushes what they touch; durable at the image's next fence. */
final class ImageWriter implements RecordEntries {
    private final PoolMemory image;

    ImageWriter(PoolMemory image) {
        this.image = image;
    }

    @Override
    public void set(long offset, long value) {
        image.putLong(offset, value);
        image.flush(offset, Long.BYTES);
    }

    @Override
    public void and(long offset, long mask) {
        set(offset, image.getLong(offset) & mask);
    }

    @Override
    public void or(long offset, long mask) {
        set(offset, image.getLong(offset) | mask);
    }

    @Override
    public void copy(long offset, MemorySegment source, long sourceOffset, long length) {
        image.copyIn(offset, source, sourceOffset, length);
        image.flush(offset, length);
    }
}
