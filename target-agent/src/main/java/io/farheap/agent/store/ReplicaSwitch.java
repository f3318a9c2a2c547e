package io.farheap.agent.store;

import io.farheap.agent.records.RecordIntake;
import io.farheap.layout.LaneLayout;
import io.farheap.replication.control.AttachDecision;
import io.farheap.replication.control.ByteRange;
import io.farheap.replication.control.Reply;
import io.farheap.replication.journal.ReplicaSlot;
import io.farheap.replication.journal.ReplicaState;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The steps by which a session makes the replica a member of its next epoch, from its attach
 * decision to its confirmation, by what the tail lacks or by a full copy
 * (docs/protocol.md#the-switch). What the session may do and has begun is known here alone, and is
 * gone with it: a session that comes later begins anew. Thread-safe.
 */
public final class ReplicaSwitch {
    private final ReentrantLock lock;
    private final StoredReplica replica;
    private final RecordIntake intake;
    private final ImageTransfer transfer;

    private boolean syncAllowed;

    /** An earlier session was prepared as this one is, and may have stored content. */
    private boolean preparedBefore;

    private boolean syncStarted;

    private boolean drained;

    /**
     * @param lock of the replica's store
     */
    ReplicaSwitch(ReentrantLock lock, StoredReplica replica, ImageTransfer transfer) {
        this.lock = lock;
        this.replica = replica;
        this.intake = replica.intake;
        this.transfer = transfer;
    }

    private ReplicaSlot slot() {
        return replica.slot();
    }

    /**
     * Step 2 of the switch: the attach decision on the initiator's number {@code l}; when current,
     * the replica is prepared for {@code n} and apply stands still, or a record would be applied
     * over newer content (docs/protocol.md#apply-stops). Otherwise nothing changes; also not where
     * it was promoted and restored from: its owner's lanes have log extensions in the heap, which
     * the restored pool has given back by itself, so it has to be brought up to that.
     *
     * @param descendsFrom numbers of which {@code l} provably descends
     * @param committed what the initiator committed in {@code l}, if it knows
     * @param overwrite the user ordered that this replica be overwritten whatever it holds
     */
    public AttachDecision attach(
            long l, long n, List<Long> descendsFrom, long committed, boolean overwrite) {
        lock.lock();
        try {
            AttachDecision kind = replica.report().decisionOn(l, descendsFrom, committed);
            syncAllowed =
                    switch (kind) {
                        case NEW, SYNC_INTERRUPTED, STALE -> true;
                        default -> overwrite;
                    };
            if (kind == AttachDecision.CURRENT && slot().state() == ReplicaState.PROMOTED) {
                replica.content.validate(null);
                syncAllowed = true; // and needed: its heap has its owner's log extensions
            } else if (kind == AttachDecision.CURRENT) {
                replica.stopFollowing();
                preparedBefore = slot().next() != 0;
                ReplicaSlot switching = SlotEvents.switching(slot(), l, n, replica.content.runId());
                replica.content.validate(null);
                boolean keepsTail = slot().state() == ReplicaState.INSYNC;
                replica.journal.write(switching);
                if (!keepsTail) {
                    replica.readRecords();
                }
            }
            return kind;
        } finally {
            lock.unlock();
        }
    }

    /**
     * At open, and before a sync: what the tail's records change, ascending and disjoint. They may
     * have been rolled back at the initiator, which sends what it has there
     * (docs/protocol.md#footprint).
     */
    public List<ByteRange> footprint() {
        lock.lock();
        try {
            boolean olderCopy =
                    syncAllowed && !intake.isOpen() && slot().state() == ReplicaState.INSYNC;
            if (!olderCopy) {
                requirePrepared();
            }
            long end = drained ? slot().appliedPosition() : intake.position();
            List<ByteRange> tails = replica.footprint(end);
            List<ByteRange> all =
                    slot().uncompared() ? replica.bounds().withAllOfTheHeap(tails) : tails;
            if (!olderCopy) {
                // What is equal in memory is not sent again, and a flush of it may have failed.
                for (ByteRange range : preparedBefore ? all : tails) {
                    transfer.doubt(range.offset(), range.length());
                }
            }
            return all;
        } finally {
            lock.unlock();
        }
    }

    /**
     * In a run: applies the records of the old epoch up to {@code d}; the rest no longer counts.
     * What is applied beyond {@code d} already are empty records, which waited for nobody: nothing
     * is applied that the initiator has not committed, and it commits nothing that is not durable
     * everywhere.
     */
    public void drain(long d) {
        lock.lock();
        try {
            requirePrepared();
            if (!isWithinTail(d)) {
                throw replica.wrongState(
                        "its records reach to " + intake.sequence() + ", not to " + d);
            }
            while (slot().appliedSequence() < d) {
                if (replica.applySome(d) == 0) {
                    throw new IllegalStateException(
                            replica.name + ": the tail ends at record " + slot().appliedSequence());
                }
            }
            drained = true;
        } finally {
            lock.unlock();
        }
    }

    private boolean isWithinTail(long sequence) {
        return sequence <= intake.sequence();
    }

    /**
     * Step 4 of the switch: the image is durable. What was stored in this switch is flushed before
     * the answer, which the number relies on; what an earlier flush may have lost is stored again
     * first (docs/protocol.md#flush-content).
     */
    public void prepare() {
        lock.lock();
        try {
            requirePrepared();
            transfer.settleDoubts();
            transfer.makeDurable();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Step 7 of the switch: a member of epoch {@code n}, with an empty journal.
     *
     * @param mayLag commits will return without this replica
     */
    public void confirm(long n, boolean mayLag) {
        lock.lock();
        try {
            boolean repeated = slot().state() == ReplicaState.INSYNC && slot().cur() == n && n != 0;
            if (repeated && slot().next() == 0 && slot().mayLag() == mayLag) {
                replica.follow();
                return;
            }
            ReplicaSlot confirmed = SlotEvents.confirmed(slot(), n, mayLag);
            if (transfer.isUnflushed()) {
                throw replica.wrongState("it was not told to prepare");
            }
            replica.stopFollowing();
            replica.journal.write(confirmed);
            replica.readRecords();
            drained = false;
            syncStarted = false;
            replica.follow();
        } finally {
            lock.unlock();
        }
    }

    /**
     * A full copy begins; durable before its first byte, or a loss of power would leave half a copy
     * that passes for whole (docs/protocol.md#syncing-durable).
     */
    public void startSync() {
        lock.lock();
        try {
            if (!syncAllowed) {
                throw replica.wrongState("nobody ordered that it be overwritten");
            }
            replica.stopFollowing();
            if (!syncStarted) {
                doubtWhatMayBeUnflushed();
            }
            replica.journal.write(SlotEvents.syncStarted(slot(), replica.content.runId()));
            replica.readRecords();
            syncStarted = true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Everything that was stored since the slot last answered for it. Of a replica that was at a
     * commit boundary the tail tells what that was; of any other nothing does.
     */
    private void doubtWhatMayBeUnflushed() {
        ReplicaSlot now = slot();
        if (now.state() == ReplicaState.INSYNC && !replica.isForeign()) {
            for (ByteRange range : replica.footprint(intake.position())) {
                transfer.doubt(range.offset(), range.length());
            }
        } else if (now.state() != ReplicaState.NEW) {
            transfer.doubt(0, replica.image.size());
        }
    }

    /**
     * The copy is complete: durable, then known as what {@code n} will be. Again, with another
     * number, when the switch to that one is not made.
     */
    public void syncComplete(long n, String layout) {
        lock.lock();
        try {
            if (!syncStarted) {
                throw replica.wrongState("no copy was begun");
            }
            ReplicaSlot complete = SlotEvents.syncComplete(slot(), n);
            replica.content.validate(layout);
            replica.image.reserveSpace();
            LaneLayout.format(replica.image); // this copy's own; nobody sent them
            replica.image.fence();
            transfer.settleDoubts();
            transfer.makeDurable();
            replica.journal.write(complete);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Adds what other copies have to the tail of a prepared replica: the records that are complete
     * with these bytes, durably.
     *
     * @param position where the bytes belong in the stream; without bytes nothing is added
     */
    public Reply.TailEnd append(long position, byte[] content) {
        lock.lock();
        try {
            requirePrepared();
            if (drained || slot().journalEpoch() != slot().cur()) {
                throw replica.wrongState("its tail is closed: " + SlotEvents.describe(slot()));
            }
            if (content.length > 0) {
                intake.append(position, content);
            }
            return new Reply.TailEnd(intake.sequence(), intake.position());
        } finally {
            lock.unlock();
        }
    }

    /** Stores image bytes: anywhere during a full copy, in a record's bounds when prepared. */
    public void putImage(long offset, MemorySegment source, long at, long length) {
        lock.lock();
        try {
            if (syncStarted) {
                transfer.storeCopy(offset, source, at, length);
            } else {
                requirePrepared();
                replica.bounds().check(offset, length);
                transfer.store(offset, source, at, length);
            }
        } finally {
            lock.unlock();
        }
    }

    private void requirePrepared() {
        if (slot().state() != ReplicaState.INSYNC || slot().next() == 0) {
            throw replica.wrongState(
                    "it is not prepared for a switch: " + SlotEvents.describe(slot()));
        }
    }
}
