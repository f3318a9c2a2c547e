package io.farheap.spi;

import java.lang.foreign.MemorySegment;

/**
 * Where one commit's changes are written, entry by entry, in the order in which a replica applies
 * them. Offsets are image offsets; words are 8-byte aligned. No call allocates.
 */
public interface RecordEntries {
    /** Bytes that one word entry takes in a record. */
    int WORD_ENTRY_BYTES = 16;

    /** Bytes that a copy entry of {@code length} bytes takes in a record. */
    static long copyEntryBytes(long length) {
        return 16 + ((length + 7) & -8L);
    }

    void set(long offset, long value);

    void and(long offset, long mask);

    void or(long offset, long mask);

    /** Copies {@code length} bytes at {@code sourceOffset} of {@code source} to {@code offset}. */
    void copy(long offset, MemorySegment source, long sourceOffset, long length);
}
