package io.farheap.live;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** Copies of ranges in memory. For one thread. */
final class HeldRanges {
    private final MemorySegment content;
    private long[] offsets = new long[1 << 10];
    private long[] ends = new long[1 << 10];
    private int count;

    /**
     * @param mostBytes of all ranges together
     */
    HeldRanges(long mostBytes) {
        content = Arena.ofAuto().allocate(mostBytes, Long.BYTES);
    }

    void clear() {
        count = 0;
    }

    /** Where the content of one more range goes. */
    MemorySegment next(long offset, long length) {
        if (count == offsets.length) {
            offsets = Arrays.copyOf(offsets, 2 * count);
            ends = Arrays.copyOf(ends, 2 * count);
        }
        long begin = count == 0 ? 0 : ends[count - 1];
        offsets[count] = offset;
        ends[count] = begin + length;
        count++;
        return content.asSlice(begin, length);
    }

    void each(LiveReceiver receiver) throws IOException {
        for (int i = 0; i < count; i++) {
            long begin = i == 0 ? 0 : ends[i - 1];
            receiver.range(offsets[i], content.asSlice(begin, ends[i] - begin));
        }
    }
}
