package io.farheap.pool;

import io.farheap.base.FarheapException;
import io.farheap.base.JournalSettings;
import io.farheap.layout.Descriptor;
import io.farheap.memory.JournalHole;
import io.farheap.memory.MappedImage;
import io.farheap.memory.MappedImage.Access;
import io.farheap.memory.PoolMemory;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.PoolSet;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * The steps of opening a pool's files: parts are found, locked and mapped, headers, shutdown
 * states, descriptors and contents are checked. Nothing is changed before all have passed, and what
 * was opened is closed when one fails.
 */
final class PoolFilesOpening {
    private final PoolSource source;
    private final String layout;
    private final ContentCheck contentCheck;
    private final Access access;
    private final JournalSettings settings;

    /** Null where stores reach the files by themselves, or none, and before it is opened. */
    private PoolJournal journal;

    /**
     * @param layout what its layout must be, or null for any
     */
    PoolFilesOpening(
            PoolSource source,
            String layout,
            ContentCheck contentCheck,
            Access access,
            JournalSettings settings) {
        this.settings = settings;
        this.source = source;
        this.layout = layout;
        this.contentCheck = contentCheck;
        this.access = access;
    }

    PoolFiles open() {
        DirectoryParts directories = source.directories();
        PoolSet set = directories == null ? source.existing() : directories.existing();
        ExistingParts.requireAll(source, set);
        long mostBytes = access == Access.PRIVATE ? 0 : PoolFiles.mostBytes(directories);
        List<ReplicaFiles> replicas = named(set, () -> openAll(set, access, mostBytes));
        try {
            List<ReplicaFiles> same =
                    named(
                            set,
                            () -> {
                                HeaderValidation.ofPool(set, replicas);
                                return replicas;
                            });
            same.forEach(ShutdownStates::check);
            if (access == Access.JOURNALED && HeaderMark.isMarked(replicas)) {
                journal = PoolJournal.open(set.poolSize(), replicas, settings);
            }
            for (ReplicaFiles replica : replicas) {
                new Descriptor(PoolFiles.imageOf(set, replica))
                        .validate(replica.path(0).toString(), layout);
            }
            contentCheck.begin();
            new ReplicaRuns(set, replicas).check(contentCheck);
            boolean changes = contentCheck.check(PoolFiles.imageOf(set, replicas.get(0)));
            for (int r = 1; r < replicas.size(); r++) {
                // Its lanes become the first one's: nothing of its own is recovered.
                boolean unused = contentCheck.check(PoolFiles.imageOf(set, replicas.get(r)));
            }
            if (changes || replicas.size() > 1) {
                rehearse(set, replicas);
            }
            if (access == Access.JOURNALED && journal == null) {
                journal = PoolJournal.begin(set.poolSize(), replicas, settings);
            }
            return new PoolFiles(set, access, replicas, directories, journal);
        } catch (Throwable e) {
            closeAfter(e, journal, replicas);
            throw e;
        }
    }

    /**
     * Has the files of a marked pool brought to where its disk journals end, and unmarked.
     *
     * @param partly whether local replicas whose parts are broken are left as they are where
     *     another one is whole: each has all that was acknowledged. They need a sync then, also
     *     where what they lack comes back.
     */
    void recoverFromJournal(boolean partly) {
        recoverFromJournal(
                whole -> partly ? PoolInspection.of(whole).healthyButForJournals() : whole,
                hole -> {
                    throw hole.refusal();
                });
    }

    /**
     * The same, partly, and without what lies behind a damaged batch: the journal is kept.
     *
     * @return what is given up
     */
    List<DroppedBatches> recoverDropping() {
        List<DroppedBatches> dropped = new ArrayList<>();
        recoverFromJournal(
                whole -> PoolInspection.of(whole).healthyButForJournals(),
                hole -> dropped.add(DroppedBatches.keep(hole)));
        return dropped;
    }

    private void recoverFromJournal(UnaryOperator<PoolSet> which, Consumer<JournalHole> holes) {
        DirectoryParts directories = source.directories();
        PoolSet whole = directories == null ? source.existing() : directories.existing();
        PoolSet set = which.apply(whole);
        ExistingParts.requireAll(source, set);
        List<ReplicaFiles> replicas = named(set, () -> openAll(set, access, 0));
        try {
            if (set == whole) {
                HeaderValidation.ofPool(set, replicas);
            } else {
                replicas.forEach(replica -> HeaderValidation.ofReplica(set, replica));
            }
            if (HeaderMark.isMarked(replicas)) {
                PoolJournal.recoverAndUnmark(whole.poolSize(), replicas, holes);
            }
        } catch (Throwable e) {
            closeAfter(e, null, replicas);
            throw e;
        }
        replicas.forEach(ReplicaFiles::close);
    }

    private void rehearse(PoolSet set, List<ReplicaFiles> replicas) {
        try (MappedImage copy = replicas.get(0).copyOnWrite()) {
            PoolMemory memory =
                    new PoolMemory(copy.segment().asSlice(0, set.poolSize()), copy.persistence());
            contentCheck.rehearse(memory, replicas.size() > 1);
        }
    }

    /** Where the poolset file is wrong, that is said, too: no part is then. */
    private static List<ReplicaFiles> named(PoolSet set, Supplier<List<ReplicaFiles>> opening) {
        try {
            return opening.get();
        } catch (FarheapException e) {
            PoolSetEdit edit = PoolSetEdit.of(set);
            throw edit == null
                    ? e
                    : new FarheapException(e.category(), e.getMessage() + "; " + edit.text(), e);
        }
    }

    static List<ReplicaFiles> openAll(PoolSet set, Access access, long mostBytes) {
        List<ReplicaFiles> replicas = new ArrayList<>();
        try {
            for (LocalReplica replica : set.localReplicas()) {
                replicas.add(ReplicaFiles.open(set, replica, access, mostBytes));
            }
            if (access == Access.PRIVATE) {
                JournalLook.through(replicas, set.poolSize());
            }
            return replicas;
        } catch (Throwable e) {
            PoolCreation.closeAll(replicas, e);
            throw e;
        }
    }

    /** Closes what was opened before an opening failed. */
    static void closeAfter(Throwable failure, PoolJournal journal, List<ReplicaFiles> replicas) {
        if (journal != null) {
            try {
                journal.close();
            } catch (Throwable second) {
                failure.addSuppressed(second);
            }
        }
        PoolCreation.closeAll(replicas, failure);
    }
}
