package io.farheap.agent.replica;

import io.farheap.agent.base.Refusal;
import io.farheap.agent.journal.JournalFile;
import io.farheap.agent.journal.JournalMemory;
import io.farheap.agent.journal.JournalRemoval;
import io.farheap.agent.store.ImageKind;
import io.farheap.agent.store.ReplicaStore;
import io.farheap.base.FarheapException;
import io.farheap.base.PersistenceDomain;
import io.farheap.layout.Descriptor;
import io.farheap.layout.PoolHeader;
import io.farheap.layout.PoolUuid;
import io.farheap.memory.PoolMemory;
import io.farheap.pool.PoolFiles;
import io.farheap.pool.TargetFiles;
import io.farheap.replication.control.Blob;
import io.farheap.replication.control.Reply.Code;
import io.farheap.replication.journal.JournalLayout;
import io.farheap.replication.journal.ReplicaSlot;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A replica's part files and journal, open and locked, and the {@link ReplicaStore} over them. Made
 * with the {@code ReplicaLock} held.
 */
public final class OpenReplica implements AutoCloseable {
    private static final long PAGE = 4096;

    private final PoolFiles files;
    private final JournalMemory journal;
    private final PendingHeader pending;
    private final ReplicaStore store;
    private final OpenReaders readers;

    private OpenReplica(
            PoolFiles files,
            JournalMemory journal,
            PendingHeader pending,
            ReplicaStore store,
            OpenReaders readers) {
        this.files = files;
        this.journal = journal;
        this.pending = pending;
        this.store = store;
        this.readers = readers;
    }

    /**
     * Opens a replica that exists. Nothing is changed when that fails. What a killed agent stored
     * and did not flush is durable from here on: others are told of it.
     */
    public static OpenReplica open(ReplicaPaths paths) {
        return open(
                paths,
                noted -> TargetFiles.openReplica(paths.set()),
                uuid -> OpenReaders.of(paths, uuid));
    }

    /** The same for a program's remote memory; attributes that a crash cut are written first. */
    public static OpenReplica openMemory(ReplicaPaths paths) {
        return open(
                paths,
                noted -> TargetFiles.openMemory(paths.set(), noted),
                uuid -> OpenReaders.NONE);
    }

    /** Opens files and journal of either kind, which are there. */
    private static OpenReplica open(ImageKind kind, ReplicaPaths paths) {
        return kind.isPool() ? open(paths) : openMemory(paths);
    }

    private static OpenReplica open(
            ReplicaPaths paths,
            Function<PoolHeader, PoolFiles> opener,
            Function<PoolUuid, OpenReaders> reading) {
        requireJournal(paths);
        JournalMemory journal = null;
        PoolFiles files = null;
        OpenReaders readers = null;
        try {
            journal = paths.journal().open();
            journal.sync();
            PoolMemory memory = journal.memory();
            PendingHeader pending = new PendingHeader(memory);
            PoolHeader noted = pending.get();
            files = openFiles(() -> opener.apply(noted));
            byte[] uuid = files.poolsetUuid().bytes();
            if (noted != null) {
                pending.settle(uuid);
            }
            String name = paths.parts().get(0).path().toString();
            readers = reading.apply(files.poolsetUuid());
            ReplicaStore store =
                    new ReplicaStore(memory, files.memory(), uuid, name, readers.readers());
            return new OpenReplica(files, journal, pending, store, readers);
        } catch (RuntimeException e) {
            RuntimeException unused = closeAll(e, journal, files, readers);
            throw e;
        }
    }

    /**
     * Does it, and says what can't be done with the target's files.
     *
     * @throws Refusal ACCESS or DAMAGED
     */
    static void onFiles(Runnable step) {
        try {
            step.run();
        } catch (FarheapException e) {
            Code code =
                    e.category() == FarheapException.Category.ENVIRONMENT
                            ? Code.ACCESS
                            : Code.DAMAGED;
            throw new Refusal(
                    code,
                    "The target's files cannot be opened: " + e.getMessage(),
                    "Mend that on the target.",
                    e);
        }
    }

    private static PoolFiles openFiles(Supplier<PoolFiles> opener) {
        PoolFiles[] opened = new PoolFiles[1];
        onFiles(() -> opened[0] = opener.get());
        return opened[0];
    }

    private static void requireJournal(ReplicaPaths paths) {
        if (paths.journal().exists()) {
            if (ReplicaInspection.isUnfinished(paths.journal())) {
                throw new Refusal(
                        Code.NOT_FOUND,
                        "The making of the replica " + paths.name() + " on the target was cut.",
                        "Open the pool, and it is made.");
            }
            return;
        }
        new ReplicaRemoval(paths).requireReplica();
        throw new Refusal(
                Code.NOT_FOUND,
                "The replica " + paths.name() + " has no files on the target.",
                "Open the pool, and it is made.");
    }

    /**
     * Creates part files and journal. A failure leaves no file behind.
     *
     * @param header the pool's header, 4096 bytes
     */
    public static OpenReplica create(
            ReplicaPaths paths, Blob header, long imageBytes, int mode, long journalBytes) {
        MemorySegment template = page(header);
        return create(
                paths,
                new PoolHeader(template).poolsetUuid(),
                () -> TargetFiles.createReplica(paths.set(), template, imageBytes, mode),
                journalBytes,
                ReplicaSlot.fresh());
    }

    /**
     * Creates part files and journal of a program's remote memory. A failure leaves no file behind.
     *
     * @param attributes a header page with its attributes
     */
    public static OpenReplica createMemory(
            ReplicaPaths paths, Blob attributes, long imageBytes, long journalBytes) {
        PoolHeader template = new PoolHeader(page(attributes));
        return create(
                paths,
                template.poolsetUuid(),
                () -> TargetFiles.createMemory(paths.set(), template, imageBytes),
                journalBytes,
                ReplicaSlot.memory());
    }

    private static OpenReplica create(
            ReplicaPaths paths,
            PoolUuid poolsetUuid,
            Supplier<PoolFiles> parts,
            long journalBytes,
            ReplicaSlot slot) {
        long capacity = JournalLayout.checkedCapacity(journalBytes & -PAGE);
        JournalMemory journal = createJournal(paths, JournalLayout.fileBytes(capacity));
        boolean partsMade = false;
        try {
            PoolFiles made = createParts(paths, parts);
            partsMade = true;
            closeParts(paths, made);
            JournalFile.format(journal.memory(), capacity, poolsetUuid.bytes(), slot);
            journal.sync();
            journal.close();
            return open(ImageKind.of(slot), paths);
        } catch (RuntimeException e) {
            RuntimeException unused = closeAll(e, journal);
            new ReplicaRemoval(paths).afterFailedCreation(partsMade, e);
            throw e;
        }
    }

    /**
     * Makes a pool of this machine, which was never a replica, one that was promoted: a journal
     * comes beside its parts, in one durable step.
     */
    static OpenReplica adopt(ReplicaPaths paths, long journalBytes) {
        long capacity = JournalLayout.checkedCapacity(journalBytes & -PAGE);
        try (PoolFiles files = openFiles(() -> TargetFiles.openReplica(paths.set()))) {
            if (paths.journal().exists()) { // the making of one was cut
                try (JournalRemoval removal = JournalRemoval.of(paths.journal())) {
                    removal.delete();
                }
            }
            long runId = new Descriptor(files.memory()).runId();
            JournalMemory journal = paths.journal().create(JournalLayout.fileBytes(capacity));
            try (journal) {
                JournalFile.format(
                        journal.memory(),
                        capacity,
                        files.poolsetUuid().bytes(),
                        ReplicaSlot.promoted(runId));
                journal.sync();
            }
        }
        return open(paths);
    }

    private static MemorySegment page(Blob header) {
        MemorySegment page = Arena.ofAuto().allocate(PoolHeader.SIZE, Long.BYTES);
        page.copyFrom(MemorySegment.ofArray(header.toByteArray()));
        return page;
    }

    private static JournalMemory createJournal(ReplicaPaths paths, long bytes) {
        for (var part : paths.parts()) {
            if (Files.exists(part.path())) {
                throw new Refusal(
                        Code.EXISTS,
                        "On the target the file " + part.path() + " exists already.",
                        "It is left as it is; name another in the target's poolset, or move it"
                                + " away there.");
            }
        }
        return paths.journal().create(bytes);
    }

    private static PoolFiles createParts(ReplicaPaths paths, Supplier<PoolFiles> parts) {
        try {
            return parts.get();
        } catch (FarheapException e) {
            throw cannotCreate(paths, e);
        }
    }

    private static void closeParts(ReplicaPaths paths, PoolFiles made) {
        try {
            made.close();
        } catch (FarheapException e) {
            throw cannotCreate(paths, e);
        }
    }

    private static Refusal cannotCreate(ReplicaPaths paths, FarheapException e) {
        Code code =
                switch (e.category()) {
                    case WRONG_USE -> Code.BAD_POOLSET;
                    case BAD_DATA -> Code.BAD_MESSAGE;
                    default -> Code.MEDIUM;
                };
        return new Refusal(
                code,
                "The target cannot create the replica " + paths.name() + ": " + e.getMessage(),
                "Correct that on the target.",
                e);
    }

    /** What it holds and may become; usable until this is closed. */
    public ReplicaStore store() {
        return store;
    }

    /** Why nobody can read it on this machine; "" where they can. */
    public String unreadable() {
        return readers.fault();
    }

    /** The poolset's, as the header of the first part has it. */
    public PoolUuid poolsetUuid() {
        return files.poolsetUuid();
    }

    /** The header page of the first part. */
    public Blob header() {
        return Blob.of(files.memory().image().asSlice(0, PoolHeader.SIZE));
    }

    /**
     * Gives a program's remote memory other attributes, in one step that a crash does not cut.
     *
     * @param attributes a header page with them
     */
    public void setAttributes(Blob attributes) {
        PoolHeader header = new PoolHeader(page(attributes));
        try {
            TargetFiles.requireAttributes(files, header);
        } catch (FarheapException e) {
            throw new Refusal(Code.BAD_MESSAGE, e.getMessage(), "Give it others.", e);
        }
        pending.note(header);
        TargetFiles.setAttributes(files, header);
        pending.settle(files.poolsetUuid().bytes());
    }

    /** The layout name, where there is content. */
    public String layout() {
        return store.layout();
    }

    /** The image's size: that of all parts, as one range. */
    public long imageBytes() {
        return files.memory().size();
    }

    /** How stores to the journal become durable. */
    public PersistenceDomain journalDomain() {
        return journal.domain();
    }

    /** Unmaps, unlocks and closes all files; nobody may use the store any more. */
    @Override
    public void close() {
        store.end();
        RuntimeException failure = closeAll(null, journal, files, readers);
        if (failure != null) {
            throw failure;
        }
    }

    private static RuntimeException closeAll(RuntimeException cause, AutoCloseable... all) {
        RuntimeException first = cause;
        for (AutoCloseable each : all) {
            try {
                if (each != null) {
                    each.close();
                }
            } catch (Exception e) {
                RuntimeException failure =
                        e instanceof RuntimeException
                                ? (RuntimeException) e
                                : new IllegalStateException(e);
                if (first == null) {
                    first = failure;
                } else {
                    first.addSuppressed(failure);
                }
            }
        }
        return first;
    }
}
