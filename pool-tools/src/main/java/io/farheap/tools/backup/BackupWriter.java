package io.farheap.tools.backup;

import io.farheap.layout.PoolHeader;
import io.farheap.memory.NativeFile;
import io.farheap.tools.command.LongWork;
import io.farheap.tools.report.Progress;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.zip.Deflater;

/**
 * Writes one backup: of each piece that is not what the base has the content, packed by all cores
 * and written in order; then the index, and the end. For one thread.
 */
final class BackupWriter {
    private static final int BLOCK = PieceFrame.MOST_BYTES;
    private static final int MOST_INDEX_BYTES = 1024 * PieceIndex.ENTRY_BYTES;

    private final NativeFile file;
    private final BackupHeader header;
    private final PoolImage image;
    private final PieceHashes hashes;
    private final LongWork work;
    private final List<BitSet> changed = new ArrayList<>();
    private long position;
    private long pieces;

    /**
     * @param hashes of what the base has; those of the image afterwards
     * @param work how fast it goes
     */
    BackupWriter(
            NativeFile file,
            BackupHeader header,
            PoolImage image,
            PieceHashes hashes,
            LongWork work) {
        this.file = file;
        this.header = header;
        this.image = image;
        this.hashes = hashes;
        this.work = work;
    }

    /** What one core makes of a MiB of the image. */
    private record Packed(ByteBuffer frames, BitSet changed, byte[][] hashes) {}

    /** Writes all of it; durable once the file is synced. */
    void write() throws InterruptedException {
        MessageDigest seal = PieceHashes.digest();
        byte[] head = header.encode();
        seal.update(head);
        append(head, head.length);
        int workers = Math.min(8, Runtime.getRuntime().availableProcessors());
        ExecutorService packing =
                Executors.newFixedThreadPool(workers, Thread.ofPlatform().daemon().factory());
        try (Progress bar = work.begin("backing up", image.size())) {
            writePieces(packing, 2 * workers, bar);
            bar.complete();
        } finally {
            packing.shutdownNow();
        }
        long indexOffset = position;
        writeIndex(seal);
        long end = position + BackupTrailer.SIZE;
        byte[] trailer =
                new BackupTrailer(indexOffset, pieces, end, header.id(), seal.digest()).encode();
        append(trailer, trailer.length);
    }

    /** How many pieces were not what the base has. */
    long pieces() {
        return pieces;
    }

    long fileBytes() {
        return position;
    }

    private void writePieces(ExecutorService packing, int ahead, Progress bar)
            throws InterruptedException {
        Deque<Future<Packed>> underWay = new ArrayDeque<>();
        for (long block = 0; block * BLOCK < image.size(); block++) {
            long packed = block;
            work.pacer().take(Math.min(BLOCK, image.size() - block * BLOCK));
            underWay.add(packing.submit(() -> pack(packed)));
            if (underWay.size() == ahead) {
                write(underWay.remove(), bar);
            }
        }
        while (!underWay.isEmpty()) {
            write(underWay.remove(), bar);
        }
    }

    private void write(Future<Packed> done, Progress bar) throws InterruptedException {
        Packed packed;
        try {
            packed = done.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw new IllegalStateException(e.getCause());
        }
        long first = (long) changed.size() * PieceFrame.MOST_PIECES;
        changed.add(packed.changed);
        pieces += packed.changed.cardinality();
        packed.changed.stream().forEach(i -> hashes.put(first + i, packed.hashes[i]));
        append(packed.frames.array(), packed.frames.position());
        bar.advanced(BLOCK);
    }

    private Packed pack(long block) {
        long offset = block * BLOCK;
        int bytes = (int) Math.min(BLOCK, image.size() - offset);
        byte[] raw = new byte[BLOCK];
        image.read(offset, raw, bytes);
        if (block == 0) {
            // Each part's own, and made anew with it.
            Arrays.fill(raw, 0, (int) PoolHeader.SIZE, (byte) 0);
        }
        int count = (bytes + BackupHeader.PIECE - 1) / BackupHeader.PIECE;
        MessageDigest digest = PieceHashes.digest();
        BitSet differing = new BitSet();
        byte[][] hash = new byte[count][];
        long first = block * PieceFrame.MOST_PIECES;
        for (int i = 0; i < count; i++) {
            hash[i] = PieceHashes.of(digest, raw, i * BackupHeader.PIECE);
            differing.set(i, !hashes.is(first + i, hash[i]));
        }
        return new Packed(frames(first, raw, differing), differing, hash);
    }

    private static ByteBuffer frames(long first, byte[] raw, BitSet differing) {
        int room = differing.cardinality() * (BackupHeader.PIECE + PieceFrame.HEAD_BYTES);
        ByteBuffer frames = ByteBuffer.allocate(room).order(ByteOrder.LITTLE_ENDIAN);
        Deflater deflater = new Deflater(Deflater.BEST_SPEED, true);
        try {
            for (int from = differing.nextSetBit(0); from >= 0; ) {
                int end = differing.nextClearBit(from);
                int start = from * BackupHeader.PIECE;
                PieceFrame.pack(first + from, raw, start, end - from, deflater, frames);
                from = differing.nextSetBit(end);
            }
        } finally {
            deflater.end();
        }
        return frames;
    }

    private void writeIndex(MessageDigest seal) {
        ByteBuffer entries = ByteBuffer.allocate(MOST_INDEX_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (int block = 0; block < changed.size(); block++) {
            BitSet some = changed.get(block);
            long first = (long) block * PieceFrame.MOST_PIECES;
            for (int i = some.nextSetBit(0); i >= 0; i = some.nextSetBit(i + 1)) {
                PieceIndex.put(entries, first + i, hashes);
                if (!entries.hasRemaining()) {
                    flush(entries, seal);
                }
            }
        }
        flush(entries, seal);
    }

    private void flush(ByteBuffer entries, MessageDigest seal) {
        seal.update(entries.array(), 0, entries.position());
        append(entries.array(), entries.position());
        entries.clear();
    }

    private void append(byte[] bytes, int length) {
        if (length > 0) {
            file.write(MemorySegment.ofArray(bytes).asSlice(0, length), position);
            position += length;
        }
    }
}
