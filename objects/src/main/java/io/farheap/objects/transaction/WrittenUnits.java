package io.farheap.objects.transaction;

import java.util.Arrays;

/**
 * The units that a transaction changes, each with the range of the image in which it does: what is
 * between two changes of one unit counts, too. Garbage-free once warm; not thread-safe.
 */
final class WrittenUnits {
    private static final int FIRST_CAPACITY = 16;
    private static final long GOLDEN_RATIO = 0x9E37_79B9_7F4A_7C15L;

    /** Where a unit is in the list, plus 1, by open addressing. */
    private int[] places = new int[2 * FIRST_CAPACITY];

    private long[] units = new long[FIRST_CAPACITY];
    private long[] starts = new long[FIRST_CAPACITY];
    private long[] ends = new long[FIRST_CAPACITY];
    private int size;

    int size() {
        return size;
    }

    long unit(int index) {
        return units[index];
    }

    long start(int index) {
        return starts[index];
    }

    long end(int index) {
        return ends[index];
    }

    boolean contains(long unit) {
        return size > 0 && places[find(unit)] != 0;
    }

    /** Bytes of the range that begins with its unit; 0 when the unit is not here. */
    long sizeOf(long unit) {
        int place = size == 0 ? 0 : places[find(unit)];
        return place == 0 ? 0 : ends[place - 1] - unit;
    }

    /** Notes a change; says whether it is the first of its unit. */
    boolean add(long unit, long start, long end) {
        int at = find(unit);
        if (places[at] != 0) {
            int known = places[at] - 1;
            starts[known] = Math.min(starts[known], start);
            ends[known] = Math.max(ends[known], end);
            return false;
        }
        if (size == units.length) {
            grow();
            at = find(unit);
        }
        units[size] = unit;
        starts[size] = start;
        ends[size] = end;
        size++;
        places[at] = size;
        return true;
    }

    void clear() {
        if (size > units.length / 4) {
            Arrays.fill(places, 0);
        } else {
            // From the last on: no probe of a unit that is still there crosses a gap.
            for (int i = size - 1; i >= 0; i--) {
                places[find(units[i])] = 0;
            }
        }
        size = 0;
    }

    /** The place of a unit, or the free one where it belongs. */
    private int find(long unit) {
        int mask = places.length - 1;
        int at = (int) (unit * GOLDEN_RATIO >>> 32) & mask;
        while (places[at] != 0 && units[places[at] - 1] != unit) {
            at = at + 1 & mask;
        }
        return at;
    }

    private void grow() {
        int[] morePlaces = new int[4 * size];
        long[] moreUnits = Arrays.copyOf(units, 2 * size);
        long[] moreStarts = Arrays.copyOf(starts, 2 * size);
        long[] moreEnds = Arrays.copyOf(ends, 2 * size);
        places = morePlaces;
        units = moreUnits;
        starts = moreStarts;
        ends = moreEnds;
        for (int i = 0; i < size; i++) {
            places[find(units[i])] = i + 1;
        }
    }
}
