package io.farheap.heap;

import io.farheap.memory.PoolMemory;
import java.util.Arrays;

/**
 * Ordered 8-byte stores with barriers between groups of them: a group may be durable only when the
 * group before is. Between two stores of one group the order is free. Offsets are image offsets,
 * multiples of 8. Belongs to one thread; grows and is used again.
 */
public final class StoreList {
    private long[] offsets = new long[64];
    private long[] values = new long[64];
    private boolean[] lastOfGroup = new boolean[64];
    private int size;

    StoreList() {}

    void clear() {
        size = 0;
    }

    void add(long offset, long value) {
        if (size == offsets.length) {
            offsets = Arrays.copyOf(offsets, 2 * size);
            values = Arrays.copyOf(values, 2 * size);
            lastOfGroup = Arrays.copyOf(lastOfGroup, 2 * size);
        }
        offsets[size] = offset;
        values[size] = value;
        lastOfGroup[size] = false;
        size++;
    }

    /** Everything added so far is durable before anything added later is stored. */
    void barrier() {
        if (size > 0) {
            lastOfGroup[size - 1] = true;
        }
    }

    /** How many stores there are. */
    public int size() {
        return size;
    }

    /** Where store {@code i} goes. */
    public long offset(int i) {
        return offsets[i];
    }

    /** The word of store {@code i}. */
    public long value(int i) {
        return values[i];
    }

    /** Whether a barrier follows store {@code i}; there is always one after the last store. */
    boolean isLastOfGroup(int i) {
        return lastOfGroup[i] || i == size - 1;
    }

    /** Stores, flushes and, at each barrier and at the end, orders. */
    public void applyTo(PoolMemory memory) {
        int from = 0;
        for (int i = 0; i < size; i++) {
            memory.putLongRelease(offsets[i], values[i]);
            boolean last = isLastOfGroup(i);
            if (last || offsets[i + 1] != offsets[i] + Long.BYTES) {
                memory.flush(offsets[from], offsets[i] + Long.BYTES - offsets[from]);
                from = i + 1;
            }
            if (last) {
                memory.order();
            }
        }
    }
}
