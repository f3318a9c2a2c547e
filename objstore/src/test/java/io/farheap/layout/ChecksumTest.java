package io.farheap.layout;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ChecksumTest {

    @Test
    void zerosSumToZero() {
        assertThat(Checksum.of(segment(new byte[64]), 0, 64, 56, Checksum.NO_SKIP)).isZero();
    }

    @Test
    void anOpenShutdownStateHasTheChecksumThatLibpmemobjStores() {
        byte[] state = new byte[64];
        state[16] = 1;

        long checksum = Checksum.of(segment(state), 0, 64, 56, Checksum.NO_SKIP);

        assertThat(checksum).isEqualTo(0x0000000c00000001L);
    }

    @Test
    void theChecksumsOwnBytesCountAsZero() {
        byte[] data = random(1, 128);
        long checksum = Checksum.of(segment(data), 0, 128, 120, Checksum.NO_SKIP);

        ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN).putLong(120, checksum);

        assertThat(Checksum.of(segment(data), 0, 128, 120, Checksum.NO_SKIP)).isEqualTo(checksum);
    }

    @Test
    void bytesFromTheSkipOffsetOnCountAsZerosButMoveTheSums() {
        byte[] data = random(2, 4096);
        byte[] cleared = data.clone();
        java.util.Arrays.fill(cleared, 2048, 4096, (byte) 0);

        long skipping = Checksum.of(segment(data), 0, 4096, 4088, 2048);

        assertThat(skipping)
                .isEqualTo(Checksum.of(segment(cleared), 0, 4096, 4088, Checksum.NO_SKIP))
                .isNotEqualTo(Checksum.of(segment(data), 0, 2048, -1, Checksum.NO_SKIP));
    }

    @Test
    void aContinuedChecksumEqualsTheSumOverThePiecesSideBySide() {
        Random random = new Random(3);
        for (int round = 0; round < 200; round++) {
            byte[] data = random(round, 4 * (2 + random.nextInt(60)));
            int cut = 4 * random.nextInt(data.length / 4);
            MemorySegment segment = segment(data);

            long first = Checksum.of(segment, 0, cut, Checksum.NO_HOLE, Checksum.NO_SKIP);
            long continued = Checksum.continued(first, segment, cut, data.length - cut);

            assertThat(continued)
                    .as("seed %d, cut at %d", round, cut)
                    .isEqualTo(reference(data))
                    .isEqualTo(Checksum.continued(0, segment, 0, data.length));
        }
    }

    @Test
    void aBulkChecksumEqualsTheSumWordByWord() {
        BulkChecksum bulk = new BulkChecksum();
        Random random = new Random(5);
        for (int round = 0; round < 300; round++) {
            byte[] data = random(round, 4 * random.nextInt(round < 200 ? 40 : 9000));
            int cut = 4 * random.nextInt(data.length / 4 + 1);
            MemorySegment segment = segment(data);

            long first = bulk.continued(0, segment, 0, cut);
            long all = bulk.continued(first, segment, cut, data.length - cut);

            assertThat(all).as("seed %d, cut at %d", round, cut).isEqualTo(reference(data));
        }
    }

    @Test
    void aContinuedWordCountsAsItsEightBytes() {
        byte[] data = random(4, 8);
        long word = segment(data).get(ValueLayout.JAVA_LONG_UNALIGNED, 0);

        assertThat(Checksum.continued(7, word))
                .isEqualTo(Checksum.continued(7, segment(data), 0, 8));
    }

    /** The definition, with 64-bit arithmetic. */
    private static long reference(byte[] data) {
        ByteBuffer words = ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN);
        long lo = 0;
        long hi = 0;
        while (words.hasRemaining()) {
            lo = (lo + (words.getInt() & 0xFFFFFFFFL)) % (1L << 32);
            hi = (hi + lo) % (1L << 32);
        }
        return (hi << 32) + lo;
    }

    private static MemorySegment segment(byte[] bytes) {
        return MemorySegment.ofArray(bytes);
    }

    private static byte[] random(long seed, int length) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }
}
