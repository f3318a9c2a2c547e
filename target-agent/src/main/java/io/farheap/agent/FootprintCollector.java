package io.farheap.agent;

import io.farheap.replication.control.ByteRange;
import io.farheap.spi.ChangedRanges;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

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

    private void merge() {
        long[] from = offsets;
        long[] to = ends;
        int[] order =
                IntStream.range(0, count)
                        .boxed()
                        .sorted((a, b) -> Long.compare(from[a], from[b]))
                        .mapToInt(Integer::intValue)
                        .toArray();
        long[] mergedFrom = new long[from.length];
        long[] mergedTo = new long[from.length];
        int merged = 0;
        for (int i : order) {
            if (merged > 0 && from[i] <= mergedTo[merged - 1]) {
                mergedTo[merged - 1] = Math.max(mergedTo[merged - 1], to[i]);
            } else {
                mergedFrom[merged] = from[i];
                mergedTo[merged] = to[i];
                merged++;
            }
        }
        offsets = mergedFrom;
        ends = mergedTo;
        count = merged;
    }

    /** Everything collected so far. */
    List<ByteRange> ranges() {
        merge();
        List<ByteRange> ranges = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            ranges.add(new ByteRange(offsets[i], ends[i] - offsets[i]));
        }
        return ranges;
    }
}
