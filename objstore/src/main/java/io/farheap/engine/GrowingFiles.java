package io.farheap.engine;

import io.farheap.heap.HeapGrowth;
import io.farheap.pool.PoolFiles;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Gives a full heap more part files, where the poolset file names directories for them. */
record GrowingFiles(PoolFiles files) implements HeapGrowth {
    private static final Logger LOG = LoggerFactory.getLogger(GrowingFiles.class);

    @Override
    public long mostBytes() {
        return files.mostBytes();
    }

    @Override
    public void grow(long bytes) {
        files.grow(bytes);
        LOG.info("{}: {} bytes longer", files.memory().name(), bytes);
    }
}
