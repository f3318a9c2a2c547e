package io.farheap.model;

import java.util.Arrays;

/** States that were found, each once, with the event and the state that led there first. */
final class StateStore {
    private static final int BLOCK_BITS = 14;
    private static final int BLOCK = 1 << BLOCK_BITS;

    private final int longs;
    private long[][] blocks = new long[16][];
    private int[][] origins = new int[16][];
    private int[] table = new int[1 << 16];
    private int count;

    StateStore(int longs) {
        this.longs = longs;
    }

    int size() {
        return count;
    }

    void read(int id, long[] state) {
        System.arraycopy(blocks[id >>> BLOCK_BITS], at(id), state, 0, longs);
    }

    private int at(int id) {
        return (id & BLOCK - 1) * longs;
    }

    /** The state from which this one was found. */
    int parent(int id) {
        return origins[id >>> BLOCK_BITS][2 * (id & BLOCK - 1)];
    }

    /** What was given with it. */
    int event(int id) {
        return origins[id >>> BLOCK_BITS][2 * (id & BLOCK - 1) + 1];
    }

    /** The number of a state, which is new or was found before. */
    int add(long[] state, int parent, int event) {
        if (2L * count >= table.length) {
            grow();
        }
        int place = place(state);
        if (table[place] != 0) {
            return table[place] - 1;
        }
        int id = count++;
        table[place] = id + 1;
        int block = id >>> BLOCK_BITS;
        if (block == blocks.length) {
            blocks = Arrays.copyOf(blocks, 2 * block);
            origins = Arrays.copyOf(origins, 2 * block);
        }
        if (blocks[block] == null) {
            blocks[block] = new long[BLOCK * longs];
            origins[block] = new int[2 * BLOCK];
        }
        System.arraycopy(state, 0, blocks[block], at(id), longs);
        origins[block][2 * (id & BLOCK - 1)] = parent;
        origins[block][2 * (id & BLOCK - 1) + 1] = event;
        return id;
    }

    /** Where in the table a state is, or would be. */
    private int place(long[] state) {
        int place = hash(state, 0);
        while (table[place] != 0 && !isAt(table[place] - 1, state)) {
            place = place + 1 & table.length - 1;
        }
        return place;
    }

    private boolean isAt(int id, long[] state) {
        long[] block = blocks[id >>> BLOCK_BITS];
        int at = at(id);
        for (int i = 0; i < longs; i++) {
            if (block[at + i] != state[i]) {
                return false;
            }
        }
        return true;
    }

    private int hash(long[] words, int at) {
        long h = 0x9E3779B97F4A7C15L;
        for (int i = 0; i < longs; i++) {
            h = (h ^ words[at + i]) * 0xC2B2AE3D27D4EB4FL;
            h ^= h >>> 31;
        }
        return (int) (h ^ h >>> 32) & table.length - 1;
    }

    private void grow() {
        table = new int[2 * table.length];
        for (int id = 0; id < count; id++) {
            int place = hash(blocks[id >>> BLOCK_BITS], at(id));
            while (table[place] != 0) {
                place = place + 1 & table.length - 1;
            }
            table[place] = id + 1;
        }
    }
}
