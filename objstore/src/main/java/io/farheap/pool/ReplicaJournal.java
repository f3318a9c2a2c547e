package io.farheap.pool;

import io.farheap.base.DiskJournalFacts;
import io.farheap.base.FarheapException;
import io.farheap.base.JournalSettings;
import io.farheap.layout.PoolHeader;
import io.farheap.memory.DiskFile;
import io.farheap.memory.DiskJournalFile;
import io.farheap.memory.JournalDisk;
import io.farheap.memory.JournalGeometry;
import io.farheap.memory.NativeFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Optional;

/**
 * The disk journal of one local replica as a file beside its first part: locked while it is open
 * (docs/disk-journal.md#files). One that is missing or of no use is made.
 */
final class ReplicaJournal implements AutoCloseable {
    private static final int PIECE = 1 << 20;
    private static final int BLOCK = 4096;
    private static final int UUID_BYTES = 16;

    private final Path path;
    private final Path part;
    private final byte[] owner;
    private final long imageBytes;
    private final long mostBytes;
    private JournalDisk disk;

    /** Null where there is none as yet. */
    private DiskJournalFile file;

    /** Whether it was made here, and no file had its name before. */
    private boolean isNew;

    private ReplicaJournal(ReplicaFiles replica, long imageBytes, long marked) {
        this.part = replica.path(0);
        this.owner = owner(replica.headers().get(0));
        this.path = DiskJournalPath.of(part, marked, owner);
        this.imageBytes = imageBytes;
        this.mostBytes = replica.mostBytes();
    }

    /**
     * Opens and locks the file, if there is one.
     *
     * @param marked the id of the one where the pool's newest commits may be; 0: there are none
     * @throws FarheapException BAD_DATA where it is another pool's, or needed and not whole;
     *     WRONG_USE where something else has its name
     */
    static ReplicaJournal find(ReplicaFiles replica, long imageBytes, long marked) {
        ReplicaJournal journal = new ReplicaJournal(replica, imageBytes, marked);
        try {
            journal.find(marked != 0);
            return journal;
        } catch (Throwable e) {
            journal.closeAfter(e);
            throw e;
        }
    }

    private void find(boolean needed) {
        disk = locked(path, needed);
        if (disk == null) {
            return;
        }
        Optional<DiskJournalFile> found = DiskJournalFile.open(path, disk);
        if (!needed && found.isPresent() && isAnothersAndOfNoUse(found.get())) {
            return; // this part's own one takes its place
        }
        requireUsable(found, needed);
        // A crash may have come before it knew of a part that growth had made.
        boolean fits =
                found.get().imageBytes() <= imageBytes
                        && disk.file().size() == found.get().fileBytes();
        if (needed && !fits) {
            throw FarheapException.badData(
                    "%s was not closed, and %s, where its newest commits are, is of another"
                            + " size than it was: put the whole file back; nothing was changed",
                    part, path);
        }
        file = fits ? found.get() : null;
    }

    /** The open file; null where there is none. */
    private static JournalDisk locked(Path path, boolean needed) {
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return null;
        }
        boolean regular = Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS);
        if (!regular && needed) {
            throw FarheapException.badData(
                    "%s, where the newest commits of the pool beside it are, is no regular file:"
                            + " put the right file back; nothing was changed",
                    path);
        }
        if (!regular) {
            throw FarheapException.wrongUse(
                    "%s is where the pool's disk journal goes, and is no regular file: move it"
                            + " away",
                    path);
        }
        NativeFile file = NativeFile.open(path);
        try {
            file.lock();
            return JournalDisk.of(file);
        } catch (Throwable e) {
            file.close();
            throw e;
        }
    }

    /** Whether it was made for another part, whose pool was closed, wherever that is by now. */
    private boolean isAnothersAndOfNoUse(DiskJournalFile found) {
        return !Arrays.equals(found.owner(), owner)
                && found.isReleased()
                && disk.file().size() == found.fileBytes();
    }

    private void requireUsable(Optional<DiskJournalFile> found, boolean needed) {
        if (found.isEmpty() && needed) {
            throw FarheapException.badData(
                    "%s, where the newest commits of the pool beside it are, is damaged or no disk"
                            + " journal: put the right file back; nothing was changed",
                    path);
        }
        if (found.isEmpty()) {
            throw FarheapException.wrongUse(
                    "%s is where the pool's disk journal goes, and is damaged or none: the pool"
                            + " was closed and does not need it; move it away",
                    path);
        }
        if (!Arrays.equals(found.get().owner(), owner)) {
            throw FarheapException.badData(
                    "%s is the disk journal of another pool, or of another part: %s; nothing was"
                            + " changed",
                    path, needed ? "put this pool's own one back" : "move it away");
        }
    }

    /** How a journal names the part that it lies beside. */
    static byte[] owner(PoolHeader header) {
        byte[] owner = new byte[2 * UUID_BYTES];
        header.poolsetUuid().writeTo(MemorySegment.ofArray(owner), 0);
        header.uuid().writeTo(MemorySegment.ofArray(owner), UUID_BYTES);
        return owner;
    }

    /**
     * How much of the image of a marked pool may have been used, as the journal beside its first
     * part knows; 0 where that can't be read.
     */
    static long usedBytes(Path firstPart) {
        return new SideFiles(firstPart)
                .diskJournals().stream().mapToLong(ReplicaJournal::imageBytes).max().orElseThrow();
    }

    private static long imageBytes(Path beside) {
        if (!Files.isRegularFile(beside)) {
            return 0;
        }
        try (NativeFile file = NativeFile.openReadOnly(beside)) {
            return DiskJournalFile.open(beside, new ReadOnly(file))
                    .map(DiskJournalFile::imageBytes)
                    .orElse(0L);
        }
    }

    /** A file that is only read. */
    record ReadOnly(NativeFile file) implements DiskFile {
        @Override
        public long read(MemorySegment buffer, long at, long length, long offset) {
            return file.read(buffer.asSlice(at, length), offset);
        }

        @Override
        public void write(MemorySegment buffer, long at, long length, long offset) {
            throw new UnsupportedOperationException("to look at");
        }

        @Override
        public void sync() {
            throw new UnsupportedOperationException("to look at");
        }
    }

    Path path() {
        return path;
    }

    /** Whether there is one that fits the pool. */
    boolean isThere() {
        return file != null;
    }

    /** The journal, which {@link #isThere}. */
    DiskJournalFile file() {
        return file;
    }

    /** What a journal of this pool has, unless another one is there to be like. */
    JournalGeometry geometry(JournalSettings settings) {
        return RingSize.of(settings, imageBytes, mostBytes);
    }

    DiskJournalFacts facts() {
        return new DiskJournalFacts(path, file.fileBytes(), file.isDirect());
    }

    /** Makes it, durably, in the place of one that does not fit. It has nothing. */
    void make(JournalGeometry geometry) {
        boolean replaces = disk != null;
        if (replaces) {
            disk.close();
            disk = null;
            file = null;
        }
        disk = made(geometry.fileBytes());
        DiskJournalFile unused =
                DiskJournalFile.format(
                        path,
                        disk,
                        geometry,
                        owner,
                        DiskJournalFile.NO_ID,
                        new SecureRandom().nextLong(),
                        imageBytes);
        disk.rename(path);
        isNew = !replaces;
        NativeFile.syncDirectory(path.getParent());
        file = DiskJournalFile.open(path, disk).orElseThrow();
    }

    private JournalDisk made(long size) {
        try {
            return zeros(size);
        } catch (FarheapException e) {
            throw Files.isSymbolicLink(part) ? besideTarget(e) : e;
        }
    }

    /** Whoever named the link may not know of the other directory. */
    private FarheapException besideTarget(FarheapException why) {
        return new FarheapException(
                why.category(),
                why.getMessage()
                        + "; the disk journal is made in "
                        + path.getParent()
                        + ", because "
                        + part
                        + " is a link to a file there",
                why);
    }

    private Path unfinished() {
        return path.resolveSibling("." + path.getFileName() + ".unfinished");
    }

    /** Zeros, written: no later sync has to tell the file system of more than them. */
    private JournalDisk zeros(long size) {
        boolean unused = NativeFile.delete(unfinished());
        NativeFile made = NativeFile.create(unfinished());
        try {
            made.lock();
            made.allocate(size);
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment zeros = arena.allocate(PIECE, BLOCK);
                for (long at = 0; at < size; at += PIECE) {
                    made.write(zeros.asSlice(0, Math.min(PIECE, size - at)), at);
                }
            }
            made.sync();
            return JournalDisk.of(made);
        } catch (Throwable e) {
            made.close();
            throw e;
        }
    }

    /** As {@link #close}, and what was not finished goes, after a failure. */
    void closeAfter(Throwable failure) {
        AllSteps steps = new AllSteps();
        steps.run(this::close);
        steps.run(
                () -> {
                    boolean unused = NativeFile.delete(unfinished());
                });
        if (steps.failure() != null) {
            failure.addSuppressed(steps.failure());
        }
    }

    /** As {@link #closeAfter}; one that was made here goes, too: no pool needs it. */
    void discardAfter(Throwable failure) {
        closeAfter(failure);
        if (isNew) {
            isNew = false;
            try {
                PartFiles.remove(path);
            } catch (Throwable second) {
                failure.addSuppressed(second);
            }
        }
    }

    /** Unlocks it. */
    @Override
    public void close() {
        if (disk != null) {
            disk.close();
        }
    }
}
