package io.farheap.it.workload;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/** What one thread must find in the pool: its slots, its list, how often it counted. */
final class CellModel {
    static final int SLOTS = 12;

    /** A byte that nobody has set. */
    static final int UNKNOWN = -1;

    /** The first word of each slot's object; 0: the slot is empty. */
    final long[] stamps = new long[SLOTS];

    /** Bytes asked for. */
    final int[] sizes = new int[SLOTS];

    /** Its last byte. */
    final int[] tails = new int[SLOTS];

    /** The stamps of the list's elements, first to last. */
    final Deque<Long> list = new ArrayDeque<>();

    long counted;

    /** In transactions without lambdas. */
    long countedByHand;

    boolean isFull(int slot) {
        return stamps[slot] != 0;
    }

    void put(int slot, long stamp, int size, int tail) {
        stamps[slot] = stamp;
        sizes[slot] = size;
        tails[slot] = tail;
    }

    void clear(int slot) {
        put(slot, 0, 0, 0);
    }

    /** Whether what was read is this. */
    boolean matches(CellModel read) {
        boolean tailsMatch = true;
        for (int slot = 0; slot < SLOTS; slot++) {
            tailsMatch &= tails[slot] == UNKNOWN || tails[slot] == read.tails[slot];
        }
        return tailsMatch
                && Arrays.equals(stamps, read.stamps)
                && List.copyOf(list).equals(List.copyOf(read.list))
                && counted == read.counted
                && countedByHand == read.countedByHand;
    }

    @Override
    public String toString() {
        return Arrays.toString(stamps)
                + Arrays.toString(tails)
                + list
                + " counted "
                + counted
                + " and "
                + countedByHand;
    }
}
