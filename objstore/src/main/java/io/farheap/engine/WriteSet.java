package io.farheap.engine;

import io.farheap.base.FarheapException;
import io.farheap.memory.PoolMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The new values of one transaction, in DRAM until its commit: ranges of the image and the bytes
 * they will hold. Ranges that touch are merged, so that neighbouring fields cost one undo entry.
 * Garbage-free once warm; not thread-safe.
 */
final class WriteSet {
    /** More than this is refused: larger contents belong into fresh objects or in-place stores. */
    static final long MAX_BYTES = 1L << 30;

    /** A buffer grown beyond this by one large transaction is let go after it. */
    private static final long KEPT_BYTES = 4L << 20;

    private static final long FIRST_BYTES = 4096;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;

    /** Tag of a range = where its bytes start in the buffer. */
    private final RangeMap ranges = new RangeMap();

    private final MemorySegment first = Arena.ofAuto().allocate(FIRST_BYTES, Long.BYTES);
    private MemorySegment buffer = first;
    private long used;

    boolean isEmpty() {
        return ranges.isEmpty();
    }

    int size() {
        return ranges.size();
    }

    /** Whether it has a new value for a byte of this word. */
    boolean meets(long word) {
        return ranges.meet(word, word + Long.BYTES);
    }

    long offset(int index) {
        return ranges.start(index);
    }

    long length(int index) {
        return ranges.length(index);
    }

    /** The bytes of all ranges, see {@link #position}. Valid until the next write. */
    MemorySegment buffer() {
        return buffer;
    }

    /** Where the bytes of range {@code index} start in {@link #buffer}. */
    long position(int index) {
        return ranges.tag(index);
    }

    void putLong(long offset, long value) {
        long position = place(offset, Long.BYTES);
        buffer.set(LONG, position, value);
    }

    void putInt(long offset, int value) {
        long position = place(offset, Integer.BYTES);
        buffer.set(INT, position, value);
    }

    void putShort(long offset, short value) {
        long position = place(offset, Short.BYTES);
        buffer.set(SHORT, position, value);
    }

    void putByte(long offset, byte value) {
        long position = place(offset, 1);
        buffer.set(ValueLayout.JAVA_BYTE, position, value);
    }

    void put(long offset, MemorySegment source, long sourceOffset, long length) {
        if (length > 0) {
            long position = place(offset, length);
            MemorySegment.copy(source, sourceOffset, buffer, position, length);
        }
    }

    void fill(long offset, long length, byte value) {
        if (length > 0) {
            long position = place(offset, length);
            buffer.asSlice(position, length).fill(value);
        }
    }

    long getLong(PoolMemory memory, long offset) {
        int index = ranges.firstReaching(offset + 1);
        if (index == ranges.size() || ranges.start(index) >= offset + Long.BYTES) {
            return memory.getLong(offset);
        }
        if (ranges.start(index) <= offset && ranges.end(index) >= offset + Long.BYTES) {
            return buffer.get(LONG, ranges.tag(index) + offset - ranges.start(index));
        }
        return compose(memory, offset, Long.BYTES);
    }

    int getInt(PoolMemory memory, long offset) {
        return (int) compose(memory, offset, Integer.BYTES);
    }

    short getShort(PoolMemory memory, long offset) {
        return (short) compose(memory, offset, Short.BYTES);
    }

    byte getByte(PoolMemory memory, long offset) {
        return (byte) compose(memory, offset, 1);
    }

    /** Copies the image's bytes with the new values laid over them. */
    void get(PoolMemory memory, long offset, MemorySegment target, long targetOffset, long length) {
        memory.copyOut(offset, target, targetOffset, length);
        long end = offset + length;
        for (int i = ranges.firstReaching(offset + 1);
                i < ranges.size() && ranges.start(i) < end;
                i++) {
            long from = Math.max(offset, ranges.start(i));
            long to = Math.min(end, ranges.end(i));
            MemorySegment.copy(
                    buffer,
                    ranges.tag(i) + from - ranges.start(i),
                    target,
                    targetOffset + from - offset,
                    to - from);
        }
    }

    void clear() {
        ranges.clear();
        used = 0;
        if (buffer.byteSize() > KEPT_BYTES) {
            buffer = first;
        }
    }

    /** A little-endian value of up to 8 bytes, byte by byte from wherever each byte is. */
    private long compose(PoolMemory memory, long offset, int bytes) {
        long value = 0;
        int index = ranges.firstReaching(offset + 1);
        for (int i = 0; i < bytes; i++) {
            long at = offset + i;
            while (index < ranges.size() && ranges.end(index) <= at) {
                index++;
            }
            byte b =
                    index < ranges.size() && ranges.start(index) <= at
                            ? buffer.get(
                                    ValueLayout.JAVA_BYTE,
                                    ranges.tag(index) + at - ranges.start(index))
                            : memory.getByte(at);
            value |= (b & 0xFFL) << (8 * i);
        }
        return value;
    }

    /** Makes a range hold [offset, offset+length) and returns where its bytes go in the buffer. */
    private long place(long offset, long length) {
        long end = offset + length;
        int index = ranges.firstReaching(offset);
        if (index == ranges.size() || ranges.start(index) > end) {
            long position = allocate(length);
            ranges.insert(index, offset, end, position);
            return position;
        }
        if (ranges.start(index) <= offset && end <= ranges.end(index)) {
            return ranges.tag(index) + offset - ranges.start(index);
        }
        return merge(index, offset, end);
    }

    private long merge(int first, long offset, long end) {
        int last = first;
        while (last + 1 < ranges.size() && ranges.start(last + 1) <= end) {
            last++;
        }
        long start = ranges.start(first);
        boolean newestBytes = ranges.tag(first) + ranges.length(first) == used;
        if (first == last && start <= offset && newestBytes) {
            // Fields written one after the other: the range grows where it is.
            allocate(end - ranges.end(first));
            ranges.setEnd(first, end);
            return ranges.tag(first) + offset - start;
        }
        long unionStart = Math.min(offset, start);
        long unionEnd = Math.max(end, ranges.end(last));
        long position = allocate(unionEnd - unionStart);
        for (int i = first; i <= last; i++) {
            MemorySegment.copy(
                    buffer,
                    ranges.tag(i),
                    buffer,
                    position + ranges.start(i) - unionStart,
                    ranges.length(i));
        }
        ranges.replace(first, last + 1, unionStart, unionEnd, position);
        return position + offset - unionStart;
    }

    private long allocate(long length) {
        long needed = used + length;
        if (needed > buffer.byteSize()) {
            grow(needed);
        }
        long position = used;
        used = needed;
        return position;
    }

    private void grow(long needed) {
        if (needed > MAX_BYTES) {
            throw FarheapException.wrongUse(
                    "The transaction buffers more than %s bytes of new values; write large"
                            + " contents into objects allocated in the same transaction, or in place"
                            + " through snapshot().",
                    MAX_BYTES);
        }
        long size = Math.min(MAX_BYTES, Math.max(2 * buffer.byteSize(), needed));
        MemorySegment larger = Arena.ofAuto().allocate(size, Long.BYTES);
        MemorySegment.copy(buffer, 0, larger, 0, used);
        buffer = larger;
    }
}
