package io.farheap.tools.verify;

import io.farheap.layout.Descriptor;
import io.farheap.ulog.CommittedView;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Which words of an image mean something: free memory need not be equal. For one thread. */
final class Meaningful {
    private static final long WINDOW = 1 << 20;

    private final CommittedView view;
    private final long imageBytes;
    private final MemorySegment marks;
    private long window = -1;

    private Meaningful(CommittedView view, long imageBytes) {
        this.view = view;
        this.imageBytes = imageBytes;
        marks = view == null ? MemorySegment.NULL : Arena.ofAuto().allocate(WINDOW, Long.BYTES);
    }

    /** By the metadata of a recovered image. */
    static Meaningful by(CommittedView view, long imageBytes) {
        return new Meaningful(view, imageBytes);
    }

    /** Where no metadata can be believed: everything, but a number that may drift. */
    static Meaningful everything() {
        return new Meaningful(null, 0);
    }

    /** Whether free memory is told from the rest. */
    boolean knowsFreeMemory() {
        return view != null;
    }

    /**
     * @param offset of the word, a multiple of 8
     */
    boolean isUsed(long offset) {
        if (view == null) {
            return offset != Descriptor.CURR_ALLOCATED;
        }
        long start = offset & -WINDOW;
        if (start != window) {
            marks.fill((byte) 1);
            view.clearUnused(start, marks, marks, Math.min(WINDOW, imageBytes - start));
            window = start;
        }
        return marks.get(ValueLayout.JAVA_LONG_UNALIGNED, offset - start) != 0;
    }
}
