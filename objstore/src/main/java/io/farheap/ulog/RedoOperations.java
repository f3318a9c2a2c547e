package io.farheap.ulog;

import io.farheap.layout.LogLayout;
import java.util.Arrays;

/**
 * The word operations of one redo log, collected in DRAM: each sets, ands or ors one 8-byte aligned
 * word of the image.
 *
 * <p>An operation on a word that one of the last 64 operations already changes in the same way is
 * merged into that one; operations of different kinds on one word keep their order
 * (docs/format.md#redo-log). Not thread-safe. The arrays grow and are kept: cleared and filled
 * again, nothing is allocated.
 */
public final class RedoOperations {
    /** What happens to the word at the offset. */
    public enum Kind {
        /** The word becomes the value. */
        SET,
        /** The word is anded with the value. */
        AND,
        /** The word is ored with the value. */
        OR
    }

    private static final Kind[] KINDS = Kind.values();
    private static final int MERGE_WINDOW = 64;

    private long[] firstWords = new long[16];
    private long[] values = new long[16];
    private int size;

    /** Sets the word at {@code offset}, an 8-byte aligned image offset. */
    public void set(long offset, long value) {
        int same = findSameTarget(offset);
        if (same >= 0 && kind(same) == Kind.SET) {
            values[same] = value;
        } else {
            append(LogLayout.SET, offset, value);
        }
    }

    /** Ands {@code mask} into the word at {@code offset}, an 8-byte aligned image offset. */
    public void and(long offset, long mask) {
        int same = findSameTarget(offset);
        if (same >= 0 && kind(same) == Kind.AND) {
            values[same] &= mask;
        } else {
            append(LogLayout.AND, offset, mask);
        }
    }

    /** Ors {@code mask} into the word at {@code offset}, an 8-byte aligned image offset. */
    public void or(long offset, long mask) {
        int same = findSameTarget(offset);
        if (same >= 0 && kind(same) == Kind.OR) {
            values[same] |= mask;
        } else {
            append(LogLayout.OR, offset, mask);
        }
    }

    public void clear() {
        size = 0;
    }

    /** How many operations there are, after merging. */
    public int size() {
        return size;
    }

    public Kind kind(int index) {
        return KINDS[LogLayout.operation(firstWords[index])];
    }

    public long offset(int index) {
        return LogLayout.target(firstWords[index]);
    }

    public long value(int index) {
        return values[index];
    }

    /** The operation and offset as they stand in a log. */
    long firstWord(int index) {
        return firstWords[index];
    }

    private int findSameTarget(long offset) {
        int last = Math.max(0, size - MERGE_WINDOW);
        for (int i = size - 1; i >= last; i--) {
            if (LogLayout.target(firstWords[i]) == offset) {
                return i;
            }
        }
        return -1;
    }

    private void append(int operation, long offset, long value) {
        assert (offset & 7) == 0 && offset > 0 : offset;
        if (size == values.length) {
            firstWords = Arrays.copyOf(firstWords, 2 * size);
            values = Arrays.copyOf(values, 2 * size);
        }
        firstWords[size] = LogLayout.firstWord(operation, offset);
        values[size] = value;
        size++;
    }
}
