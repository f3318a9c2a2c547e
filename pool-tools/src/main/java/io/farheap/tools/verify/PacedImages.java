package io.farheap.tools.verify;

import io.farheap.tools.command.LongWork;
import io.farheap.tools.report.Progress;
import java.lang.foreign.MemorySegment;
import java.util.stream.LongStream;

/** Passes over two images that are mapped here, as fast as the user allows, and told of. */
public final class PacedImages {
    private static final long PIECE = 1 << 20;

    private PacedImages() {}

    /** Copies the first bytes of an image. */
    public static void copy(MemorySegment original, MemorySegment copy, long bytes, LongWork work) {
        try (Progress bar = work.begin("copying", bytes)) {
            for (long at = 0; at < bytes; at += PIECE) {
                long length = Math.min(PIECE, bytes - at);
                work.pacer().take(length);
                MemorySegment.copy(original, at, copy, at, length);
                bar.advanced(length);
            }
            bar.complete();
        }
    }

    /**
     * The start of the first piece that differs in the first bytes of two images; -1: none does.
     */
    public static long mismatch(MemorySegment a, MemorySegment b, long bytes, LongWork work) {
        try (Progress bar = work.begin("comparing", bytes)) {
            long differs =
                    LongStream.range(0, (bytes + PIECE - 1) / PIECE)
                            .map(piece -> piece * PIECE)
                            .parallel()
                            .filter(at -> differs(a, b, at, Math.min(PIECE, bytes - at), work, bar))
                            .min()
                            .orElse(-1);
            bar.complete();
            return differs;
        }
    }

    private static boolean differs(
            MemorySegment a, MemorySegment b, long at, long length, LongWork work, Progress bar) {
        work.pacer().take(length);
        bar.advanced(length);
        return MemorySegment.mismatch(a, at, at + length, b, at, at + length) >= 0;
    }
}
