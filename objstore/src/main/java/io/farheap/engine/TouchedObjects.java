package io.farheap.engine;

/**
 * What a transaction knows of each object it touched: how it was used, its usable size, and, when
 * fresh, its reservation. An open-addressing table keyed by object offset; garbage-free once warm.
 */
final class TouchedObjects {
    /** Looked at, not changed yet. */
    static final byte UNUSED = 0;

    /** New values wait in the write set. */
    static final byte BUFFERED = 1;

    /** Stored to in place, after a snapshot. */
    static final byte IN_PLACE = 2;

    /** Allocated by this transaction: stored to directly, nothing to undo. */
    static final byte FRESH = 3;

    /** Freed by this transaction. */
    static final byte FREED = 4;

    private static final int FIRST_CAPACITY = 16;

    private long[] objects = new long[FIRST_CAPACITY];
    private long[] sizes = new long[FIRST_CAPACITY];
    private int[] indexes = new int[FIRST_CAPACITY];
    private byte[] states = new byte[FIRST_CAPACITY];
    private int[] used = new int[FIRST_CAPACITY];
    private int count;

    /** The slot of {@code object}, or -1. */
    int find(long object) {
        if (count == 0) {
            return -1;
        }
        int mask = objects.length - 1;
        int slot = hash(object) & mask;
        while (objects[slot] != object) {
            if (objects[slot] == 0) {
                return -1;
            }
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    /** Adds an object that is not in the table; returns its slot, good until the next add. */
    int add(long object, long usableSize, byte state) {
        if (2 * (count + 1) > objects.length) {
            grow();
        }
        int slot = insert(object);
        sizes[slot] = usableSize;
        states[slot] = state;
        return slot;
    }

    byte state(int slot) {
        return states[slot];
    }

    long size(int slot) {
        return sizes[slot];
    }

    /** The number the owner gave to it by {@link #set}. */
    int index(int slot) {
        return indexes[slot];
    }

    void set(int slot, long usableSize, byte state, int index) {
        sizes[slot] = usableSize;
        states[slot] = state;
        indexes[slot] = index;
    }

    void clear() {
        for (int i = 0; i < count; i++) {
            objects[used[i]] = 0;
        }
        count = 0;
    }

    private int insert(long object) {
        int mask = objects.length - 1;
        int slot = hash(object) & mask;
        while (objects[slot] != 0) {
            slot = (slot + 1) & mask;
        }
        objects[slot] = object;
        used[count++] = slot;
        return slot;
    }

    private void grow() {
        long[] oldObjects = objects;
        long[] oldSizes = sizes;
        int[] oldIndexes = indexes;
        byte[] oldStates = states;
        int[] oldUsed = used;
        int oldCount = count;
        int capacity = 2 * oldObjects.length;
        long[] newObjects = new long[capacity];
        long[] newSizes = new long[capacity];
        int[] newIndexes = new int[capacity];
        byte[] newStates = new byte[capacity];
        int[] newUsed = new int[capacity];
        // All or nothing: memory may run out on the way.
        objects = newObjects;
        sizes = newSizes;
        indexes = newIndexes;
        states = newStates;
        used = newUsed;
        count = 0;
        for (int i = 0; i < oldCount; i++) {
            int old = oldUsed[i];
            int slot = insert(oldObjects[old]);
            sizes[slot] = oldSizes[old];
            indexes[slot] = oldIndexes[old];
            states[slot] = oldStates[old];
        }
    }

    private static int hash(long object) {
        long mixed = object * 0x9E3779B97F4A7C15L;
        return (int) (mixed >>> 32);
    }
}
