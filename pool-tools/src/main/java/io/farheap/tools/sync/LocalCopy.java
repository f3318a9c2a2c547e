package io.farheap.tools.sync;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.pool.PoolInspection;
import io.farheap.pool.PoolRestoration;
import io.farheap.pool.PoolRestoration.Range;
import io.farheap.tools.verify.LocalBytes;
import java.lang.foreign.MemorySegment;
import java.util.stream.LongStream;

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
        files.complete();
    }

    /** Each piece is compared while it is at hand. */
    private void copy(Range range, CopyProgress progress) {
        long end = range.offset() + range.length();
        MemorySegment copy = files.image(range.replica());
        LongStream.range(0, (range.length() + PIECE - 1) / PIECE)
                .parallel()
                .forEach(
                        piece -> {
                            long at = range.offset() + piece * PIECE;
                            long length = Math.min(PIECE, end - at);
                            files.copyIn(range.replica(), at, source.asSlice(at, length));
                            requireEqual(copy, source, at, at + length);
                            progress.copied(length);
                        });
    }

    /**
     * Compares two images.
     *
     * @throws FarheapException ENVIRONMENT where they differ
     */
    static void requireEqual(MemorySegment copy, MemorySegment original, long from, long end) {
        long differs = LocalBytes.mismatch(copy, original, from, end);
        if (differs >= 0) {
            throw new FarheapException(
                    Category.ENVIRONMENT,
                    "the copy differs from the original in the MiB at image offset "
                            + differs
                            + "; check the machine's memory and disks, then sync again");
        }
    }
}
