package io.farheap.objects.transaction;

import java.util.Arrays;

/**
 * Stripes, each once and with a number, in the order in which they were added. Garbage-free once
 * warm; not thread-safe.
 */
final class StripeSet {
    private static final int FIRST_CAPACITY = 64;

    /** Where a stripe is in the list, plus 1, by open addressing. */
    private int[] places = new int[2 * FIRST_CAPACITY];

    private int[] stripes = new int[FIRST_CAPACITY];
    private long[] numbers = new long[FIRST_CAPACITY];
    private int size;

    int size() {
        return size;
    }

    int stripe(int index) {
        return stripes[index];
    }

    /** What was given with the stripe when it was added. */
    long number(int index) {
        return numbers[index];
    }

    boolean contains(int stripe) {
        return size > 0 && places[find(stripe)] != 0;
    }

    /** After this the next {@link #add} asks for no memory. */
    void makeRoom() {
        if (size == stripes.length) {
            grow();
        }
    }

    void add(int stripe, long number) {
        int at = find(stripe);
        if (places[at] != 0) {
            return;
        }
        if (size == stripes.length) {
            grow();
            at = find(stripe);
        }
        stripes[size] = stripe;
        numbers[size] = number;
        size++;
        places[at] = size;
    }

    void clear() {
        if (size > stripes.length / 4) {
            Arrays.fill(places, 0);
        } else {
            // From the last on: no probe of a stripe that is still there crosses a gap.
            for (int i = size - 1; i >= 0; i--) {
                places[find(stripes[i])] = 0;
            }
        }
        size = 0;
    }

    /** The place of a stripe, or the free one where it belongs. */
    private int find(int stripe) {
        int mask = places.length - 1;
        int at = stripe & mask;
        while (places[at] != 0 && stripes[places[at] - 1] != stripe) {
            at = at + 1 & mask;
        }
        return at;
    }

    private void grow() {
        int[] morePlaces = new int[4 * size];
        int[] moreStripes = Arrays.copyOf(stripes, 2 * size);
        long[] moreNumbers = Arrays.copyOf(numbers, 2 * size);
        places = morePlaces;
        stripes = moreStripes;
        numbers = moreNumbers;
        for (int i = 0; i < size; i++) {
            places[find(stripes[i])] = i + 1;
        }
    }
}
