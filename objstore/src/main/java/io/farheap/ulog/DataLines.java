package io.farheap.ulog;

import io.farheap.layout.LaneLayout;
import io.farheap.layout.LogLayout;
import java.util.BitSet;

/**
 * Which 64-byte lines of an undo log may hold data of an entry, and not zeros or the head of an
 * entry: in DRAM, for the lane's own log and the extension that stays between transactions. Later
 * extensions are cleared when they are linked and freed by the end of the transaction.
 *
 * <p>A line counts until it is durably cleared, whether the data ever got that far or not.
 * Garbage-free once warm.
 */
final class DataLines {
    private static final long LINE = LogLayout.BUFFER_ALIGNMENT;

    /** The lane's lines, then those of the extension. */
    private final BitSet lines = new BitSet();

    /** Whether the line at {@code position} of a log may hold data. */
    boolean holds(int log, long position) {
        return log < 2 && lines.get(index(log, position));
    }

    /** Data was stored from one position of a log up to another, both multiples of 64. */
    void stored(int log, long from, long to) {
        if (log < 2) {
            lines.set(index(log, from), index(log, to));
        }
    }

    /** Zeros are durable there. */
    void cleared(int log, long from, long to) {
        if (log < 2) {
            lines.clear(index(log, from), index(log, to));
        }
    }

    private static int index(int log, long position) {
        return (int) ((log * LaneLayout.UNDO_CAPACITY + position) / LINE);
    }
}
