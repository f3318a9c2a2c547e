package io.farheap.pool;

import io.farheap.base.DiskJournalFacts;
import io.farheap.base.FarheapException;
import io.farheap.layout.PoolHeader;
import io.farheap.memory.DiskJournalFile;
import io.farheap.memory.JournalHole;
import io.farheap.memory.NativeFile;
import io.farheap.poolset.PoolSet;
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

    /** Whether nothing is in its place that could have what is looked for. */
    private final boolean missing;

    private JournalLook(
            Path path, NativeFile file, DiskJournalFile journal, String fault, boolean missing) {
        this.path = path;
        this.file = file;
        this.journal = journal;
        this.fault = fault;
        this.missing = missing;
    }

    /** Whether it is the right one, and only damaged between batches: another may have those. */
    private boolean isHoled() {
        return fault != null && journal != null;
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
        byte[] owner = ReplicaJournal.owner(first);
        Path path = DiskJournalPath.of(firstPart, marked.journalId(), owner);
        NativeFile file = null;
        try {
            if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
                String what = "is missing: put that file back" + DiskJournalFile.BESIDE_LINK;
                return faulty(path, null, what, true);
            }
            if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
                return faulty(path, null, "is no regular file: put the right one back", false);
            }
            file = NativeFile.openReadOnly(path);
            Optional<DiskJournalFile> found =
                    DiskJournalFile.open(path, new ReplicaJournal.ReadOnly(file));
            String fault = fault(file, found, first, marked, imageBytes);
            if (fault != null) {
                boolean empty = found.isPresent() && found.get().id() == DiskJournalFile.NO_ID;
                return faulty(path, file, fault, empty);
            }
            DiskJournalFile journal = found.get();
            journal.readThrough();
            JournalHole hole = journal.holeBehind(journal);
            return new JournalLook(
                    path, file, journal, hole == null ? null : sentence(path, hole.text()), false);
        } catch (FarheapException e) {
            return faulty(path, file, "can't be read: " + e.getMessage(), false);
        }
    }

    /** Whether the disk journal of this very part lies beside it, needed or not. */
    public static boolean isBeside(Path firstPart, PoolHeader header) {
        Path path = new SideFiles(firstPart).diskJournal();
        if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
            return false;
        }
        try (NativeFile file = NativeFile.openReadOnly(path)) {
            return DiskJournalFile.open(path, new ReplicaJournal.ReadOnly(file))
                    .filter(found -> Arrays.equals(found.owner(), ReplicaJournal.owner(header)))
                    .isPresent();
        } catch (FarheapException unreadable) {
            return false;
        }
    }

    /** Whether one lies beside it of another part whose pool was not closed: it is left alone. */
    public static boolean isAnothersBeside(Path firstPart, PoolHeader header) {
        Path path = new SideFiles(firstPart).diskJournal();
        if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
            return false;
        }
        try (NativeFile file = NativeFile.openReadOnly(path)) {
            return DiskJournalFile.open(path, new ReplicaJournal.ReadOnly(file))
                    .filter(found -> !found.isReleased())
                    .filter(found -> !Arrays.equals(found.owner(), ReplicaJournal.owner(header)))
                    .isPresent();
        } catch (FarheapException unreadable) {
            return false; // an open says so
        }
    }

    /**
     * Whether a file is a disk journal that no pool needs: every pool that it was for was closed,
     * or it is for this part.
     *
     * @param closed the header of a part that lacks nothing
     */
    public static boolean isOfNoUse(Path journal, PoolHeader closed) {
        if (!Files.isRegularFile(journal, LinkOption.NOFOLLOW_LINKS)) {
            return false;
        }
        try (NativeFile file = NativeFile.openReadOnly(journal)) {
            return DiskJournalFile.open(journal, new ReplicaJournal.ReadOnly(file))
                    .filter(
                            found ->
                                    found.isReleased()
                                            || Arrays.equals(
                                                    found.owner(), ReplicaJournal.owner(closed)))
                    .isPresent();
        } catch (FarheapException unreadable) {
            return false; // so nothing tells
        }
    }

    /** The disk journal that lies beside a first part, needed or not; null: none. */
    public static DiskJournalFacts beside(Path firstPart) {
        Path path = new SideFiles(firstPart).diskJournal();
        if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
            return null;
        }
        try (NativeFile file = NativeFile.openReadOnly(path)) {
            return DiskJournalFile.open(path, new ReplicaJournal.ReadOnly(file))
                    .map(
                            found ->
                                    new DiskJournalFacts(
                                            path, found.fileBytes(), file.isForDirectAccess()))
                    .orElse(null);
        } catch (FarheapException unreadable) {
            return null; // of a pool that needs it that is said where it is looked through
        }
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
        if (!Arrays.equals(journal.owner(), ReplicaJournal.owner(first))) {
            return "is the disk journal of another pool, or of another part: put this pool's own"
                    + " one back";
        }
        if (journal.id() == DiskJournalFile.NO_ID) {
            return "was made in the place of one that is lost: put that one back";
        }
        if (journal.id() != marked.journalId()) {
            return "is another journal ("
                    + Long.toHexString(journal.id())
                    + ") than the one with these commits ("
                    + Long.toHexString(marked.journalId())
                    + "): put that one back"
                    + DiskJournalFile.BESIDE_LINK;
        }
        boolean whole =
                file.size() == journal.fileBytes()
                        && (imageBytes == 0 || journal.imageBytes() <= imageBytes);
        return whole ? null : "is of another size than it was: put the whole file back";
    }

    private static JournalLook faulty(Path path, NativeFile file, String what, boolean missing) {
        if (file != null) {
            file.close();
        }
        return new JournalLook(path, null, null, sentence(path, what), missing);
    }

    private static String sentence(Path path, String what) {
        return "the pool was not closed, and its newest commits are in " + path + ", which " + what;
    }

    /**
     * The journal for a marked first part: its own, or where that is missing or damaged another
     * local replica's, which has the same.
     *
     * @param header of that part
     * @param marked a header of the replica that has the mark
     */
    public static JournalLook ofReplica(
            PoolSet set, int replica, PoolHeader header, PoolHeader marked) {
        JournalLook own = at(first(set, replica), header, marked, set.poolSize());
        boolean useless = own.missing || own.isHoled();
        for (int r = 0; useless && r < set.localReplicas().size(); r++) {
            PoolHeader other = r == replica ? null : HeaderMark.header(first(set, r));
            if (other != null && other.isMarked() && other.journalId() == marked.journalId()) {
                JournalLook its = at(first(set, r), other, other, set.poolSize());
                if (its.fault == null && own.holeBehind(its) == null) {
                    own.close();
                    return its;
                }
                its.close();
            }
        }
        return own;
    }

    /** What of it would be lost if another one were taken. */
    private JournalHole holeBehind(JournalLook furthest) {
        return journal == null ? null : journal.holeBehind(furthest.journal);
    }

    private static Path first(PoolSet set, int replica) {
        return set.localReplicas().get(replica).parts().get(0).path();
    }

    /**
     * Brings the images of local replicas, which reach no file, to where their journals end, and
     * takes the marks from their headers in memory. Where no journal can be read the images stay as
     * the files are, and the headers stay marked.
     */
    static void through(List<ReplicaFiles> replicas, long imageBytes) {
        List<ReplicaFiles> marked = replicas.stream().filter(ReplicaFiles::isMarked).toList();
        List<JournalLook> looks =
                marked.stream().map(replica -> ofReplica(replica, imageBytes)).toList();
        try {
            for (int i = 0; i < marked.size(); i++) {
                PoolHeader header = marked.get(i).markedHeader();
                JournalLook its = furthest(looks.get(i), looks, header.journalId());
                if (its.fault == null) {
                    its.bringTo(marked.get(i).image().segment());
                    marked.get(i).headers().forEach(PoolHeader::clearMark);
                } else {
                    marked.get(i).journalCannotBeRead(its.fault);
                }
            }
        } finally {
            looks.forEach(JournalLook::close);
        }
    }

    private static JournalLook ofReplica(ReplicaFiles replica, long imageBytes) {
        return at(replica.path(0), replica.headers().get(0), replica.markedHeader(), imageBytes);
    }

    /** A journal of a marked replica that is there and right; null: there is none. */
    static Path rightOne(List<ReplicaFiles> replicas, long imageBytes) {
        for (ReplicaFiles replica : replicas) {
            if (replica.isMarked()) {
                try (JournalLook look = ofReplica(replica, imageBytes)) {
                    if (look.fault == null) {
                        return look.path;
                    }
                }
            }
        }
        return null;
    }

    /** As recovery takes it: of those that are right. One that is there and wrong is refused. */
    private static JournalLook furthest(JournalLook own, List<JournalLook> all, long id) {
        if (own.fault != null && !own.missing && !own.isHoled()) {
            return own;
        }
        JournalLook furthest =
                all.stream()
                        .filter(look -> look.journal != null && look.journal.id() == id)
                        .max(
                                Comparator.comparingLong((JournalLook look) -> look.journal.end())
                                        .thenComparingLong(JournalLook::bytes))
                        .orElse(own);
        return all.stream()
                .filter(look -> furthest.journal != null && look.holeBehind(furthest) != null)
                .findFirst()
                .orElse(furthest);
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
