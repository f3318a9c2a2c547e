package io.farheap.replication.session;

import io.farheap.replication.control.ByteRange;
import io.farheap.replication.journal.JournalMessages;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;

/** Checksums of a local image, comparable with those that an agent sends. */
public final class ImageSums {
    /** Bytes that one thread sums at a time. */
    private static final long TOGETHER = 1 << 20;

    private ImageSums() {}

    /**
     * CRC32C of each {@code chunk} bytes of {@code length} bytes at {@code from}; the last less.
     */
    public static int[] of(MemorySegment image, long from, long length, long chunk) {
        int[] sums = new int[Math.toIntExact(JournalMessages.sumCount(length, chunk))];
        int together = Math.clamp(TOGETHER / chunk, 1, Integer.MAX_VALUE);
        int groups = (int) JournalMessages.sumCount(sums.length, together);
        IntStream.range(0, groups)
                .parallel()
                .forEach(
                        group -> {
                            int first = group * together;
                            int end = Math.min(sums.length, first + together);
                            sum(image, from, length, chunk, sums, first, end);
                        });
        return sums;
    }

    private static void sum(
            MemorySegment image,
            long from,
            long length,
            long chunk,
            int[] sums,
            int first,
            int end) {
        CRC32C crc = new CRC32C();
        for (int i = first; i < end; i++) {
            long offset = i * chunk;
            crc.reset();
            crc.update(
                    image.asSlice(from + offset, Math.min(chunk, length - offset)).asByteBuffer());
            sums[i] = (int) crc.getValue();
        }
    }

    /** What of {@code length} bytes at {@code from} has other sums there: ascending, disjoint. */
    public static List<ByteRange> differing(
            int[] here, int[] there, long from, long length, long chunk) {
        List<ByteRange> differing = new ArrayList<>();
        int i = 0;
        while (i < here.length) {
            int first = i;
            while (i < here.length && here[i] != there[i]) {
                i++;
            }
            if (i > first) {
                long end = Math.min(i * chunk, length);
                differing.add(new ByteRange(from + first * chunk, end - first * chunk));
            }
            i++;
        }
        return differing;
    }
}
