package io.farheap.pool;

import io.farheap.base.FarheapException;
import io.farheap.base.JournalSettings;
import io.farheap.memory.MappedImage.Access;
import io.farheap.poolset.PoolSet;
import java.util.List;

/**
 * Pools that were not closed and have a disk journal: their newest commits may be in it alone
 * (docs/disk-journal.md#open-and-close).
 */
public final class DiskJournalRecovery {
    private DiskJournalRecovery() {}

    /** Recovers a pool that is to be opened without a journal. */
    static void beforeOpening(PoolSource source) {
        if (isNeeded(source)) {
            recovering(source).recoverFromJournal(false);
        }
    }

    /**
     * Brings the files of a pool that was not closed to where its disk journal ends, durably; they
     * need none after it, and are what a power loss leaves on persistent memory. What they hold is
     * not looked at: opening does that, and a repair can. Local replicas that are broken are left
     * as they are where another one is whole. Of other pools nothing is changed.
     *
     * @throws FarheapException ENVIRONMENT for a pool in use, BAD_DATA where headers are damaged or
     *     the journal is not there or not whole; nothing was changed
     */
    public static void recover(PoolSource source) {
        recovering(source).recoverFromJournal(true);
    }

    /**
     * As {@link #recover}, where a disk journal is damaged between whole batches: what lies from
     * the damage on is given up, and the journal kept under another name. The files may have some
     * of what is given up already, if a checkpoint had begun to write it: they are to be checked
     * afterwards.
     *
     * @return what was given up in each journal; empty where none is damaged so
     * @throws FarheapException as {@link #recover}; also where there is no space for the journal
     *     that is kept
     */
    public static List<DroppedBatches> recoverDroppingDamaged(PoolSource source) {
        return recovering(source).recoverDropping();
    }

    private static PoolFilesOpening recovering(PoolSource source) {
        return new PoolFilesOpening(
                source, null, ContentCheck.NONE, Access.JOURNALED, JournalSettings.USUAL);
    }

    /**
     * Whether the newest commits of a pool, which is not open, may be in its disk journal alone;
     * parts that can't be read tell of nothing.
     */
    public static boolean isNeeded(PoolSet set) {
        return HeaderMark.isNeeded(set);
    }

    /**
     * Refuses a pool whose newest commits may be in its disk journal alone, to who would write its
     * files without that.
     *
     * @throws FarheapException BAD_DATA
     */
    public static void requireNotNeeded(PoolSet set) {
        if (isNeeded(set)) {
            refuseUnclosed(set);
        }
    }

    static void refuseUnclosed(PoolSet set) {
        throw FarheapException.badData(
                "%s was not closed, and its newest commits are in its disk journal, beside its"
                        + " first part; first: farheap recover %s; nothing was changed",
                PoolFiles.place(set), PoolFiles.place(set));
    }

    private static boolean isNeeded(PoolSource source) {
        try {
            return isNeeded(source.existing());
        } catch (FarheapException unreadable) {
            return false; // opening says that better
        }
    }
}
