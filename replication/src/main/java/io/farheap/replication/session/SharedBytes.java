package io.farheap.replication.session;

import io.farheap.layout.Descriptor;
import io.farheap.replication.control.ByteRange;
import java.util.ArrayList;
import java.util.List;

/**
 * What all copies of a pool have in common. The header page, run_id, the scratch area and the lanes
 * are each copy's own.
 */
public final class SharedBytes {
    private SharedBytes() {}

    /** In ascending order. */
    public static List<ByteRange> of(long imageSize) {
        return List.of(
                between(Descriptor.OFFSET, Descriptor.RUN_ID),
                between(Descriptor.ROOT_SIZE, Descriptor.SCRATCH),
                between(Descriptor.DEFAULT_HEAP_OFFSET, imageSize));
    }

    /** What of ascending, disjoint ranges is shared. */
    public static List<ByteRange> of(List<ByteRange> ranges, long imageSize) {
        List<ByteRange> shared = new ArrayList<>();
        for (ByteRange range : ranges) {
            long end = range.offset() + range.length();
            for (ByteRange part : of(imageSize)) {
                long from = Math.max(range.offset(), part.offset());
                long to = Math.min(end, part.offset() + part.length());
                if (from < to) {
                    shared.add(between(from, to));
                }
            }
        }
        return shared;
    }

    private static ByteRange between(long from, long end) {
        return new ByteRange(from, end - from);
    }
}
