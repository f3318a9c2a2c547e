package io.farheap.pool;

import io.farheap.base.DiskJournalFacts;
import io.farheap.base.FarheapException;
import io.farheap.base.JournalSettings;
import io.farheap.memory.DiskJournal;
import io.farheap.memory.DiskJournalFile;
import io.farheap.memory.JournalCounters;
import io.farheap.memory.JournalGeometry;
import io.farheap.memory.JournalHole;
import io.farheap.memory.JournaledFiles;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * The disk journal of a pool that is open: a file beside the first part of each local replica, all
 * with the same content, and the mark in the pool's headers that says that one of them is needed
 * (docs/disk-journal.md).
 */
final class PoolJournal implements AutoCloseable {

    private final List<ReplicaFiles> replicas;
    private final List<ReplicaJournal> journals;
    private final JournaledFiles files;
    private final JournalSettings settings;
    private DiskJournal running;

    private PoolJournal(
            List<ReplicaFiles> replicas,
            List<ReplicaJournal> journals,
            JournalSettings settings,
            long imageBytes) {
        this.settings = settings;
        this.replicas = replicas;
        this.journals = journals;
        this.files =
                new JournaledFiles(
                        replicas.stream().map(ReplicaFiles::disk).toList(),
                        journals.stream().map(ReplicaJournal::file).toList(),
                        new HeaderMark(replicas),
                        new SecureRandom()::nextLong,
                        imageBytes);
    }

    /**
     * Opens the journals of a pool whose headers are in order, makes those that are missing, brings
     * the files to where the journals end and marks them. One journal of those that are needed is
     * enough: whatever was acknowledged is in each of them.
     *
     * @throws FarheapException BAD_DATA where no journal of a marked pool is there, or one is not
     *     whole, WRONG_USE where something else has its name; nothing was changed
     */
    static PoolJournal open(
            long imageBytes, List<ReplicaFiles> replicas, JournalSettings settings) {
        return open(
                imageBytes,
                replicas,
                settings,
                hole -> {
                    throw hole.refusal();
                });
    }

    /**
     * As {@link #open(long, List, JournalSettings)}, of a pool that is not marked.
     *
     * @throws NoDiskJournalException where the pool's files are as they were, and no journal was
     *     made
     */
    static PoolJournal begin(
            long imageBytes, List<ReplicaFiles> replicas, JournalSettings settings) {
        try {
            return open(imageBytes, replicas, settings);
        } catch (FarheapException e) {
            throw HeaderMark.isMarked(replicas) ? e : new NoDiskJournalException(e);
        }
    }

    /**
     * The same of a pool that is being created: the first half, after which no header is marked.
     *
     * @throws NoDiskJournalException as {@link #begin}
     */
    static PoolJournal make(
            long imageBytes, List<ReplicaFiles> replicas, JournalSettings settings) {
        try {
            return withFiles(imageBytes, replicas, settings);
        } catch (FarheapException e) {
            throw new NoDiskJournalException(e);
        }
    }

    /** The second half. If it fails, the files and the journals are to be removed. */
    void begin() {
        files.open();
    }

    private static PoolJournal open(
            long imageBytes,
            List<ReplicaFiles> replicas,
            JournalSettings settings,
            Consumer<JournalHole> holes) {
        boolean recovers = HeaderMark.isMarked(replicas);
        PoolJournal opened = withFiles(imageBytes, replicas, settings);
        try {
            opened.files.open(holes);
            if (recovers) {
                replicas.forEach(replica -> replica.image().readAgain());
            }
            return opened;
        } catch (Throwable e) {
            discardAfter(e, replicas, opened.journals);
            throw e;
        }
    }

    private static PoolJournal withFiles(
            long imageBytes, List<ReplicaFiles> replicas, JournalSettings settings) {
        long marked = HeaderMark.markedId(replicas);
        List<ReplicaJournal> journals = new ArrayList<>();
        try {
            for (ReplicaFiles replica : replicas) {
                journals.add(find(replica, replicas, imageBytes, marked));
            }
            makeMissing(replicas, journals, settings, marked);
            return new PoolJournal(replicas, journals, settings, imageBytes);
        } catch (Throwable e) {
            discardAfter(e, replicas, journals);
            throw e;
        }
    }

    /** A mark that was set already may name what was made. */
    private static void discardAfter(
            Throwable failure, List<ReplicaFiles> replicas, List<ReplicaJournal> journals) {
        boolean needed = replicas.stream().anyMatch(ReplicaFiles::isMarked);
        journals.forEach(
                needed
                        ? journal -> journal.closeAfter(failure)
                        : journal -> journal.discardAfter(failure));
    }

    private static ReplicaJournal find(
            ReplicaFiles replica, List<ReplicaFiles> all, long imageBytes, long marked) {
        try {
            return ReplicaJournal.find(replica, imageBytes, marked);
        } catch (FarheapException e) {
            Path other = marked != 0 ? JournalLook.rightOne(all, imageBytes) : null;
            throw other == null
                    ? e
                    : new FarheapException(
                            e.category(),
                            e.getMessage()
                                    + "; or move that file away: all of its commits are in "
                                    + other
                                    + ", too",
                            e);
        }
    }

    private static void makeMissing(
            List<ReplicaFiles> replicas,
            List<ReplicaJournal> journals,
            JournalSettings settings,
            long marked) {
        ReplicaJournal like =
                journals.stream()
                        .filter(ReplicaJournal::isThere)
                        .filter(each -> marked == 0 || each.file().id() != DiskJournalFile.NO_ID)
                        .findFirst()
                        .orElse(null);
        if (like == null && marked != 0) {
            throw FarheapException.badData(
                    "%s was not closed, and its newest commits are in %s, which is missing: put"
                            + " that file back%s; nothing was changed",
                    replicas.get(0).path(0),
                    journals.stream()
                            .map(journal -> journal.path().toString())
                            .collect(Collectors.joining(" or ")),
                    DiskJournalFile.BESIDE_LINK);
        }
        boolean anew = like == null || (marked == 0 && settings.ringBytes() != 0);
        JournalGeometry geometry =
                anew ? journals.get(0).geometry(settings) : like.file().geometry();
        for (ReplicaJournal journal : journals) {
            boolean fits = journal.isThere() && journal.file().geometry().equals(geometry);
            if (!fits && journal.isThere() && marked != 0) {
                throw FarheapException.badData(
                        "%s and %s are of different sizes, and the pool was not closed: put the"
                                + " right ones back; nothing was changed",
                        like.path(), journal.path());
            }
            if (!fits) {
                journal.make(geometry);
            }
        }
    }

    /**
     * Brings marked files to where their journals end, and takes the mark away. Nothing of what
     * they hold is looked at: they are whole after it, and as right or wrong as they were.
     *
     * @param imageBytes of the whole pool, also where these are not all of its local replicas
     * @param holes as {@link JournaledFiles#open(Consumer)}
     * @throws FarheapException as {@link #open(long, List, JournalSettings)}
     */
    static void recoverAndUnmark(
            long imageBytes, List<ReplicaFiles> replicas, Consumer<JournalHole> holes) {
        try (PoolJournal journal = open(imageBytes, replicas, JournalSettings.USUAL, holes)) {
            journal.files.unmark(); // opening has recovered them
        }
    }

    /** From here on stores in the image are made durable by the journal. */
    DiskJournal start(MemorySegment image) {
        running = files.start(image);
        files.startCheckpointing();
        return running;
    }

    /** The files of all replicas have become longer. */
    void grow(MemorySegment longer) {
        files.grow(longer);
    }

    /** Has memory given back: {@link JournaledFiles#giveBack}. */
    void giveBack(JournaledFiles.Quiet quiet) {
        files.giveBack(quiet, settings.privateBytes());
    }

    /** Its files. */
    List<DiskJournalFacts> facts() {
        return journals.stream().map(ReplicaJournal::facts).toList();
    }

    /** What it did since {@link #start}. */
    JournalCounters counters() {
        return files.counters();
    }

    /** Of a pool that is not made in the end: what was made here goes with it. */
    void discardAfter(Throwable failure) {
        if (running != null) {
            files.abandon();
        }
        journals.forEach(journal -> journal.discardAfter(failure));
    }

    /** Makes the files whole, has something done with them, and takes the mark away. */
    void finish(Runnable last) {
        if (running.hasFailed()) {
            throw FarheapException.environment(
                    "the disk journal of %s could not be written while the pool was open: it stays"
                            + " as it is, and the next opening recovers it",
                    replicas.get(0).path(0));
        }
        files.close(last);
    }

    /** Ends all that goes on; what is not finished is left to the next opening. */
    @Override
    public void close() {
        if (running != null) {
            files.abandon();
        }
        journals.forEach(ReplicaJournal::close);
    }
}
