package io.farheap.agent.records;

import io.farheap.replication.control.ByteRange;
import io.farheap.spi.ChangedRanges;
import java.util.AbstractList;
import java.util.Arrays;
import java.util.List;
import java.util.RandomAccess;

/** Collects what records change, as ascending, disjoint ranges of the image. */
final class FootprintCollector extends ChangedRanges {
    private long[] offsets = new long[1024];
    private long[] ends = new long[1024];
    private int count;

    @Override
    protected void range(long offset, long length) {
        if (length == 0) {
            return;
        }
        if (count == offsets.length) {
            merge();
            if (count > offsets.length / 2) {
                offsets = Arrays.copyOf(offsets, 2 * offsets.length);
                ends = Arrays.copyOf(ends, offsets.length);
            }
        }
        offsets[count] = offset;
        ends[count] = offset + length;
        count++;
    }

    /**
     * Starts and ends are sorted each by themselves: a range of the union ends where as many ends
     * as starts have been passed.
     */
    private void merge() {
        Arrays.sort(offsets, 0, count);
        Arrays.sort(ends, 0, count);
        int merged = 0;
        for (int next = 0; next < count; merged++) {
            long begin = offsets[next];
            while (next + 1 < count && offsets[next + 1] <= ends[next]) {
                next++;
            }
            offsets[merged] = begin;
            ends[merged] = ends[next];
            next++;
        }
        count = merged;
    }

    /** Everything collected so far; 16 bytes for each range. */
    List<ByteRange> ranges() {
        merge();
        return new Ranges(Arrays.copyOf(offsets, count), Arrays.copyOf(ends, count));
    }

    private static final class Ranges extends AbstractList<ByteRange> implements RandomAccess {
        private final long[] offsets;
        private final long[] ends;

        Ranges(long[] offsets, long[] ends) {
            this.offsets = offsets;
            this.ends = ends;
        }

        @Override
        public ByteRange get(int index) {
            return new ByteRange(offsets[index], ends[index] - offsets[index]);
        }

        @Override
        public int size() {
            return offsets.length;
        }
    }
}
