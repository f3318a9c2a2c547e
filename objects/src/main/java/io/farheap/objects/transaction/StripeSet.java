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

    /** Of each in the list, where {@link #places} tells of it. */
    private int[] used = new int[FIRST_CAPACITY];

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
        if (size > 0 && stripes[size - 1] == stripe) {
            return; // an object is read field by field
        }
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
        used[size] = at;
        size++;
        places[at] = size;
    }

    void clear() {
        for (int i = 0; i < size; i++) {
            places[used[i]] = 0;
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
        int[] moreUsed = new int[2 * size];
        long[] moreNumbers = Arrays.copyOf(numbers, 2 * size);
        places = morePlaces;
        stripes = moreStripes;
        used = moreUsed;
        numbers = moreNumbers;
        for (int i = 0; i < size; i++) {
            used[i] = find(stripes[i]);
            places[used[i]] = i + 1;
        }
    }
}
