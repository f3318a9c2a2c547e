package io.farheap.engine;

import io.farheap.heap.HeapGrowth;
import io.farheap.pool.PoolFiles;

/** Gives a full heap more part files, where the poolset file names directories for them. */
record GrowingFiles(PoolFiles files) implements HeapGrowth {
    @Override
    public long mostBytes() {
        return files.mostBytes();
    }

    @Override
    public void grow(long bytes) {
        files.grow(bytes);
    }
}
