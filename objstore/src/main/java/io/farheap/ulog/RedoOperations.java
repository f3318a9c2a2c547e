package io.farheap.ulog;

import io.farheap.layout.LogLayout;
import java.util.Arrays;

/**
 * The word operations of one redo log, collected in DRAM: each sets, ands or ors one 8-byte aligned
 * word of the image.
 *
 * <p>An operation on a word that is changed in the same way already is merged into that one;
 * operations of different kinds on one word keep their order (docs/format.md#redo-log; libpmemobj
 * looks at the last 64 only). Not thread-safe. The arrays grow and are kept: cleared and filled
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

    /** Up to so many operations are searched one by one, more through an index. */
    private static final int SEARCHED = 64;

    private long[] firstWords = new long[16];
    private long[] values = new long[16];
    private int size;

    /**
     * By the hash of a word's offset, open addressing: the last operation on it, plus 1; 0: none.
     * Of no meaning where there are no more operations than are searched.
     */
    private int[] index = {};

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

    /** Adds operations in their order. */
    public void addAll(RedoOperations others) {
        for (int i = 0; i < others.size; i++) {
            long offset = others.offset(i);
            switch (others.kind(i)) {
                case SET -> set(offset, others.values[i]);
                case AND -> and(offset, others.values[i]);
                case OR -> or(offset, others.values[i]);
            }
        }
    }

    /** Whether one of them changes the word at {@code offset}. */
    public boolean changes(long offset) {
        return size > 0 && findSameTarget(offset) >= 0;
    }

    /** Whether one of them changes a word in a range; looks at each. */
    public boolean changesWithin(long start, long end) {
        for (int i = 0; i < size; i++) {
            if (offset(i) >= start && offset(i) < end) {
                return true;
            }
        }
        return false;
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
        if (size > SEARCHED) {
            return index[slot(offset)] - 1;
        }
        for (int i = size - 1; i >= 0; i--) {
            if (LogLayout.target(firstWords[i]) == offset) {
                return i;
            }
        }
        return -1;
    }

    /** Where the index has the word, or would have it. */
    private int slot(long offset) {
        long mixed = (offset >>> 3) * 0x9E37_79B9_7F4A_7C15L;
        int slot = (int) (mixed >>> 32) & (index.length - 1);
        while (index[slot] != 0 && LogLayout.target(firstWords[index[slot] - 1]) != offset) {
            slot = (slot + 1) & (index.length - 1);
        }
        return slot;
    }

    private void append(int operation, long offset, long value) {
        assert (offset & 7) == 0 && offset > 0 : offset;
        if (size == values.length) {
            long[] moreFirstWords = Arrays.copyOf(firstWords, 2 * size);
            values = Arrays.copyOf(values, 2 * size);
            firstWords = moreFirstWords;
        }
        if (size >= SEARCHED) {
            makeIndex();
        }
        firstWords[size] = LogLayout.firstWord(operation, offset);
        values[size] = value;
        size++;
        if (size > SEARCHED) {
            index[slot(offset)] = size;
        }
    }

    /** Makes the index hold what is there, with room for one more. */
    private void makeIndex() {
        boolean tooSmall = index.length < 2 * values.length;
        if (tooSmall) {
            index = new int[4 * values.length];
        } else if (size == SEARCHED) {
            Arrays.fill(index, 0);
        }
        if (tooSmall || size == SEARCHED) {
            for (int i = 0; i < size; i++) {
                index[slot(offset(i))] = i + 1;
            }
        }
    }
}
