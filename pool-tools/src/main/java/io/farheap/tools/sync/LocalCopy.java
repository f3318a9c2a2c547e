package io.farheap.tools.sync;

import io.farheap.base.FarheapException;
import io.farheap.pool.PartInspection;
import io.farheap.pool.PartInspection.Condition;
import io.farheap.pool.PoolInspection;
import io.farheap.pool.PoolRestoration;
import io.farheap.pool.PoolRestoration.Range;
import io.farheap.tools.command.LongWork;
import io.farheap.tools.verify.PacedImages;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/**
 * Lost local parts come back from a local replica: read, written and read back through the files,
 * because a mapping costs a fault for the pages that it shows, and as much again when it ends.
 */
final class LocalCopy {
    /**
     * With the file's pages and the copy it stays in half a MiB of a core's cache until it was
     * compared.
     */
    private static final long PIECE = 1 << 16;

    private final PoolRestoration files;
    private final List<Piece> pieces;
    private final LongWork work;

    private LocalCopy(PoolRestoration files, List<Piece> pieces, LongWork work) {
        this.files = files;
        this.pieces = pieces;
        this.work = work;
    }

    /**
     * @param source a healthy local replica
     */
    static void run(PoolInspection local, int source, LongWork work) {
        Piece whole = new Piece(source, 0, 0, local.poolSet().poolSize());
        try (PoolRestoration files = PoolRestoration.begin(local, local.anyHeader())) {
            new LocalCopy(files, List.of(whole), work).run();
        }
    }

    /**
     * The same from several local replicas, of which each has some healthy parts.
     *
     * @param image what they have together, which is looked at once more while nobody else can have
     *     a part
     */
    static void run(PoolInspection local, List<Piece> pieces, CombinedImage image, LongWork work) {
        Runnable look =
                () -> {
                    requireAsFound(local);
                    image.require();
                };
        try (PoolRestoration files = PoolRestoration.begin(local, local.anyHeader(), look)) {
            new LocalCopy(files, pieces, work).run();
        }
    }

    /** Numbers and shutdown states are what the plan rests on, and what was lost may be back. */
    private static void requireAsFound(PoolInspection local) {
        PoolInspection now = PoolInspection.passing(local.poolSet());
        for (List<PartInspection> parts : local.replicas()) {
            for (PartInspection part : parts) {
                PartInspection there = now.replicas().get(part.replica()).get(part.index());
                if (!isAsFound(part, there, local.damage(part.replica()) != null)) {
                    throw FarheapException.environment(
                            "%s is not what it was when the plan was made: somebody changed it"
                                    + " meanwhile; nothing was changed by this; sync again",
                            part.path());
                }
            }
        }
    }

    private static boolean isAsFound(PartInspection part, PartInspection there, boolean isDamaged) {
        if (part.isHealthy()) {
            return there.isHealthy()
                    && there.runId() == part.runId()
                    && (part.header() == null
                            || there.header().bytes().mismatch(part.header().bytes()) < 0);
        }
        if (part.condition() == Condition.MISSING) {
            return there.condition() == Condition.MISSING;
        }
        return isDamaged || part.header() == null || !there.isHealthy();
    }

    private void run() {
        long bytes = files.ranges().stream().mapToLong(Range::length).sum();
        try (CopyProgress progress = new CopyProgress(work, bytes)) {
            files.ranges().forEach(range -> copy(range, progress));
            progress.complete();
        }
        files.makeDurable();
        files.complete();
    }

    private void copy(Range range, CopyProgress progress) {
        AtomicLong next = new AtomicLong(range.offset());
        IntStream.range(0, Runtime.getRuntime().availableProcessors())
                .parallel()
                .forEach(worker -> copyPieces(range, next, progress));
    }

    private void copyPieces(Range range, AtomicLong next, CopyProgress progress) {
        long end = range.offset() + range.length();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment original = arena.allocate(PIECE);
            MemorySegment copy = arena.allocate(PIECE);
            for (long at = next.getAndAdd(PIECE); at < end; at = next.getAndAdd(PIECE)) {
                long length = Math.min(PIECE, end - at);
                work.pacer().take(length);
                copyPiece(
                        range.replica(), at, original.asSlice(0, length), copy.asSlice(0, length));
                progress.copied(length);
            }
        } finally {
            next.set(end); // where one fails, the others stop
        }
    }

    /** Each piece is compared while it is at hand. */
    private void copyPiece(int replica, long at, MemorySegment original, MemorySegment copy) {
        copyOutOriginal(at, original);
        files.copyIn(replica, at, original);
        files.copyOut(replica, at, copy);
        if (original.mismatch(copy) >= 0) {
            throw differs(at);
        }
    }

    private void copyOutOriginal(long at, MemorySegment buffer) {
        for (Piece piece : pieces) {
            Piece there = piece.within(at, at + buffer.byteSize());
            if (!there.isEmpty()) {
                files.copyOut(
                        there.replica(),
                        there.offset(),
                        buffer.asSlice(there.offset() - at, there.length()));
            }
        }
    }

    /**
     * Compares the first bytes of two images.
     *
     * @throws FarheapException ENVIRONMENT where they differ
     */
    static void requireEqual(
            MemorySegment copy, MemorySegment original, long bytes, LongWork work) {
        long differs = PacedImages.mismatch(copy, original, bytes, work);
        if (differs >= 0) {
            throw differs(differs);
        }
    }

    private static FarheapException differs(long offset) {
        return FarheapException.environment(
                "the copy differs from the original in the MiB from image offset %s;"
                        + " check the machine's memory and disks, then sync again",
                offset);
    }
}
