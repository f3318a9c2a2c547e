package io.farheap.heap;

import java.util.Arrays;

/**
 * The free chunks of all zones, by size: stretches of neighbouring chunks that are free and not
 * reserved, each as long as it can be (on the medium one may consist of several FREE blocks).
 * Guarded by the heap's lock. Allocates only to grow.
 */
final class FreeChunks {
    /** No stretch. */
    static final long NONE = -1;

    private static final int SIZE_SHIFT = 40;
    private static final int ZONE_SHIFT = 16;

    /** Sorted: size, then zone, then first chunk; so the first that fits is the best. */
    private long[] keys = new long[16];

    private int count;
    private long total;

    /** A stretch as one number; fields by {@link #zone}, {@link #chunk} and {@link #chunks}. */
    static long key(int zone, int chunk, int chunks) {
        return (long) chunks << SIZE_SHIFT | (long) zone << ZONE_SHIFT | chunk;
    }

    static int zone(long key) {
        return (int) (key >>> ZONE_SHIFT & 0xFFFFFF);
    }

    static int chunk(long key) {
        return (int) (key & 0xFFFF);
    }

    static int chunks(long key) {
        return (int) (key >>> SIZE_SHIFT);
    }

    /** Adds chunks, merged with what is free on both sides of them. */
    void add(HeapZone zone, int chunk, int chunks) {
        int start = chunk;
        int end = chunk + chunks;
        int before = start > 0 ? zone.freeBorder[start - 1] : 0;
        if (before > 0) {
            start -= before;
            remove(zone, start, before);
        }
        int after = end < zone.chunks() ? zone.freeBorder[end] : 0;
        if (after > 0) {
            remove(zone, end, after);
            end += after;
        }
        mark(zone, start, end - start, end - start);
        insert(key(zone.index, start, end - start));
    }

    /** Takes the smallest, lowest stretch of at least {@code chunks} out, or gives NONE. */
    long takeBestFit(HeapZone[] zones, int chunks) {
        int at = position(key(0, 0, chunks));
        if (at == count) {
            return NONE;
        }
        long key = keys[at];
        removeAt(at);
        mark(zones[zone(key)], chunk(key), chunks(key), 0);
        return key;
    }

    /** All stretches there are now, by size. */
    long[] copy() {
        return Arrays.copyOf(keys, count);
    }

    /** How many chunks the longest stretch has. */
    int largest() {
        return count == 0 ? 0 : chunks(keys[count - 1]);
    }

    /** How many chunks are free in all. */
    long total() {
        return total;
    }

    private void remove(HeapZone zone, int chunk, int chunks) {
        int at = position(key(zone.index, chunk, chunks));
        assert at < count && keys[at] == key(zone.index, chunk, chunks) : "free chunks disagree";
        removeAt(at);
        mark(zone, chunk, chunks, 0);
    }

    private static void mark(HeapZone zone, int chunk, int chunks, int value) {
        zone.freeBorder[chunk] = value;
        zone.freeBorder[chunk + chunks - 1] = value;
    }

    /** Index of the first key that is not less. */
    private int position(long key) {
        int found = Arrays.binarySearch(keys, 0, count, key);
        return found >= 0 ? found : -found - 1;
    }

    private void insert(long key) {
        if (count == keys.length) {
            keys = Arrays.copyOf(keys, 2 * count);
        }
        int at = position(key);
        System.arraycopy(keys, at, keys, at + 1, count - at);
        keys[at] = key;
        count++;
        total += chunks(key);
    }

    private void removeAt(int at) {
        total -= chunks(keys[at]);
        count--;
        System.arraycopy(keys, at + 1, keys, at, count - at);
    }
}
