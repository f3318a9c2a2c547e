package io.farheap.replication;

import io.farheap.layout.Descriptor;
import io.farheap.replication.control.ByteRange;
import java.util.List;

/**
 * What all copies of a pool have in common. The header page, run_id, the scratch area and the lanes
 * are each copy's own.
 */
final class SharedBytes {
    private SharedBytes() {}

    /** In ascending order. */
    static List<ByteRange> of(long imageSize) {
        return List.of(
                between(Descriptor.OFFSET, Descriptor.RUN_ID),
                between(Descriptor.ROOT_SIZE, Descriptor.SCRATCH),
                between(Descriptor.DEFAULT_HEAP_OFFSET, imageSize));
    }

    private static ByteRange between(long from, long end) {
        return new ByteRange(from, end - from);
    }
}
