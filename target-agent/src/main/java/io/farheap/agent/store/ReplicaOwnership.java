package io.farheap.agent.store;

import io.farheap.agent.base.Refusal;
import io.farheap.replication.control.Reply.Code;
import io.farheap.replication.epoch.TakenTail;
import io.farheap.replication.journal.KeptTerm;
import io.farheap.replication.journal.ReplicaSlot;
import io.farheap.replication.journal.ReplicaState;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The steps by which a copy becomes a pool of its own, and those by which it is a replica again.
 * Thread-safe.
 */
public final class ReplicaOwnership {
    private final ReentrantLock lock;
    private final StoredReplica replica;

    /**
     * @param lock of the replica's store
     */
    ReplicaOwnership(ReentrantLock lock, StoredReplica replica) {
        this.lock = lock;
        this.replica = replica;
    }

    private ReplicaSlot slot() {
        return replica.slot();
    }

    private long runId() {
        return replica.content.runId();
    }

    /** Ends a promotion that was cut, or takes notice that the owner opened the promoted pool. */
    void settlePromotion() {
        long found = runId();
        if (found == slot().cur()) {
            return;
        }
        if (found == slot().poolRunId()) {
            replica.content.switchRunId(slot().cur());
        } else {
            replica.journal.write(SlotEvents.opened(slot(), found));
        }
    }

    /**
     * A pool of its own: the image holds every valid record, committed or not, and has a number of
     * its own. No term counts for it any more. Nothing else is done to a promoted one.
     *
     * @return how many records were applied
     */
    public long promote() {
        lock.lock();
        try {
            if (slot().state() == ReplicaState.PROMOTED) {
                if (slot().term() != 0) {
                    replica.journal.write(slot().withTerm(0));
                }
                return 0;
            }
            if (replica.isForeign()) {
                throw new Refusal(
                        Code.WRONG_STATE,
                        "Cannot promote "
                                + replica.name
                                + ": a program has opened its files on the target, past the agent.",
                        "It is a pool already, without the records that were not applied then:"
                                + " check it (farheap check), or promote another replica.");
            }
            replica.stopFollowing();
            long fresh = replica.content.freshNumber(slot());
            ReplicaSlot promoted =
                    SlotEvents.promoted(
                            slot(), fresh, replica.intake.sequence(), replica.intake.position());
            // The slot keeps the tail until all of it is durable: until then the old initiator may
            // still be recognised, and needs the footprint of all of it.
            long replayed = replica.replayTail();
            becomePool(promoted, fresh);
            return replayed;
        } finally {
            lock.unlock();
        }
    }

    /**
     * A pool that keeps the recorded number: the node takes it over, whose term the slot has. What
     * it was prepared for it has without its tail, else the image gets every valid record. Nothing
     * is done to one that the node has already. A copy that does not have the recorded number is
     * refused, whatever it is called (docs/high-availability.md#number-check).
     *
     * @return the records that were applied
     */
    public TakenTail takeOver(long number) {
        lock.lock();
        try {
            ReplicaSlot now = slot();
            if (now.state() == ReplicaState.PROMOTED && now.cur() == number) {
                return replayedTail();
            }
            boolean atBegin = SlotEvents.isAtBeginOf(now, number);
            boolean whole = now.state() == ReplicaState.INSYNC && now.cur() == number;
            if (replica.isForeign() || !atBegin && !whole) {
                throw new Refusal(
                        Code.WRONG_NUMBER,
                        "The copy "
                                + replica.name
                                + " can't take over with the number "
                                + number
                                + ": it is "
                                + SlotEvents.describe(now)
                                + ", run_id "
                                + runId()
                                + ".",
                        "Another node of the set may take over.");
            }
            replica.stopFollowing();
            if (atBegin) {
                replica.image.fence();
                becomePool(SlotEvents.ownedAtBegin(now, number), number);
                return TakenTail.NONE;
            }
            ReplicaSlot owned = SlotEvents.owned(now);
            long unused = replica.replayTail();
            becomePool(owned, number);
            return replayedTail();
        } finally {
            lock.unlock();
        }
    }

    /** From here on the image has a number of its own, and is nobody's replica. */
    private void becomePool(ReplicaSlot owned, long number) {
        replica.journal.write(owned);
        replica.content.switchRunId(number);
        replica.readers.closePromoted();
    }

    /** What was replayed when the node took it over, of a pool that has the same number still. */
    public TakenTail replayedTail() {
        ReplicaSlot now = slot();
        return SlotEvents.isOwnedSinceItsTail(now)
                ? TakenTail.of(
                        now.journalEpoch(),
                        now.appliedSequence(),
                        now.appliedPosition(),
                        replica.endOfTail(),
                        replica.intake.ring())
                : TakenTail.NONE;
    }

    /**
     * The node's turn to write is over, another one's has begun: what the program had not committed
     * is rolled back, and the copy takes records again. Done already: nothing. Cut anywhere, it is
     * done again, or the node goes on as if nothing had been.
     *
     * @param sequence the last record of the number that every copy has applied
     * @param position where that ends
     * @param kept by its node: what it has the content of besides
     * @throws Refusal it is not a former writer's, of that number; nothing has changed then
     */
    public void comeBack(long number, long sequence, long position, KeptTerm kept) {
        lock.lock();
        try {
            if (slot().state() == ReplicaState.INSYNC && slot().cur() == number) {
                return;
            }
            if (slot().state() == ReplicaState.PROMOTED && kept.isPrepared(runId(), number)) {
                // As its own node does; after a crash it is a pool with that number.
                FormerImage.rollBack(replica.image);
                replica.content.switchRunId(number);
                replica.journal.write(SlotEvents.opened(slot(), number));
            }
            ReplicaSlot returned = SlotEvents.returned(slot(), number, runId(), sequence, position);
            replica.content.validate(null);
            FormerImage.rollBack(replica.image);
            replica.journal.write(returned);
            replica.readRecords();
            replica.intake.extendToEnd();
        } finally {
            lock.unlock();
        }
    }

    /** The initiator has a complete copy of the promoted pool, which it will call {@code n}. */
    public void restoreComplete(long n) {
        lock.lock();
        try {
            replica.journal.write(SlotEvents.restored(slot(), n));
        } finally {
            lock.unlock();
        }
    }
}
