package io.farheap.pool;

import io.farheap.base.DiskJournalFacts;
import io.farheap.base.FarheapException;
import io.farheap.base.JournalSettings;
import io.farheap.base.PersistenceDomain;
import io.farheap.layout.Descriptor;
import io.farheap.layout.FeatureFlags;
import io.farheap.layout.PoolHeader;
import io.farheap.layout.PoolUuid;
import io.farheap.memory.JournalCounters;
import io.farheap.memory.JournaledFiles;
import io.farheap.memory.MappedImage;
import io.farheap.memory.MappedImage.Access;
import io.farheap.memory.MirroredPersistence;
import io.farheap.memory.Persistence;
import io.farheap.memory.PoolMemory;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.PoolSet;
import io.farheap.poolset.PoolSet.Option;
import io.farheap.poolset.RemoteReplica;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The part files of one open pool: every local replica locked, mapped, validated, and the master's
 * image as memory whose persists reach all of them (docs/format.md#creation,
 * docs/format.md#opening).
 *
 * <p>While open, no other process, C programs included, can open the files. {@link #close} must be
 * called when no thread uses {@link #memory} any more. Not thread-safe itself; the memory is.
 *
 * <p>Opening and creating either succeed or throw one {@link FarheapException} and leave everything
 * as it was: existing files unchanged, created ones removed.
 */
public final class PoolFiles implements AutoCloseable {
    private final Access access;
    private final List<ReplicaFiles> replicas;

    /** Where its parts are made; null where they are named one by one. */
    private final DirectoryParts directories;

    /** The other local replicas; null where there are none. */
    private final MirroredPersistence mirror;

    /** Null where stores reach the files by themselves, or none. */
    private final PoolJournal journal;

    private final PoolMemory memory;
    private volatile PoolSet set;
    private boolean open = true;
    private boolean removedUnlessClosed;
    private boolean removed;

    PoolFiles(PoolSet set, Access access, List<ReplicaFiles> replicas, DirectoryParts directories) {
        this(set, access, replicas, directories, null);
    }

    PoolFiles(
            PoolSet set,
            Access access,
            List<ReplicaFiles> replicas,
            DirectoryParts directories,
            PoolJournal journal) {
        this.journal = journal;
        this.set = set;
        this.access = access;
        this.replicas = List.copyOf(replicas);
        this.directories = directories;
        ReplicaFiles master = replicas.get(0);
        long size = set.poolSize();
        mirror =
                replicas.size() == 1 || journal != null // which has all of them written
                        ? null
                        : new MirroredPersistence(master.image(), copies(), size);
        Persistence persistence = mirror == null ? master.image().persistence() : mirror;
        if (journal != null) {
            persistence = journal.start(master.image().segment().asSlice(0, size));
        }
        List<MappedImage> images = replicas.stream().map(ReplicaFiles::image).toList();
        memory = new PoolMemory(place(set), images, size, persistence);
    }

    private List<MappedImage> copies() {
        return replicas.stream().skip(1).map(ReplicaFiles::image).toList();
    }

    /** The image of one replica by itself. */
    static PoolMemory imageOf(PoolSet set, ReplicaFiles replica) {
        return new PoolMemory(
                replica.image().segment().asSlice(0, set.poolSize()),
                replica.image().persistence());
    }

    /**
     * Creates a pool: files fully allocated, headers, descriptor, content; durable and open when
     * this returns, with the run id 0.
     *
     * @param content writes lanes and heap, durably; the descriptor is there but not yet valid
     */
    public static PoolFiles create(
            PoolSource source, CreateOptions options, Consumer<PoolMemory> content) {
        return create(source, options, Journaling.NONE, content);
    }

    /**
     * As above, with a disk journal where that is said.
     *
     * @throws FarheapException also where it should have one and can't: neither is left then
     */
    public static PoolFiles create(
            PoolSource source,
            CreateOptions options,
            Journaling journaling,
            Consumer<PoolMemory> content) {
        Descriptor.encodeLayout(options.layout());
        PoolSet set = source.forCreation();
        ExistingParts.requireNone(source, set);
        DirectoryParts directories = source.directories();
        FeatureFlags features =
                FeatureFlags.forNewPool(set.has(Option.SINGLEHDR), options.shutdownState());
        return PoolCreation.create(
                set,
                directories,
                replicas -> PoolCreation.headers(replicas, features, PoolUuid.random()),
                options,
                journaling,
                memory -> {
                    Descriptor descriptor = new Descriptor(memory);
                    descriptor.format(options.layout());
                    content.accept(memory);
                    descriptor.seal();
                });
    }

    /** Opens a pool of any layout, looking at headers and descriptor only. */
    public static PoolFiles open(PoolSource source) {
        return open(source, null, ContentCheck.NONE);
    }

    /**
     * Opens a pool. Nothing is changed before all checks have passed, one of them that all local
     * replicas are of the same run, or hold the same commits; then the files are marked open and
     * the master's lanes are copied to the other local replicas.
     *
     * @param layout what its layout must be, or null for any
     * @param contentCheck looks at the image of each local replica, master first; where a crash
     *     left work for a recovery it is rehearsed before it begins
     */
    public static PoolFiles open(PoolSource source, String layout, ContentCheck contentCheck) {
        DiskJournalRecovery.beforeOpening(source);
        return started(opened(source, layout, contentCheck, Access.SHARED));
    }

    /**
     * As {@link #open(PoolSource, String, ContentCheck)}, with a disk journal beside the first
     * part: what is ordered in {@link #memory} is durable after one sync for all threads. Until
     * they are closed, only this way the files can be opened.
     */
    public static PoolFiles openJournaled(
            PoolSource source, String layout, ContentCheck contentCheck, JournalSettings settings) {
        return started(opened(source, layout, contentCheck, Access.JOURNALED, settings));
    }

    /**
     * As {@link #open(PoolSource, String, ContentCheck)} or {@link #openJournaled}, as is said. Of
     * a pool that can do without a journal, and can't have one, the log says why.
     */
    public static PoolFiles open(
            PoolSource source, String layout, ContentCheck contentCheck, Journaling journaling) {
        return JournaledOpening.open(source, layout, contentCheck, journaling);
    }

    private static PoolFiles started(PoolFiles files) {
        try {
            files.startUse();
            return files;
        } catch (Throwable e) {
            PoolFilesOpening.closeAfter(e, files.journal, files.replicas);
            throw e;
        }
    }

    private static PoolFiles opened(
            PoolSource source, String layout, ContentCheck contentCheck, Access access) {
        return opened(source, layout, contentCheck, access, JournalSettings.USUAL);
    }

    private static PoolFiles opened(
            PoolSource source,
            String layout,
            ContentCheck contentCheck,
            Access access,
            JournalSettings settings) {
        return new PoolFilesOpening(source, layout, contentCheck, access, settings).open();
    }

    /**
     * Opens a pool copy on write: for looking and checking, recovery included. The same locks are
     * taken, and nothing ever reaches the files.
     *
     * @param layout what its layout must be, or null for any
     */
    public static PoolFiles openPrivate(PoolSource source, String layout) {
        return openPrivate(source, layout, ContentCheck.NONE);
    }

    /** As above, of a pool that passes the check that {@link #open} makes of its content. */
    public static PoolFiles openPrivate(
            PoolSource source, String layout, ContentCheck contentCheck) {
        return opened(source, layout, contentCheck, Access.PRIVATE);
    }

    /**
     * As {@link #open}, copy on write: what is stored in {@link #memory} vanishes with the close.
     */
    public static PoolFiles openVanishing(
            PoolSource source, String layout, ContentCheck contentCheck) {
        PoolFiles files = opened(source, layout, contentCheck, Access.PRIVATE);
        try {
            files.prepareRecovery();
            return files;
        } catch (Throwable e) {
            PoolCreation.closeAll(files.replicas, e);
            throw e;
        }
    }

    /** Touches every page of all local replicas, so that no later access waits for one. */
    public void prefault() {
        replicas.forEach(replica -> replica.image().prefault());
    }

    /** Whether stores reach the files; else they vanish with the close. */
    public boolean isShared() {
        return access != Access.PRIVATE;
    }

    /**
     * Opens a pool copy on write whatever its bytes are, to find out what is wrong with them: see
     * {@link #eachFault}.
     *
     * @throws FarheapException where a part is missing, locked or of the wrong size
     */
    public static PoolFiles openUnchecked(PoolSource source) {
        return openUnchecked(source.existing());
    }

    /** As above, of some of a pool's local replicas, the first of which is the master then. */
    public static PoolFiles openUnchecked(PoolSet set) {
        return new PoolFiles(
                set, Access.PRIVATE, PoolFilesOpening.openAll(set, Access.PRIVATE, 0), null);
    }

    /** As {@link #openUnchecked(PoolSet)}, of a pool whose parts the caller has locked. */
    public static PoolFiles openLocked(PoolSet set) {
        List<ReplicaFiles> replicas = new ArrayList<>();
        try {
            for (LocalReplica replica : set.localReplicas()) {
                replicas.add(ReplicaFiles.openLocked(set, replica));
            }
            JournalLook.through(replicas, set.poolSize());
            return new PoolFiles(set, Access.PRIVATE, replicas, null);
        } catch (Throwable e) {
            PoolCreation.closeAll(replicas, e);
            throw e;
        }
    }

    /**
     * Everything for which {@link #open} refuses these files, but for their content: headers, links
     * and shutdown states. For a pool that is open too.
     */
    public void eachFault(Consumer<PoolFault> found) {
        HeaderValidation.eachFault(set, replicas, found);
        ShutdownStates.eachFault(replicas, found);
    }

    /**
     * Whether the local replicas, whose descriptors are in order, come from one run or have the
     * same commits.
     *
     * @param contentCheck asked where run ids and bytes differ, about the files as they are on the
     *     medium
     * @throws FarheapException BAD_DATA naming each replica's number
     */
    public void requireOneRun(ContentCheck contentCheck) {
        new ReplicaRuns(set, replicas).check(contentCheck);
    }

    static long mostBytes(DirectoryParts directories) {
        return directories == null ? 0 : directories.mostBytes();
    }

    void startUse() {
        ShutdownStates.open(replicas);
        if (directories != null) {
            // No part that the next growth makes may meet one that growth did not finish.
            directories.unfinished(set).forEach(PartFiles::remove);
        }
        prepareRecovery();
    }

    /**
     * Brings the local replicas together as far as recovery needs it. Without a mark: what was
     * opened copy on write may be recovered too.
     */
    public void prepareRecovery() {
        new RecoveryPreparation(set, replicas, memory, journal != null).prepare();
    }

    /** Whether there are further local replicas. */
    public boolean hasCopies() {
        return replicas.size() > 1;
    }

    /**
     * The most bytes that the image may have by {@link #grow}; 0 for a pool whose parts are named
     * one by one, and for one opened privately.
     */
    public long mostBytes() {
        return isShared() ? mostBytes(directories) : 0;
    }

    /**
     * Makes the image longer: one more part of so many bytes, all zero, in each local replica.
     * Durable when this returns, and {@link #memory} shows it. One thread at a time.
     *
     * @param bytes a multiple of 4096, at least 2 MiB, within {@link #mostBytes}
     * @throws FarheapException ENVIRONMENT when the files can't be made; none is left then
     */
    public void grow(long bytes) {
        PoolSet longer = directories.longer(set, bytes);
        int next = set.master().parts().size();
        try {
            for (int r = 0; r < replicas.size(); r++) {
                replicas.get(r).makeNextPart(longer.localReplicas().get(r).parts().get(next));
            }
            replicas.forEach(replica -> replica.mapNextPart(bytes));
        } catch (Throwable e) {
            PoolCreation.after(replicas, ReplicaFiles::dropNextPart, e);
            throw e;
        }
        for (int r = 0; r < replicas.size(); r++) {
            replicas.get(r).showNextPart(bytes, longer, longer.localReplicas().get(r));
        }
        set = longer;
        ShutdownStates.open(replicas);
        MemorySegment image = replicas.get(0).image().segment().asSlice(0, longer.poolSize());
        if (mirror != null) {
            mirror.grow(image, copies());
        }
        if (journal != null) {
            journal.grow(image);
        }
        memory.grow(image);
    }

    /**
     * The master's image, pool size bytes; what is persisted in it is persisted in all replicas.
     */
    public PoolMemory memory() {
        return memory;
    }

    /**
     * The image of each local replica, master first, pool size bytes; to look at. With a disk
     * journal the master's alone: the others get what it has by and by.
     */
    public List<MemorySegment> localImages() {
        return replicas.stream()
                .limit(journal == null ? replicas.size() : 1)
                .map(replica -> replica.image().segment().asSlice(0, set.poolSize()).asReadOnly())
                .toList();
    }

    /** How stores become durable: the weakest domain of all part files. */
    public PersistenceDomain domain() {
        return replicas.stream()
                .map(replica -> replica.image().domain())
                .filter(PersistenceDomain::syncsPages)
                .findFirst()
                .orElse(replicas.get(0).image().domain());
    }

    /** Whether fences enter the kernel: page cache, or libpmem is not installed. */
    boolean fencesBySystemCall() {
        return replicas.stream().anyMatch(replica -> replica.image().fencesBySystemCall());
    }

    /** The set; a plain pool file is a set of one part. */
    public PoolSet poolSet() {
        return set;
    }

    /**
     * The remote replicas that the poolset file names by now, in its order.
     *
     * @throws FarheapException where it has a mistake, or anything else in it has changed
     */
    public List<RemoteReplica> remotesAgain() {
        return new RemoteLines(directories == null ? set : directories.written()).again();
    }

    /** The remote replicas in the order of the poolset file, when the pool was opened. */
    public List<RemoteReplica> remotes() {
        return set.remoteReplicas();
    }

    /**
     * What a remote replica's headers must say: 4096 bytes with this pool's features, poolset uuid
     * and architecture, all part uuids zero.
     */
    public MemorySegment headerTemplate() {
        MemorySegment template = Arena.ofAuto().allocate(PoolHeader.SIZE, Long.BYTES);
        PoolUuid none = PoolUuid.ZERO;
        new PoolHeader(template)
                .format(
                        masterHeader().withoutMark().features(), // a replica has no disk journal
                        poolsetUuid(),
                        none,
                        new PoolHeader.Links(none, none, none, none),
                        0);
        return template;
    }

    /**
     * Has memory given back that a disk journal's private image takes.
     *
     * @param quiet runs what no store may disturb
     */
    public void giveBack(JournaledFiles.Quiet quiet) {
        if (journal != null) {
            journal.giveBack(quiet);
        }
    }

    /** The disk journals, one for each local replica; empty where it has none. */
    public List<DiskJournalFacts> diskJournals() {
        return journal == null ? List.of() : journal.facts();
    }

    /** What its disk journal did since it was opened; nothing where it has none. */
    public JournalCounters journalCounters() {
        return journal == null ? JournalCounters.NONE : journal.counters();
    }

    /** The uuid that all headers of the pool carry. */
    public PoolUuid poolsetUuid() {
        return masterHeader().poolsetUuid();
    }

    /** The 64-bit id that every object id of this pool carries. */
    public long poolId() {
        return poolsetUuid().poolId();
    }

    /** The layout name in the descriptor. */
    String layout() {
        return new Descriptor(memory).layout();
    }

    List<ReplicaFiles> replicas() {
        return replicas;
    }

    private PoolHeader masterHeader() {
        return replicas.get(0).headers().get(0);
    }

    static String place(PoolSet set) {
        return set.file().isEmpty() ? set.master().parts().get(0).path().toString() : set.file();
    }

    /**
     * Makes everything durable, marks the files closed, unmaps and unlocks them. Idempotent; after
     * a failure it tries again what is left.
     */
    @Override
    public void close() {
        AllSteps steps = new AllSteps();
        if (open && access == Access.SHARED) {
            replicas.forEach(replica -> steps.run(() -> finish(replica)));
        }
        if (open && journal != null) {
            steps.run(this::finishJournal);
            steps.run(journal::close);
        }
        if (open && removedUnlessClosed && steps.failure() != null) {
            remove(steps, steps.failure());
        }
        open = false;
        replicas.forEach(replica -> steps.run(replica::close));
        steps.end();
    }

    /** A {@link #close} that fails before it lets the locks go removes what was made here. */
    public void removeUnlessClosed() {
        removedUnlessClosed = true;
    }

    /** Closes the files of a pool that is not made in the end; what was made here goes. */
    public void removeAfter(Throwable failure) {
        if (!open) {
            return;
        }
        open = false;
        AllSteps steps = new AllSteps();
        remove(steps, failure);
        replicas.forEach(replica -> steps.run(replica::close));
        if (steps.failure() != null) {
            failure.addSuppressed(steps.failure());
        }
    }

    /** Whether that was done, as far as it could be. */
    public boolean areRemoved() {
        return removed;
    }

    /** The parts first: a marked one without its disk journal would be worse than both. */
    private void remove(AllSteps steps, Throwable failure) {
        removed = true;
        replicas.forEach(replica -> replica.remove(steps));
        if (journal != null) {
            journal.discardAfter(failure);
        }
    }

    private void finishJournal() {
        replicas.forEach(replica -> replica.image().requireWhole());
        journal.finish(() -> replicas.forEach(ShutdownStates::close));
    }

    static void finish(ReplicaFiles replica) {
        replica.image().requireWhole(); // the JVM may not have told of it as yet
        if (replica.image().domain().syncsPages()) {
            // Stores that were never flushed, as volatile ones in the headers of free blocks.
            replica.image().syncPages();
        }
        ShutdownStates.close(replica);
    }
}
