package io.farheap.agent.replica;

import io.farheap.agent.base.Refusal;
import io.farheap.base.FarheapException;
import io.farheap.pool.DiskJournalRecovery;
import io.farheap.pool.PoolSource;
import io.farheap.pool.SideFiles;
import io.farheap.replication.control.Reply.Code;
import io.farheap.replication.journal.KeptTerm;
import java.nio.file.Path;

/**
 * The copy of a node whose turn to write is over, found as its program left it
 * (docs/high-availability.md#former-writer). Its lock is held.
 */
public final class FormerWriter {
    private final ReplicaPaths paths;
    private final long journalBytes;

    /**
     * @param journalBytes of a journal, where the copy has none: it was never a replica
     */
    public FormerWriter(ReplicaPaths paths, long journalBytes) {
        this.paths = paths;
        this.journalBytes = journalBytes;
    }

    /**
     * Opens it; its newest commits are in its files then.
     *
     * @param term of the writer that asks for it
     * @throws FarheapException when a program has it, or has had it in a later term
     */
    public OpenReplica open(long term) {
        requireTerm(term); // before anything changes
        boolean hasJournal =
                paths.journal().exists() && !ReplicaInspection.isUnfinished(paths.journal());
        recoverFiles(paths);
        OpenReplica replica =
                hasJournal ? OpenReplica.open(paths) : OpenReplica.adopt(paths, journalBytes);
        boolean allowed = false;
        try {
            requireTerm(term); // now that no program can begin another one
            allowed = true;
            return replica;
        } finally {
            if (!allowed) {
                replica.close();
            }
        }
    }

    /**
     * Brings the files of a pool that its program has not closed to where its disk journal ends, as
     * the next program does that opens it; others are left as they are. Nobody takes them for a
     * replica's before.
     *
     * @throws Refusal a program has the pool, or the disk journal is not whole
     */
    public static void recoverFiles(ReplicaPaths paths) {
        if (DiskJournalRecovery.isNeeded(paths.set())) {
            OpenReplica.onFiles(
                    () -> DiskJournalRecovery.recover(PoolSource.of(paths.poolsetFile())));
        }
    }

    /** What its node keeps beside it. */
    public static KeptTerm kept(ReplicaPaths paths) {
        return KeptTerm.read(termFile(paths));
    }

    /**
     * Whether a writer of the record was here: the file that it keeps has a term, or is damaged. A
     * node that waits for its turn, or was cut when it made a record, keeps one without a term.
     *
     * @throws FarheapException category ENVIRONMENT when that can't be found out
     */
    public static boolean hasLeftItsTerm(ReplicaPaths paths) {
        try {
            return kept(paths).term() != 0;
        } catch (FarheapException damaged) {
            if (damaged.category() != FarheapException.Category.BAD_DATA) {
                throw damaged;
            }
            return true;
        }
    }

    private static Path termFile(ReplicaPaths paths) {
        return new SideFiles(paths.parts().get(0).path()).term();
    }

    private void requireTerm(long term) {
        long here = kept(paths).term();
        if (here > term) {
            throw new Refusal(
                    Code.TERM_OVER,
                    "The term "
                            + term
                            + " of this writer is over: this node has written in term "
                            + here
                            + ".",
                    "Another node has taken the pool over; this one must not write to it.");
        }
    }
}
