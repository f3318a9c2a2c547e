package io.farheap.objects.transaction;

import io.farheap.memory.PoolMemory;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

/** What one commit replaces in one range of one stripe: the bytes as they were before it. */
final class OldBytes {
    /** Longer ranges are saved in pieces. */
    static final int LONGEST = 1 << 20;

    /** Smaller ones are used again. */
    static final int KEPT = 4096;

    private static final int SMALLEST = 64;
    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private static final AtomicReferenceFieldUpdater<OldBytes, OldBytes> OLDER =
            AtomicReferenceFieldUpdater.newUpdater(OldBytes.class, OldBytes.class, "older");

    private final byte[] bytes;
    private final MemorySegment segment;
    private long start;
    private int length;
    int stripe;
    long version;

    /** Usable bytes of the object that was freed and starts here; 0: it was not, or does not. */
    long freedSize;

    /** The next older ones of the stripe. */
    private volatile OldBytes older;

    /** Whether it outlived its commit: {@link History} guards it. */
    private boolean isRetained;

    /** The next of the same commit, or of those that wait to be used again. */
    OldBytes next;

    OldBytes(int length) {
        bytes = new byte[Math.max(SMALLEST, length)];
        segment = MemorySegment.ofArray(bytes);
    }

    int capacity() {
        return bytes.length;
    }

    long start() {
        return start;
    }

    int length() {
        return length;
    }

    OldBytes older() {
        return older;
    }

    void setOlder(OldBytes entry) {
        older = entry;
    }

    /** Goes on with {@code other}, null for the chain's end, if {@code entry} comes next. */
    boolean replaceOlder(OldBytes entry, OldBytes other) {
        return OLDER.compareAndSet(this, entry, other);
    }

    boolean isRetained() {
        return isRetained;
    }

    void setRetained(boolean retained) {
        isRetained = retained;
    }

    /** Whether it may be behind the other one in its chain. */
    boolean isBefore(OldBytes other) {
        return stripe == other.stripe && version < other.version;
    }

    /** Whether it has all bytes of the other one's range. */
    boolean covers(OldBytes other) {
        return start <= other.start && other.start + other.length <= start + length;
    }

    /** Saves a range before it changes. */
    void save(PoolMemory memory, long from, int count) {
        start = from;
        length = count;
        memory.copyOut(from, segment, 0, count);
    }

    /** Lays over the {@code size} bytes of a number from {@code from} on what was there before. */
    long over(long value, long from, int size) {
        long at = from - start;
        if (size == Long.BYTES && at >= 0 && at <= length - Long.BYTES) {
            return (long) LONG.get(bytes, (int) at);
        }
        long result = value;
        for (int i = 0; i < size; i++) {
            if (at + i >= 0 && at + i < length) {
                int shift = i << 3;
                result = result & ~(0xFFL << shift) | (bytes[(int) (at + i)] & 0xFFL) << shift;
            }
        }
        return result;
    }

    /** Lays over a copy of the bytes from {@code from} on what was there before. */
    void over(MemorySegment target, long targetOffset, long from, long count) {
        long first = Math.max(from, start);
        long end = Math.min(from + count, start + length);
        if (first < end) {
            MemorySegment.copy(
                    segment, first - start, target, targetOffset + first - from, end - first);
        }
    }
}
