package io.farheap.pool;

import io.farheap.base.FarheapException;
import io.farheap.layout.PoolHeader;
import io.farheap.memory.DiskFile;
import io.farheap.memory.DiskJournal;
import io.farheap.memory.DiskJournalFile;
import io.farheap.memory.JournalDisk;
import io.farheap.memory.JournaledFiles;
import io.farheap.memory.NativeFile;
import io.farheap.poolset.Part;
import io.farheap.poolset.PoolSet;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The disk journal of a pool that is open: a file beside its first part, and the mark in the pool's
 * headers that says that the file is needed (docs/disk-journal.md).
 */
final class PoolJournal implements AutoCloseable {
    private static final long LEAST_RING = 16L << 20;
    private static final long MOST_RING = 256L << 20;

    /** What a batch has at most: the same in all journals. */
    static final int BATCH = 1 << 20;

    private static final int BLOCK = 4096;
    private static final int UUID_BYTES = 16;

    /** What the medium writes in one. */
    private static final long SECTOR = 512;

    private static final SecureRandom RANDOM = new SecureRandom();

    private final ReplicaFiles replica;
    private final JournalDisk disk;
    private final JournaledFiles files;
    private DiskJournal running;

    private PoolJournal(ReplicaFiles replica, JournalDisk disk, DiskJournalFile journal) {
        this.replica = replica;
        this.disk = disk;
        DiskFile image = replica.disk();
        this.files =
                new JournaledFiles(
                        List.of(image), List.of(journal), new HeaderMark(), RANDOM::nextLong);
    }

    /** Whether one of the headers says that a journal is needed. */
    static boolean isMarked(List<ReplicaFiles> replicas) {
        return replicas.stream()
                .flatMap(replica -> replica.headers().stream())
                .anyMatch(PoolHeader::isMarked);
    }

    /** The same of a pool that is not open; parts that can't be read tell of nothing. */
    static boolean isNeeded(PoolSet set) {
        return set.localReplicas().stream()
                .flatMap(replica -> replica.parts().stream())
                .map(Part::path)
                .anyMatch(PoolJournal::isMarked);
    }

    /** The same of one part file. */
    static boolean isMarked(Path part) {
        if (!Files.isRegularFile(part)) {
            return false;
        }
        MemorySegment page = MemorySegment.ofArray(new byte[BLOCK]);
        try (NativeFile file = NativeFile.openReadOnly(part)) {
            PoolHeader header = new PoolHeader(page);
            return file.read(page, 0) == BLOCK && header.hasSignature() && header.isMarked();
        } catch (FarheapException unreadable) {
            return false; // opening says that better
        }
    }

    /**
     * Opens the journal of a pool whose headers are in order, makes it where none is needed, brings
     * the files to where it ends and marks them.
     *
     * @throws FarheapException BAD_DATA where the journal of a marked pool is not there or not
     *     whole, WRONG_USE where something else has its name; nothing was changed
     */
    static PoolJournal open(PoolSet set, ReplicaFiles replica) {
        Path path = new SideFiles(replica.path(0)).diskJournal();
        boolean needed = isMarked(List.of(replica));
        long imageBytes = set.poolSize();
        byte[] owner = owner(replica.headers().get(0));
        if (needed && !Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            throw FarheapException.badData(
                    "%s was not closed, and its newest commits are in %s, which is missing: put"
                            + " that file back; nothing was changed",
                    replica.path(0), path);
        }
        JournalDisk disk = null;
        try {
            disk = locked(path, needed);
            Optional<DiskJournalFile> found =
                    disk == null ? Optional.empty() : DiskJournalFile.open(path, disk, BATCH);
            if (disk != null) {
                requireUsable(path, found, owner, needed);
            }
            boolean fits =
                    found.isPresent()
                            && found.get().imageBytes() == imageBytes
                            && disk.file().size() == found.get().fileBytes();
            if (needed && !fits) {
                throw FarheapException.badData(
                        "%s was not closed, and %s, where its newest commits are, is of another"
                                + " size than it was: put the whole file back; nothing was changed",
                        replica.path(0), path);
            }
            if (!fits) {
                if (disk != null) {
                    disk.close();
                }
                disk = null;
                disk = make(path, imageBytes);
                found = Optional.of(format(path, disk, owner, imageBytes));
                disk = named(disk, path);
            }
            DiskJournalFile journal =
                    fits ? found.get() : DiskJournalFile.open(path, disk, BATCH).orElseThrow();
            PoolJournal opened = new PoolJournal(replica, disk, journal);
            opened.files.open();
            return opened;
        } catch (Throwable e) {
            try {
                if (disk != null) {
                    disk.close();
                }
                boolean unused = NativeFile.delete(unfinished(path));
            } catch (Throwable second) {
                e.addSuppressed(second);
            }
            throw e;
        }
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

    private static void requireUsable(
            Path path, Optional<DiskJournalFile> found, byte[] owner, boolean needed) {
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

    private static DiskJournalFile.Geometry geometry(long imageBytes) {
        long wanted = Math.clamp(imageBytes / 4, LEAST_RING, MOST_RING);
        return new DiskJournalFile.Geometry(wanted / BATCH * BATCH, BATCH, BLOCK);
    }

    private static Path unfinished(Path path) {
        return path.resolveSibling("." + path.getFileName() + ".unfinished");
    }

    /** Zeros, written: no later sync has to tell the file system of more than them. */
    private static JournalDisk make(Path path, long imageBytes) {
        Path unfinished = unfinished(path);
        boolean unused = NativeFile.delete(unfinished);
        NativeFile file = NativeFile.create(unfinished);
        try {
            file.lock();
            long size = geometry(imageBytes).fileBytes();
            file.allocate(size);
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment zeros = arena.allocate(BATCH, BLOCK);
                for (long at = 0; at < size; at += BATCH) {
                    file.write(zeros.asSlice(0, Math.min(BATCH, size - at)), at);
                }
            }
            file.sync();
            return JournalDisk.of(file);
        } catch (Throwable e) {
            file.close();
            throw e;
        }
    }

    private static DiskJournalFile format(
            Path path, JournalDisk disk, byte[] owner, long imageBytes) {
        long id = RANDOM.nextLong() | 1; // 0 means none
        return DiskJournalFile.format(
                path, disk, geometry(imageBytes), owner, id, RANDOM.nextLong(), imageBytes);
    }

    private static JournalDisk named(JournalDisk disk, Path path) {
        disk.rename(path);
        NativeFile.syncDirectory(path.getParent());
        return disk;
    }

    /**
     * Brings marked files to where their journal ends, and takes the mark away. Nothing of what
     * they hold is looked at: they are whole after it, and as right or wrong as they were.
     *
     * @throws FarheapException as {@link #open(PoolSet, ReplicaFiles)}
     */
    static void recoverAndUnmark(PoolSet set, ReplicaFiles replica) {
        try (PoolJournal journal = open(set, replica)) {
            journal.files.recoverAndUnmark();
        }
    }

    /** From here on stores in the image are made durable by the journal. */
    DiskJournal start(MemorySegment image) {
        running = files.start(image);
        files.startCheckpointing();
        return running;
    }

    /** Makes the files whole, has something done with them, and takes the mark away. */
    void finish(Runnable last) {
        if (running.hasFailed()) {
            throw FarheapException.environment(
                    "the disk journal of %s could not be written while the pool was open: it stays"
                            + " as it is, and the next opening recovers it",
                    replica.path(0));
        }
        files.close(last);
    }

    /** Ends all that goes on; what is not finished is left to the next opening. */
    @Override
    public void close() {
        if (running != null) {
            files.abandon();
        }
        disk.close();
    }

    /** In all headers of the replica, one sector each. */
    private final class HeaderMark implements JournaledFiles.Mark {
        @Override
        public long journalId() {
            return replica.headers().stream()
                    .filter(PoolHeader::isMarked)
                    .mapToLong(PoolHeader::journalId)
                    .findFirst()
                    .orElse(0);
        }

        @Override
        public void set(long journalId) {
            change(header -> header.mark(journalId));
        }

        @Override
        public void clear() {
            change(PoolHeader::clearMark);
        }

        private void change(Consumer<PoolHeader> how) {
            for (NativeFile file : replica.filesWithHeader()) {
                MemorySegment page = MemorySegment.ofArray(new byte[BLOCK]);
                long unused = file.read(page, 0);
                how.accept(new PoolHeader(page));
                // Written, not stored into the mapping: the medium must not get half of it.
                file.write(page.asSlice(0, SECTOR), 0);
                file.syncData();
            }
        }
    }
}
