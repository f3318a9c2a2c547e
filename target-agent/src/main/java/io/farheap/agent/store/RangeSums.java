package io.farheap.agent.store;

import io.farheap.memory.PoolMemory;
import io.farheap.replication.journal.JournalMessages;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** CRC32C of ranges of an image, as they are in its files. For one thread at a time. */
final class RangeSums {
    /** What is read at a time: it stays in a core's own cache until it was summed. */
    private static final int READ = 1 << 16;

    private final PoolMemory image;
    private final MemorySegment piece = Arena.ofAuto().allocate(READ, Long.BYTES);
    private final ByteBuffer view = piece.asByteBuffer();

    RangeSums(PoolMemory image) {
        this.image = image;
    }

    private interface Sums {
        void take(long index, int crc);
    }

    /**
     * Writes the answer to SUM_IMAGE.
     *
     * @param offset with {@code length} inside of the image
     */
    int answer(MemorySegment answer, long offset, long length, long chunk) {
        sum(offset, length, chunk, (i, crc) -> JournalMessages.putSum(answer, i, crc));
        return JournalMessages.sums(answer, offset, length, chunk);
    }

    /** The sum of a range as a whole. */
    int of(long offset, long length) {
        int[] sum = new int[1]; // of no bytes it is 0
        sum(offset, length, Math.max(length, 1), (i, crc) -> sum[0] = crc);
        return sum[0];
    }

    private void sum(long offset, long length, long chunk, Sums sums) {
        CRC32C crc = new CRC32C();
        long summed = 0;
        for (long done = 0; done < length; done += READ) {
            int bytes = (int) Math.min(READ, length - done);
            image.copyOutOnce(offset + done, piece.asSlice(0, bytes));
            for (int at = 0; at < bytes; ) {
                int some = (int) Math.min(bytes - at, chunk - summed % chunk);
                crc.update(view.limit(at + some).position(at));
                at += some;
                summed += some;
                if (summed % chunk == 0 || summed == length) {
                    sums.take((summed - 1) / chunk, (int) crc.getValue());
                    crc.reset();
                }
            }
        }
    }
}
