package io.farheap.memory;

import java.lang.foreign.MemorySegment;

/**
 * A range of bytes on a disk. What is written may be lost with the power, in any order and by
 * aligned words of 8 bytes, until it is synced. Buffers are native memory. Errors are {@link
 * io.farheap.base.FarheapException} ENVIRONMENT; after one of a write or a sync nobody knows what
 * is on the disk.
 */
public interface DiskFile {

    /**
     * Reads into the buffer from {@code at} on.
     *
     * @return how many bytes there were, at most {@code length}
     */
    long read(MemorySegment buffer, long at, long length, long offset);

    /** Writes {@code length} bytes of the buffer, from {@code at} on, to {@code offset}. */
    void write(MemorySegment buffer, long at, long length, long offset);

    /** Whether {@link #writeDurably} goes past the page cache: one trip to the device. */
    default boolean isDirect() {
        return false;
    }

    /** Waits until everything written before is on the medium. */
    void sync();

    /**
     * As {@link #write}, on the medium when it returns. On the hot path: allocates nothing.
     *
     * @param length a multiple of the block size that the file was opened for, as is {@code offset}
     */
    default void writeDurably(MemorySegment buffer, long at, long length, long offset) {
        write(buffer, at, length, offset);
        sync();
    }
}
