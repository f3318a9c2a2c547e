package io.farheap.pmemobj;

import java.lang.foreign.MemorySegment;

/**
 * {@link MemoryOperations} on objects that are named by their bare offset: allocates nothing in the
 * Java heap. The order of arguments is always object, offset in it, value.
 */
public final class RawMemory {
    private final MemoryOperations memory;

    RawMemory(MemoryOperations memory) {
        this.memory = memory;
    }

    /** Sets one field; one fence when it is 8-byte aligned. */
    public void setLong(long object, long offset, long value) {
        memory.setLong(object, offset, value);
    }

    /** Writes bytes, atomically. */
    public void writeBytes(
            long object, long offset, MemorySegment source, long sourceOffset, long length) {
        memory.store(object, offset, source, sourceOffset, length, true);
    }

    /**
     * Writes bytes as {@link MemoryOption#NOT_ATOMIC} says, as {@code pmemobj_memcpy_persist} does.
     */
    public void persistBytes(
            long object, long offset, MemorySegment source, long sourceOffset, long length) {
        memory.store(object, offset, source, sourceOffset, length, false);
    }
}
