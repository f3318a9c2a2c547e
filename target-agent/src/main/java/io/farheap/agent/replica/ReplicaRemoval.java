package io.farheap.agent.replica;

import io.farheap.agent.base.FileRemoval;
import io.farheap.agent.base.Refusal;
import io.farheap.agent.journal.JournalRemoval;
import io.farheap.base.FarheapException;
import io.farheap.layout.PoolHeader;
import io.farheap.layout.PoolUuid;
import io.farheap.memory.NativeFile;
import io.farheap.pool.SideFiles;
import io.farheap.poolset.Part;
import io.farheap.replication.control.Reply.Code;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Deletes a replica's files. The {@code ReplicaLock} is held; part files are locked one by one. */
public final class ReplicaRemoval {
    private final ReplicaPaths paths;

    /** Of the files that a poolset file names; looks at none yet. */
    public ReplicaRemoval(ReplicaPaths paths) {
        this.paths = paths;
    }

    /**
     * Deletes parts and journal.
     *
     * @param force also files that can't be opened; never one that a program has open
     * @throws Refusal NOT_FOUND when there is nothing to delete; BUSY
     */
    public void remove(boolean force) {
        if (isNothingThere()) {
            throw new Refusal(
                    Code.NOT_FOUND,
                    "The replica " + paths.name() + " has no files on the target.",
                    "");
        }
        delete(presentParts(), force);
    }

    /**
     * The same by somebody's order, with what this machine's node kept of a pool that is gone here.
     */
    public void removeAll(boolean force) {
        remove(force);
        Path term = new SideFiles(paths.parts().get(0).path()).term();
        if (Files.exists(term)) {
            FileRemoval.delete(term);
        }
    }

    /** Whether there is neither a part nor a journal. */
    boolean isNothingThere() {
        return presentParts().isEmpty() && !paths.journal().exists();
    }

    /**
     * What an initiator may have removed: part files without a journal are somebody else's.
     *
     * @throws Refusal EXISTS
     */
    public void requireReplica() {
        if (!presentParts().isEmpty() && !paths.journal().exists()) {
            throw noReplica();
        }
    }

    /** Whether there are all parts and no journal, and the first one says that it is a pool's. */
    public boolean isAPoolAlone() {
        if (paths.journal().exists() || presentParts().size() < paths.parts().size()) {
            return false;
        }
        PoolHeader first = header(paths.parts().get(0).path());
        return first != null && first.hasSignature();
    }

    /**
     * Requires that neither the journal nor any part says that it is another pool's. What says
     * nothing, because it is damaged, is no obstacle.
     *
     * @param uuid the pool that the initiator means
     * @throws Refusal WRONG_POOL
     */
    public void requireOf(PoolUuid uuid) {
        if (paths.journal().exists()) {
            ReplicaInspection.journalUuid(paths.journal())
                    .filter(its -> !its.equals(uuid))
                    .ifPresent(its -> refuseOther(paths.journal().path(), its));
        }
        for (int p = 0; p < paths.parts().size() && paths.set().hasHeader(p); p++) {
            Path part = paths.parts().get(p).path();
            PoolHeader header = Files.exists(part) ? header(part) : null;
            if (header != null && header.hasSignature() && !header.poolsetUuid().equals(uuid)) {
                refuseOther(part, header.poolsetUuid());
            }
        }
    }

    private static void refuseOther(Path file, PoolUuid its) {
        throw new Refusal(
                Code.WRONG_POOL,
                "On the target the file " + file + " belongs to another pool (" + its + ").",
                "Nothing was removed: it may be that pool's last copy. Take the REPLICA line out of"
                        + " the poolset file, or name another poolset in it.");
    }

    private Refusal noReplica() {
        return new Refusal(
                Code.EXISTS,
                "On the target there are part files of "
                        + paths.name()
                        + " without a journal: they are a pool or part of one, no replica.",
                "They are left as they are; name other files in the target's poolset. Where they"
                        + " are this pool as it was before another machine took it over, have it"
                        + " overwritten (farheap sync --overwrite).");
    }

    /** Deletes the poolset file. */
    public void removePoolset() {
        FileRemoval.delete(paths.poolsetFile());
    }

    /**
     * Makes room for a new replica where the old one is damaged, incomplete, or was never finished.
     * Files that another pool may own are not touched.
     *
     * @param uuid the pool that the files must belong to
     */
    public void clear(PoolUuid uuid) {
        boolean begun = paths.journal().exists();
        boolean empty = begun && ReplicaInspection.holdsNothing(paths);
        if (!isJournalOf(uuid) && !empty) {
            for (Part part : paths.parts()) {
                requireOurs(part.path(), uuid, begun);
            }
        }
        delete(presentParts(), false);
        // What an old pool had noted of lost replicas, its program of itself, and what its files
        // lacked: beside new ones a program could have no disk journal of its own.
        SideFiles side = new SideFiles(paths.parts().get(0).path());
        side.dirtyMaps().forEach(FileRemoval::delete);
        for (Path left : List.of(side.status(), side.diskJournal(), side.unfinishedDiskJournal())) {
            if (Files.exists(left)) {
                FileRemoval.delete(left);
            }
        }
    }

    /**
     * Takes back the files of a creation that failed.
     *
     * @param partsMade whether it had made the parts; else their creator took back its own
     */
    void afterFailedCreation(boolean partsMade, RuntimeException why) {
        try {
            if (partsMade) {
                List<Path> parts = paths.parts().stream().map(Part::path).toList();
                for (Path part : parts) {
                    boolean unused = NativeFile.delete(part);
                }
                boolean unused = NativeFile.delete(paths.readers());
                syncDirectories(parts);
            }
            try (JournalRemoval journal = JournalRemoval.of(paths.journal())) {
                journal.delete();
            }
        } catch (FarheapException e) {
            why.addSuppressed(e);
        }
    }

    private List<Path> presentParts() {
        List<Path> present = new ArrayList<>();
        for (Part part : paths.parts()) {
            if (Files.exists(part.path())) {
                present.add(part.path());
            }
        }
        return present;
    }

    private boolean isJournalOf(PoolUuid uuid) {
        return paths.journal().exists()
                && ReplicaInspection.journalUuid(paths.journal()).filter(uuid::equals).isPresent();
    }

    /**
     * @param begun whether there is a journal: the making of these parts may have been cut before
     *     their headers
     */
    private static void requireOurs(Path part, PoolUuid uuid, boolean begun) {
        if (!Files.exists(part)) {
            return;
        }
        PoolHeader header = header(part);
        boolean unmade = begun && header.isZero();
        if (!unmade && !header.poolsetUuid().equals(uuid)) {
            throw new Refusal(
                    Code.WRONG_POOL,
                    "On the target the file " + part + " belongs to another pool.",
                    "It is left as it is; name another file in the target's poolset.");
        }
    }

    private static PoolHeader header(Path part) {
        MemorySegment page = Arena.ofAuto().allocate(PoolHeader.SIZE, Long.BYTES);
        try (InputStream in = Files.newInputStream(part)) {
            byte[] bytes = in.readNBytes((int) PoolHeader.SIZE);
            MemorySegment.copy(MemorySegment.ofArray(bytes), 0, page, 0, bytes.length);
        } catch (IOException e) {
            throw unreadable(part, e);
        }
        return new PoolHeader(page);
    }

    private void delete(List<Path> parts, boolean force) {
        List<NativeFile> locked = new ArrayList<>();
        try (JournalRemoval journal = paths.journal().exists() ? lockJournal(force) : null) {
            for (Path file : parts) {
                lock(file, force, locked);
            }
            for (Path file : parts) {
                FileRemoval.delete(file);
            }
            boolean unused = NativeFile.delete(paths.readers());
            syncDirectories(parts);
            if (journal != null) {
                journal.delete();
                NativeFile.syncDirectory(paths.journal().path().getParent());
            }
        } finally {
            locked.forEach(NativeFile::close);
        }
    }

    /**
     * Durably, before the journal goes: parts that are left without one would be taken for somebody
     * else's pool.
     */
    private static void syncDirectories(List<Path> parts) {
        parts.stream().map(Path::getParent).distinct().forEach(NativeFile::syncDirectory);
    }

    private JournalRemoval lockJournal(boolean force) {
        try {
            return force
                    ? JournalRemoval.byForce(paths.journal())
                    : JournalRemoval.of(paths.journal());
        } catch (FarheapException e) {
            throw inUse(e);
        }
    }

    private static void lock(Path file, boolean force, List<NativeFile> locked) {
        NativeFile opened;
        try {
            opened = NativeFile.open(file);
        } catch (FarheapException e) {
            if (force) {
                return; // it can't be read: damaged
            }
            throw inUse(e);
        }
        locked.add(opened);
        try {
            opened.lock();
        } catch (FarheapException e) {
            throw inUse(e);
        }
    }

    private static Refusal inUse(FarheapException e) {
        return new Refusal(
                Code.BUSY,
                "Nothing was removed: " + e.getMessage(),
                "On the target, end that program, or mend what keeps the file from being opened.",
                e);
    }

    private static Refusal unreadable(Path file, IOException e) {
        return new Refusal(
                Code.ACCESS,
                "The agent cannot read " + file + ": " + e.getMessage(),
                "Give the agent's user the right to.",
                e);
    }
}
