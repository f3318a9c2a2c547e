package io.farheap.agent.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.layout.Descriptor;
import io.farheap.memory.Persistence;
import io.farheap.memory.PoolMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import org.junit.jupiter.api.Test;

class ImageTransferTest {
    private static final int PIECE = 4096;
    private static final long MIB = 1 << 20;

    private final MemorySegment content = Arena.ofAuto().allocate(PIECE, 8).fill((byte) 7);
    private final FlushedPages medium = new FlushedPages();
    private final PoolMemory memory =
            new PoolMemory(Arena.ofAuto().allocate(100 * MIB, 4096), medium);
    private final ImageTransfer transfer = new ImageTransfer(memory);

    private static final class FlushedPages implements Persistence {
        private final BitSet flushed = new BitSet();
        private final BitSet durable = new BitSet();

        /** Whether it copies past the caches. */
        private boolean copies;

        @Override
        public void flush(long offset, long length) {
            flushed.set((int) (offset / PIECE), (int) ((offset + length + PIECE - 1) / PIECE));
        }

        @Override
        public boolean copyIn(long offset, MemorySegment source, long sourceOffset, long length) {
            if (copies) {
                flush(offset, length);
            }
            return copies;
        }

        @Override
        public void fence() {
            durable.or(flushed);
        }
    }

    @Test
    void aCopyThatIsSpreadWideLeavesLittleToFlushAtItsEnd() {
        long first = Descriptor.DEFAULT_HEAP_OFFSET / MIB + 1;
        int put = 0;
        for (long block = first; block < 100; block++) {
            transfer.storeCopy(block * MIB, content, 0, PIECE);
            put++;
            assertThat(put - medium.durable.stream().filter(this::isFirstOfBlock).count())
                    .as("MiB with something that is not durable, of %s", put)
                    .isLessThanOrEqualTo(16);
        }
        assertThat(transfer.isUnflushed()).isTrue();
        transfer.makeDurable();
        assertThat(medium.durable.stream().filter(this::isFirstOfBlock).count()).isEqualTo(put);
    }

    @Test
    void whatIsStoredPastTheCachesIsDurableAtOnceByTheThreadThatStoresIt() {
        medium.copies = true;
        transfer.storeCopy(50 * MIB, content, 0, PIECE);
        assertThat(transfer.isUnflushed()).isFalse();
        assertThat(medium.durable.stream()).containsExactly((int) (50 * MIB / PIECE));

        transfer.storeCopy(60 * MIB, content, 0, PIECE - 1); // short
        assertThat(transfer.isUnflushed()).isTrue();
    }

    private boolean isFirstOfBlock(int page) {
        return page % (MIB / PIECE) == 0;
    }
}
