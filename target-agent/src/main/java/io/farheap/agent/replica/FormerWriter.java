package io.farheap.agent.replica;

import io.farheap.agent.base.Refusal;
import io.farheap.base.FarheapException;
import io.farheap.pool.DiskJournalRecovery;
import io.farheap.pool.PoolSource;
import io.farheap.pool.SideFiles;
import io.farheap.replication.control.Reply.Code;
import io.farheap.replication.journal.KeptTerm;
import java.nio.file.Files;
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
     * Whether a writer of the record was here: what it keeps before it writes says so, and what
     * can't be read may. A node that only waits for its turn keeps a file with no term in it.
     */
    public static boolean hasLeftItsTerm(ReplicaPaths paths) {
        Path file = termFile(paths);
        if (!Files.exists(file)) {
            return false;
        }
        try {
            KeptTerm kept = KeptTerm.read(file);
            return kept.term() != 0 || kept.next() != 0;
        } catch (FarheapException unreadable) {
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
