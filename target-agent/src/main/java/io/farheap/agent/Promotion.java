package io.farheap.agent;

import io.farheap.agent.base.PoolsetDirectory;
import io.farheap.agent.base.Refusal;
import io.farheap.agent.journal.JournalDevices;
import io.farheap.agent.journal.JournalPlace;
import io.farheap.agent.journal.JournalRemoval;
import io.farheap.agent.lock.LockRequest;
import io.farheap.agent.lock.ReplicaLock;
import io.farheap.agent.replica.FormerWriter;
import io.farheap.agent.replica.OpenReplica;
import io.farheap.agent.replica.ReplicaInspection;
import io.farheap.agent.replica.ReplicaPaths;
import io.farheap.agent.store.ReplicaStore;
import io.farheap.agent.store.SlotEvents;
import io.farheap.base.FarheapException;
import io.farheap.pool.PoolSource;
import io.farheap.poolset.PoolSet;
import io.farheap.replication.control.Reply;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.epoch.TakenTail;
import io.farheap.replication.session.ReplicaReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/**
 * The replica on this machine becomes a pool of its own (docs/protocol.md#promotion-and-return),
 * for who has lost the pool it is a replica of. Used by one thread.
 */
public final class Promotion {
    private static final Duration TAKE_OVER_BOUND = Duration.ofSeconds(10);

    private final ReplicaPaths paths;

    private Promotion(ReplicaPaths paths) {
        this.paths = paths;
    }

    /**
     * @param poolset this machine's poolset file of the replica
     * @throws FarheapException when that is missing, or can't be a replica's
     */
    public static Promotion of(Path poolset) {
        requirePoolSet(PoolSource.of(poolset));
        try {
            Path file = poolset.toRealPath();
            return new Promotion(
                    ReplicaPaths.of(
                            new PoolsetDirectory(file.getParent()), file.getFileName().toString()));
        } catch (IOException e) {
            throw FarheapException.environment(e, "cannot find out where %s is: %s", poolset, e);
        } catch (Refusal e) {
            throw e.whole();
        }
    }

    /** Who names a file of this machine is told more than an initiator. */
    private static void requirePoolSet(PoolSource source) {
        source.requireFile();
        if (!source.isPoolSet()) {
            throw FarheapException.badData(
                    "%s is not a poolset file: name that of the replica here", source.path());
        }
        PoolSet unused = source.existing();
    }

    /**
     * The files that are left of a promoted replica beside the first part of what is a pool now:
     * its journal, by which the old pool is known, and the agent's lock. They go with the pool.
     */
    public static List<Path> remains(Path firstPart) {
        List<Path> files = ReplicaPaths.beside(firstPart);
        JournalPlace journal = new JournalPlace(files.get(0), JournalDevices.NONE);
        boolean whole = journal.exists() && ReplicaInspection.journalUuid(journal).isPresent();
        return whole ? files.stream().filter(Files::exists).toList() : List.of();
    }

    /**
     * Deletes one of them, and what a device has of it.
     *
     * @throws FarheapException when it is in use, or the system refuses
     */
    public static void delete(Path remain) {
        try (JournalRemoval removal =
                JournalRemoval.of(new JournalPlace(remain, JournalDevices.NONE))) {
            removal.delete();
        } catch (Refusal e) {
            throw e.whole();
        }
    }

    /** Whether it was ever a replica: else it is a pool that was made here. */
    public boolean hasJournal() {
        return paths.journal().exists()
                && (!ReplicaInspection.isUnfinished(paths.journal())
                        || ReplicaInspection.holdsNothing(paths));
    }

    /** The first part file. */
    public Path firstPart() {
        return paths.parts().get(0).path();
    }

    /** All files of the replica, to be moved aside. */
    public ReplicaAside aside() {
        return new ReplicaAside(paths);
    }

    /** What there is, without changing anything, whoever has it. */
    public ReplicaReport look() {
        String holder = ReplicaLock.holder(paths.lock());
        ReplicaInspection found = ReplicaInspection.of(paths, !holder.isEmpty());
        return new ReplicaReport(
                found.slot(),
                found.header(),
                paths.set().poolSize(),
                found.faults(),
                holder.isEmpty() ? found.program() : holder);
    }

    /**
     * Ends whoever writes to the replica, applies its whole tail and gives it a number of its own.
     * Durable on return; cut anywhere, it is done again. A promoted one stays as it is.
     *
     * @param who asks for it, for messages
     * @param takeOver end the agent that has it now, by force if need be
     * @param term the highest of a writer under automatic fail-over that a person knows it has
     *     heard, and passes over; 0: none
     * @throws FarheapException when it holds no whole copy, or others have it, or a record says who
     *     writes its pool; nothing has changed then
     */
    public Reply.Promoted run(String who, boolean takeOver, long term) {
        return opened(
                LockRequest.onTarget(who, takeOver),
                store -> {
                    SlotEvents.requireNoRecord(store.slot(), term);
                    long replayed = store.ownership().promote();
                    return new Reply.Promoted(store.slot().cur(), replayed);
                });
    }

    /**
     * This machine's node takes the pool over, as the pool's record says
     * (docs/high-availability.md#take-over): whoever writes to the replica is ended before the
     * journal is scanned, or a record could come behind the scan and be acknowledged
     * (docs/high-availability.md#fence-first); the term is durable here, and only then the whole
     * tail is applied. The pool keeps the recorded number. Durable on return; cut anywhere, it is
     * done again.
     *
     * @param who asks for it, for messages
     * @param recordId of the record that the term is of
     * @param number as recorded
     * @return the records that were applied
     * @throws FarheapException when the copy does not have that number; category REPLICA when it
     *     has heard a writer of a later term: this turn is over, and there may be another. Nothing
     *     but the term has changed then
     */
    public TakenTail takeOver(String who, long term, long recordId, long number) {
        requireTurn(term);
        return opened(
                LockRequest.onTarget(who, true),
                store -> {
                    greet(store, term, recordId);
                    return store.ownership().takeOver(number);
                });
    }

    /** Before the right of a later writer is ended for it. */
    private void requireTurn(long term) {
        SlotReport slot = look().slot();
        if (slot != null && slot.term() > term) {
            throw FarheapException.replica(
                    "%s has heard a writer of term %d: this node's turn, of term %d, is over.",
                    firstPart(), slot.term(), term);
        }
    }

    private static void greet(ReplicaStore store, long term, long recordId) {
        try {
            store.greet(term, recordId);
        } catch (Refusal e) {
            throw new FarheapException(
                    FarheapException.Category.REPLICA, e.whole().getMessage(), e);
        }
    }

    /**
     * What was replayed when this machine's node took the pool over, as long as the pool has the
     * same number. A take-over that was cut comes to its end; nothing else is done, whatever has
     * become of the copy meanwhile, and whoever has it keeps it.
     *
     * @throws FarheapException when others have it
     */
    public TakenTail replayedTail(String who) {
        return opened(LockRequest.onTarget(who, false), store -> store.ownership().replayedTail());
    }

    private <T> T opened(LockRequest request, Function<ReplicaStore, T> step) {
        try (ReplicaLock lock = ReplicaLock.acquire(paths.lock(), request, TAKE_OVER_BOUND)) {
            FormerWriter.recoverFiles(paths);
            try (OpenReplica replica = OpenReplica.open(paths)) {
                return step.apply(replica.store());
            } finally {
                lock.removeUnless(paths.journal().path());
            }
        } catch (Refusal e) {
            throw e.whole();
        }
    }
}
