package io.farheap.objects.type;

import java.util.Arrays;

/** Offsets in a row, without boxes. Not thread-safe. */
final class Offsets {
    private long[] offsets = new long[1 << 10];
    private int size;

    int size() {
        return size;
    }

    boolean isEmpty() {
        return size == 0;
    }

    long get(int index) {
        return offsets[index];
    }

    void add(long offset) {
        if (size == offsets.length) {
            offsets = Arrays.copyOf(offsets, size * 2);
        }
        offsets[size++] = offset;
    }

    long removeLast() {
        return offsets[--size];
    }
}
