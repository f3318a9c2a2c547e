package io.farheap.ulog;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.layout.Checksum;
import io.farheap.layout.LogLayout;
import io.farheap.memory.PoolMemory;

/**
 * Walks the undo logs as libpmemobj's recovery does: it believes an entry's operation, and reads as
 * many bytes as its size says, before it compares the checksum. Fails where that would lead it
 * astray.
 */
final class TrustingReader {
    private final PoolMemory memory;
    private final LaneArea lanes;

    TrustingReader(PoolMemory memory) {
        this.memory = memory;
        this.lanes = new LaneArea(memory);
    }

    void walk() {
        for (int lane = 0; lane < lanes.count(); lane++) {
            LogChain chain = Lane.undoChain(lanes, lane, null, null);
            long genNum = memory.getLong(chain.header(0) + LogLayout.GEN_NUM);
            int log = 0;
            while (log < chain.logs()
                    && isValidToTheEnd(chain.data(log), chain.capacity(log), genNum)) {
                log++;
            }
        }
    }

    private boolean isValidToTheEnd(long data, long capacity, long genNum) {
        long position = 0;
        while (position < capacity) {
            long entry = data + position;
            long firstWord = memory.getLong(entry);
            if (firstWord == 0) {
                return false;
            }
            assertThat(LogLayout.operation(firstWord))
                    .as("operation of what looks like an entry at %d", entry)
                    .isEqualTo(LogLayout.BUFFER_COPY);
            long size = memory.getLong(entry + LogLayout.BUFFER_SIZE);
            assertThat(size)
                    .as("size of what looks like an entry at %d", entry)
                    .isBetween(0L, capacity - position - LogLayout.BUFFER_DATA);
            long bytes = LogLayout.up64(LogLayout.BUFFER_DATA + size);
            long sum =
                    Checksum.of(
                            memory.image(),
                            entry,
                            bytes,
                            LogLayout.BUFFER_CHECKSUM,
                            Checksum.NO_SKIP);
            long stored = memory.getLong(entry + LogLayout.BUFFER_CHECKSUM);
            if (stored != Checksum.continued(sum, genNum)) {
                return false;
            }
            position += bytes;
        }
        return true;
    }
}
