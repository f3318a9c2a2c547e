package io.farheap.pool;

import io.farheap.base.FarheapException;
import io.farheap.layout.PoolHeader;
import io.farheap.memory.DiskJournalFile;
import io.farheap.memory.ImageDisk;
import io.farheap.memory.MappedImage.Share;
import io.farheap.memory.NativeFile;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The disk journal of marked pool files as one reads it who changes nothing: what it has is brought
 * to an image in memory instead of the files (docs/disk-journal.md#looking-at-a-marked-pool).
 *
 * <p>The journal is not locked: who locks the parts keeps every writer from it. Read while a
 * program has the pool open, it shows a moment of the past, or what the pool files have.
 */
public final class JournalLook implements AutoCloseable {
    private final Path path;
    private final NativeFile file;
    private final DiskJournalFile journal;
    private final String fault;

    private JournalLook(Path path, NativeFile file, DiskJournalFile journal, String fault) {
        this.path = path;
        this.file = file;
        this.journal = journal;
        this.fault = fault;
    }

    /**
     * Reads the journal beside a first part.
     *
     * @param first the header of that part
     * @param marked a header that has the mark
     * @param imageBytes of the pool; 0 where they are not known, as the poolset file is not at hand
     */
    public static JournalLook at(
            Path firstPart, PoolHeader first, PoolHeader marked, long imageBytes) {
        Path path = new SideFiles(firstPart).diskJournal();
        NativeFile file = null;
        try {
            if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
                return faulty(path, null, "is missing: put that file back");
            }
            if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
                return faulty(path, null, "is no regular file: put the right one back");
            }
            file = NativeFile.openReadOnly(path);
            Optional<DiskJournalFile> found = read(path, file);
            String fault = fault(file, found, first, marked, imageBytes);
            if (fault != null) {
                return faulty(path, file, fault);
            }
            found.get().readThrough();
            return new JournalLook(path, file, found.get(), null);
        } catch (FarheapException e) {
            return faulty(path, file, "can't be read: " + e.getMessage());
        }
    }

    private static Optional<DiskJournalFile> read(Path path, NativeFile file) {
        long size = file.size() & -PoolHeader.SIZE;
        return size == 0
                ? Optional.empty()
                : DiskJournalFile.open(
                        path, new ImageDisk(List.of(new Share(file, 0, size))), PoolJournal.BATCH);
    }

    private static String fault(
            NativeFile file,
            Optional<DiskJournalFile> found,
            PoolHeader first,
            PoolHeader marked,
            long imageBytes) {
        if (found.isEmpty()) {
            return "is damaged or no disk journal: put the right file back";
        }
        DiskJournalFile journal = found.get();
        if (!Arrays.equals(journal.owner(), PoolJournal.owner(first))) {
            return "is the disk journal of another pool, or of another part: put this pool's own"
                    + " one back";
        }
        if (journal.id() != marked.journalId()) {
            return "is another journal ("
                    + Long.toHexString(journal.id())
                    + ") than the one with these commits ("
                    + Long.toHexString(marked.journalId())
                    + "): put that one back";
        }
        boolean whole =
                file.size() == journal.fileBytes()
                        && (imageBytes == 0 || imageBytes == journal.imageBytes());
        return whole ? null : "is of another size than it was: put the whole file back";
    }

    private static JournalLook faulty(Path path, NativeFile file, String what) {
        if (file != null) {
            file.close();
        }
        return new JournalLook(
                path,
                null,
                null,
                "the pool was not closed, and its newest commits are in "
                        + path
                        + ", which "
                        + what);
    }

    /**
     * Brings the images of local replicas, which reach no file, to where their journals end, and
     * takes the marks from their headers in memory. Where no journal can be read the images stay as
     * the files are, and the headers stay marked.
     */
    static void through(List<ReplicaFiles> replicas, long imageBytes) {
        List<ReplicaFiles> marked =
                replicas.stream()
                        .filter(replica -> PoolJournal.isMarked(List.of(replica)))
                        .toList();
        if (marked.isEmpty()) {
            return;
        }
        List<JournalLook> looks =
                marked.stream()
                        .map(
                                replica ->
                                        at(
                                                replica.path(0),
                                                replica.headers().get(0),
                                                replica.markedHeader(),
                                                imageBytes))
                        .toList();
        try {
            Optional<JournalLook> furthest =
                    looks.stream()
                            .filter(look -> look.fault == null)
                            .max(Comparator.comparingLong(look -> look.journal.end()));
            for (int i = 0; i < marked.size(); i++) {
                if (looks.get(i).fault != null) {
                    marked.get(i).journalCannotBeRead(looks.get(i).fault);
                } else {
                    furthest.get().bringTo(marked.get(i).image().segment());
                    marked.get(i).headers().forEach(PoolHeader::clearMark);
                }
            }
        } finally {
            looks.forEach(JournalLook::close);
        }
    }

    /** Why it is of no use, and what to do about it: a sentence; null where it is in order. */
    public String fault() {
        return fault;
    }

    /** The file. */
    public Path path() {
        return path;
    }

    /** How many of its bytes the pool files may lack. */
    public long bytes() {
        return journal.bytesBehindCheckpoint();
    }

    /**
     * Brings an image in memory, or its beginning, to where the journal ends.
     *
     * @param image from the pool's first byte on
     */
    public void bringTo(MemorySegment image) {
        journal.replayTo(image);
    }

    @Override
    public void close() {
        if (file != null) {
            file.close();
        }
    }
}
