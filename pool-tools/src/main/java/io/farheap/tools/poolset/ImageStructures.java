package io.farheap.tools.poolset;

import io.farheap.layout.Descriptor;
import java.util.ArrayList;
import java.util.List;

/** Which structures of a pool lie in a range of its image. */
final class ImageStructures {
    private ImageStructures() {}

    /** In words, in the order of offsets. */
    static List<String> of(long from, long to, long poolSize) {
        List<String> found = new ArrayList<>();
        add(found, "header", from, to, 0, Descriptor.OFFSET);
        add(found, "descriptor", from, to, Descriptor.OFFSET, Descriptor.END);
        add(found, "lanes", from, to, Descriptor.END, Descriptor.DEFAULT_HEAP_OFFSET);
        add(found, "heap", from, to, Descriptor.DEFAULT_HEAP_OFFSET, poolSize);
        add(found, "unused", from, to, poolSize, Long.MAX_VALUE);
        return found;
    }

    private static void add(
            List<String> found, String name, long from, long to, long start, long end) {
        long bytes = Math.min(to, end) - Math.max(from, start);
        if (bytes > 0) {
            found.add(name + " " + bytes);
        }
    }
}
