package io.farheap.tools.sync;

import io.farheap.FarheapException;
import io.farheap.FarheapException.Category;
import io.farheap.pool.PoolInspection;
import io.farheap.pool.PoolRestoration;
import io.farheap.pool.PoolRestoration.Range;

import java.lang.foreign.MemorySegment;
import java.util.zip.CRC32C;

/** Lost local parts come back from a local replica. */
final class LocalCopy {
    private static final long PIECE = 1 << 20;

    private final PoolRestoration files;
    private final MemorySegment source;

    private LocalCopy(PoolRestoration files, int source) {
        this.files = files;
        this.source = files.image(source);
    }

    /**
     * @param source a healthy local replica
     */
    static void run(PoolInspection local, int source) {
        try (PoolRestoration files = PoolRestoration.begin(local, local.anyHeader())) {
            new LocalCopy(files, source).run();
        }
    }

    private void run() {
        long bytes = files.ranges().stream().mapToLong(Range::length).sum();
        try (CopyProgress progress = new CopyProgress(bytes)) {
            files.ranges().forEach(range -> copy(range, progress));
            progress.complete();
        }
        files.makeDurable();
        files.ranges().forEach(this::verify);
        files.complete();
    }

    private void copy(Range range, CopyProgress progress) {
        long end = range.offset() + range.length();
        for (long at = range.offset(); at < end; at += PIECE) {
            long length = Math.min(PIECE, end - at);
            files.copyIn(range.replica(), at, source.asSlice(at, length));
            progress.copied(length);
        }
    }

    private void verify(Range range) {
        long end = range.offset() + range.length();
        requireEqual(files.image(range.replica()), source, range.offset(), end);
    }

    /**
     * Compares two images by checksums.
     *
     * @throws FarheapException ENVIRONMENT where they differ
     */
    static void requireEqual(MemorySegment copy, MemorySegment original, long from, long end) {
        for (long at = from; at < end; at += PIECE) {
            long length = Math.min(PIECE, end - at);
            if (sum(copy.asSlice(at, length)) != sum(original.asSlice(at, length))) {
                throw new FarheapException(
                        Category.ENVIRONMENT,
                        "the copy differs from the original at image offset "
                                + at
                                + "; check the machine's memory and disks, then sync again");
            }
        }
    }

    private static long sum(MemorySegment piece) {
        CRC32C crc = new CRC32C();
        crc.update(piece.asByteBuffer());
        return crc.getValue();
    }
}
