package io.farheap.ulog;

import io.farheap.memory.PoolMemory;

/** The lanes of one pool: where they lie, as the pool's descriptor says. */
public final class LaneArea {

    /** The lanes of a pool whose descriptor is valid. */
    public LaneArea(PoolMemory memory) {
        throw new UnsupportedOperationException(memory.toString());
    }

    /**
     * Writes the lanes of a new pool, all logs empty; durable when it returns (spec: pool layout,
     * 4, step 5).
     */
    public static void format(PoolMemory memory) {
        throw new UnsupportedOperationException(memory.toString());
    }

    /** How many lanes there are. */
    public int count() {
        throw new UnsupportedOperationException();
    }

    /**
     * A lane for use, after recovery.
     *
     * @param index from 0
     * @param space where its logs get extensions from
     */
    public Lane lane(int index, LogSpace space) {
        throw new UnsupportedOperationException(index + " " + space);
    }
}
