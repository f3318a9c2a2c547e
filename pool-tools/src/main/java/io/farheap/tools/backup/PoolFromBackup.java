package io.farheap.tools.backup;

import io.farheap.base.FarheapException;
import io.farheap.layout.Descriptor;
import io.farheap.layout.PoolHeader;
import io.farheap.memory.PoolMemory;
import io.farheap.pool.PartInspection;
import io.farheap.pool.PoolInspection;
import io.farheap.pool.PoolRestoration;
import io.farheap.poolset.PoolSet;
import io.farheap.replication.session.RunNumbers;
import io.farheap.tools.command.LongWork;
import io.farheap.tools.report.Progress;
import io.farheap.tools.verify.PacedImages;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;

/**
 * A pool's part files made from a backup, beside their places until they are complete and were read
 * back. The pool gets a number that nobody has or had: no replica, and no dirty map, takes it for
 * the pool that it knew.
 */
final class PoolFromBackup {
    private final PoolInspection local;
    private final PoolSet set;
    private final BackupChain chain;
    private final BackupHeader header;
    private final LongWork work;
    private volatile PoolRestoration made;

    /**
     * @param local what is in the places of the parts
     * @param work how fast it goes
     */
    PoolFromBackup(PoolInspection local, BackupChain chain, LongWork work) {
        this.work = work;
        this.local = local;
        this.set = local.poolSet();
        this.chain = chain;
        this.header = chain.newest().header();
    }

    /**
     * Makes them.
     *
     * @return the pool's number
     * @throws FarheapException when a file can't be made or the backup is damaged: nothing was
     *     changed then, unless {@link #isReplacing}
     */
    long run() {
        requireRoom();
        try (PoolRestoration files = PoolRestoration.beginAnew(local, header.ofPool())) {
            made = files;
            PoolMemory image = files.newImage(0);
            PieceHashes hashes = chain.hashes(header.imageBytes());
            fill(image);
            requireEqual(files, hashes);
            Descriptor descriptor = new Descriptor(image);
            descriptor.validate(chain.newest().path().toString(), null);
            long runId = RunNumbers.fresh(largestNumber(), new SecureRandom());
            descriptor.switchRunId(runId);
            int replicas = local.replicas().size();
            for (int r = 1; r < replicas; r++) {
                PacedImages.copy(image.image(), files.newImage(r).image(), image.size(), work);
            }
            files.makeDurable();
            for (int r = 1; r < replicas; r++) {
                if (PacedImages.mismatch(files.image(r), image.image(), image.size(), work) >= 0) {
                    throw differs();
                }
            }
            files.complete();
            return runId;
        }
    }

    /** The places of parts that new ones are in by now; for any thread. */
    List<Path> inPlace() {
        PoolRestoration files = made;
        return files == null ? List.of() : files.inPlace();
    }

    /** Whether old parts may be gone, and new ones stay wherever they are. */
    boolean isReplacing() {
        PoolRestoration files = made;
        return files != null && files.isReplacing();
    }

    private void requireRoom() {
        if (set.poolSize() < header.imageBytes()) {
            throw FarheapException.wrongUse(
                    "the pool has %s bytes, and the parts of a replica have %s: make them larger in"
                            + " the poolset file",
                    header.imageBytes(), set.poolSize());
        }
    }

    private void fill(PoolMemory image) {
        long bytes =
                chain.files().stream().mapToLong(BackupFile::pieces).sum() * BackupHeader.PIECE;
        try (Progress bar = work.begin("restoring", bytes)) {
            chain.each(
                    (piece, content, from) -> {
                        work.pacer().take(BackupHeader.PIECE);
                        put(image, piece * BackupHeader.PIECE, content, from);
                        bar.advanced(BackupHeader.PIECE);
                    });
            bar.complete();
        }
    }

    /** All but the first page, which is the part's own. */
    private void put(PoolMemory image, long offset, byte[] content, int from) {
        long begin = Math.max(offset, PoolHeader.SIZE);
        long end = Math.min(offset + BackupHeader.PIECE, header.imageBytes());
        MemorySegment bytes = MemorySegment.ofArray(content);
        image.copyIn(begin, bytes, from + begin - offset, end - begin);
    }

    /** Reads back what was written. */
    private void requireEqual(PoolRestoration files, PieceHashes hashes) {
        MessageDigest digest = PieceHashes.digest();
        byte[] content = new byte[BackupHeader.PIECE];
        MemorySegment image = files.image(0);
        try (Progress bar = work.begin("comparing", header.imageBytes())) {
            for (long piece = 0; piece < BackupHeader.pieces(header.imageBytes()); piece++) {
                int length = read(image, piece, content);
                work.pacer().take(length);
                if (!hashes.is(piece, PieceHashes.of(digest, content, 0))) {
                    throw differs();
                }
                bar.advanced(length);
            }
            bar.complete();
        }
    }

    private int read(MemorySegment image, long piece, byte[] content) {
        long offset = piece * BackupHeader.PIECE;
        int length = (int) Math.min(content.length, header.imageBytes() - offset);
        int skipped = piece == 0 ? (int) PoolHeader.SIZE : 0;
        Arrays.fill(content, (byte) 0);
        MemorySegment.copy(
                image, ValueLayout.JAVA_BYTE, offset + skipped, content, skipped, length - skipped);
        return length;
    }

    private static FarheapException differs() {
        return FarheapException.environment(
                "what was read back is not what was written: nothing was changed; check the"
                        + " machine's memory and disks, then restore again");
    }

    /**
     * Of the backups beside it, too: one goes on from an older one, and what is backed up from then
     * on must count as newer than what is given up.
     */
    private long largestNumber() {
        LongStream backups =
                StoredBackups.in(chain.newest().path().getParent()).complete().stream()
                        .map(StoredBackups.Stored::header)
                        .filter(other -> BackupChain.isOfOnePool(other, header))
                        .mapToLong(BackupHeader::runId);
        LongStream parts =
                local.replicas().stream().flatMap(List::stream).mapToLong(PartInspection::runId);
        return LongStream.concat(parts, backups)
                .filter(number -> RunNumbers.isNear(number, header.runId()))
                .reduce(header.runId(), Math::max);
    }
}
