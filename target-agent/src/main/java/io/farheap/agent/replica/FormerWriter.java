package io.farheap.agent.replica;

import io.farheap.agent.base.Refusal;
import io.farheap.agent.store.SlotEvents;
import io.farheap.base.FarheapException;
import io.farheap.pool.DiskJournalRecovery;
import io.farheap.pool.PoolSource;
import io.farheap.replication.control.Reply.Code;
import io.farheap.replication.journal.KeptTerm;
import java.util.Optional;

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
     * @param recordId that the term is of; 0: not known
     * @throws FarheapException when a program has it, or has had it in a later term or under
     *     another record
     */
    public OpenReplica open(long term, long recordId) {
        requireTerm(paths, term, recordId); // before anything changes
        boolean hasJournal =
                paths.journal().exists() && !ReplicaInspection.isUnfinished(paths.journal());
        recoverFiles(paths);
        OpenReplica replica =
                hasJournal ? OpenReplica.open(paths) : OpenReplica.adopt(paths, journalBytes);
        boolean allowed = false;
        try {
            requireTerm(paths, term, recordId); // now that no program can begin another one
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
        return KeptTerm.beside(paths.parts().get(0).path());
    }

    /**
     * The same; empty where it can't be read: then nobody knows what its node has written in.
     *
     * @throws FarheapException category ENVIRONMENT when that can't be found out
     */
    public static Optional<KeptTerm> keptIfKnown(ReplicaPaths paths) {
        try {
            return Optional.of(kept(paths));
        } catch (FarheapException damaged) {
            if (damaged.category() != FarheapException.Category.BAD_DATA) {
                throw damaged;
            }
            return Optional.empty();
        }
    }

    /**
     * Refuses a writer whose term is over for this node, and one of another record than this node
     * has written under.
     */
    public static void requireTerm(ReplicaPaths paths, long term, long recordId) {
        KeptTerm here = kept(paths);
        if (SlotEvents.isOfAnother(here.recordId(), recordId)) {
            throw new Refusal(
                    Code.OUTSIDE_RECORD,
                    String.format(
                            "On the target %s is what its node has written in term %d of another"
                                    + " record (%016x), which may be nowhere else; this writer's is"
                                    + " term %d of the record %016x.",
                            paths.name(), here.term(), here.recordId(), term, recordId),
                    SlotEvents.OTHER_RECORD_ADVICE);
        }
        if (here.term() > term) {
            throw new Refusal(
                    Code.TERM_OVER,
                    "The term "
                            + term
                            + " of this writer is over: this node has written in term "
                            + here.term()
                            + ".",
                    "Another node has taken the pool over; this one must not write to it.");
        }
    }
}
