package io.farheap.agent;

import io.farheap.base.FarheapException;
import io.farheap.base.PersistenceDomain;
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
 * with the {@link ReplicaLock} held.
 */
final class OpenReplica implements AutoCloseable {
    private static final long PAGE = 4096;

    private final PoolFiles files;
    private final JournalMemory journal;
    private final PendingHeader pending;
    private final ReplicaStore store;

    private OpenReplica(
            PoolFiles files, JournalMemory journal, PendingHeader pending, ReplicaStore store) {
        this.files = files;
        this.journal = journal;
        this.pending = pending;
        this.store = store;
    }

    /**
     * Opens a replica that exists. Nothing is changed when that fails. What a killed agent stored
     * and did not flush is durable from here on: others are told of it.
     */
    static OpenReplica open(ReplicaPaths paths) {
        return open(paths, noted -> TargetFiles.openReplica(paths.set()));
    }

    /** The same for a program's remote memory; attributes that a crash cut are written first. */
    static OpenReplica openMemory(ReplicaPaths paths) {
        return open(paths, noted -> TargetFiles.openMemory(paths.set(), noted));
    }

    private static OpenReplica open(ReplicaPaths paths, Function<PoolHeader, PoolFiles> opener) {
        requireJournal(paths);
        JournalMemory journal = null;
        PoolFiles files = null;
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
            ReplicaStore store = new ReplicaStore(memory, files.memory(), uuid, name);
            return new OpenReplica(files, journal, pending, store);
        } catch (RuntimeException e) {
            closeAll(journal, files, e);
            throw e;
        }
    }

    private static PoolFiles openFiles(Supplier<PoolFiles> opener) {
        try {
            return opener.get();
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
    static OpenReplica create(
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
    static OpenReplica createMemory(
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
            return ImageKind.of(slot).open(paths);
        } catch (RuntimeException e) {
            closeAll(journal, null, e);
            new ReplicaRemoval(paths).afterFailedCreation(partsMade, e);
            throw e;
        }
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

    ReplicaStore store() {
        return store;
    }

    PoolUuid poolsetUuid() {
        return files.poolsetUuid();
    }

    /** The header page of the first part. */
    Blob header() {
        return Blob.of(files.memory().image().asSlice(0, PoolHeader.SIZE));
    }

    /**
     * Gives a program's remote memory other attributes, in one step that a crash does not cut.
     *
     * @param attributes a header page with them
     */
    void setAttributes(Blob attributes) {
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
    String layout() {
        return store.layout();
    }

    long imageBytes() {
        return files.memory().size();
    }

    /** How stores to the journal become durable. */
    PersistenceDomain journalDomain() {
        return journal.domain();
    }

    /** Unmaps, unlocks and closes all files; nobody may use the store any more. */
    @Override
    public void close() {
        RuntimeException failure = closeAll(journal, files, null);
        if (failure != null) {
            throw failure;
        }
    }

    private static RuntimeException closeAll(
            AutoCloseable a, AutoCloseable b, RuntimeException cause) {
        RuntimeException first = cause;
        for (AutoCloseable each : new AutoCloseable[] {a, b}) {
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
