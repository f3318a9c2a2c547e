package io.farheap.agent.store;

import io.farheap.agent.base.Refusal;
import io.farheap.agent.records.RecordIntake;
import io.farheap.base.FarheapException;
import io.farheap.layout.LaneLayout;
import io.farheap.memory.PoolMemory;
import io.farheap.replication.control.AttachDecision;
import io.farheap.replication.control.Blob;
import io.farheap.replication.control.ByteRange;
import io.farheap.replication.control.Reply;
import io.farheap.replication.control.Reply.Code;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.journal.JournalMessages;
import io.farheap.replication.journal.ReplicaSlot;
import io.farheap.replication.journal.ReplicaState;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One replica: its slot, its journal, its image, and every step that the replication protocol lets
 * them take. Nobody else changes any of them but its {@link ReplicaOwnership} and {@link
 * RecordIntake}; the fabric alone stores to the ring.
 *
 * <p>Always in this order, so that no crash finds the slot promising what is not there: the ring is
 * flushed, then scanned, then answered for; the image is flushed, then the slot says "applied";
 * ring space counts as free only after that (docs/protocol.md#apply-and-flow-control). A replica
 * holds, at any instant, an image and a tail of records that together are a commit boundary.
 *
 * <p>Thread-safe. The control steps, {@link #applyBatch} and bulk transfers exclude each other;
 * {@link RecordIntake#flush}, the answer that commits wait for, never waits for apply.
 */
public final class ReplicaStore {
    /** Guards slot and image. Taken before the intake's. */
    private final ReentrantLock lock = new ReentrantLock();

    private final StoredReplica replica;
    private final ReplicaOwnership ownership;
    private final RecordIntake intake;
    private final ReplicaReaders readers;
    private final ImageTransfer transfer;

    /** What an initiator compares; who sums holds it. */
    private final RangeSums compared;

    private boolean syncAllowed;

    /** An earlier session was prepared as this one is, and may have stored content. */
    private boolean preparedBefore;

    private boolean syncStarted;
    private boolean drained;

    /**
     * Takes up a replica as a crash, or a clean end, left it. Flushes and scans the journal;
     * changes nothing but what a cut promotion left undone.
     *
     * @param name the replica's files, for messages
     * @throws FarheapException category BAD_DATA when journal or descriptor are damaged
     */
    public ReplicaStore(
            PoolMemory journalMemory, PoolMemory image, byte[] poolsetUuid, String name) {
        this(journalMemory, image, poolsetUuid, name, new ReplicaReaders());
    }

    /**
     * The same.
     *
     * @param readers closed
     */
    public ReplicaStore(
            PoolMemory journalMemory,
            PoolMemory image,
            byte[] poolsetUuid,
            String name,
            ReplicaReaders readers) {
        this.replica = new StoredReplica(journalMemory, image, poolsetUuid, name, readers);
        this.ownership = new ReplicaOwnership(lock, replica);
        this.intake = replica.intake;
        this.readers = readers;
        this.transfer = new ImageTransfer(image);
        this.compared = new RangeSums(image);
        if (!replica.hasRecords() && slot().state() == ReplicaState.PROMOTED) {
            readers.closePromoted();
            ownership.settlePromotion();
        }
    }

    /** The writer said something. Waits for nobody; on any thread. */
    public void heard() {
        readers.heard();
        if (lock.tryLock()) {
            try {
                readers.look(intake.sequence(), slot().appliedSequence());
                readers.freeDead();
            } finally {
                lock.unlock();
            }
        }
    }

    /** How long what is to be applied may have to wait for those who read the image. */
    public void hold(Duration longest) {
        lock.lock();
        try {
            readers.hold(longest);
        } finally {
            lock.unlock();
        }
    }

    /** Before the image goes: nobody reads it any more. */
    public void end() {
        lock.lock();
        try {
            intake.close();
            readers.end(slot().state() == ReplicaState.PROMOTED);
        } finally {
            lock.unlock();
        }
    }

    /** How it becomes a pool of its own, and comes back. */
    public ReplicaOwnership ownership() {
        return ownership;
    }

    /** The way of records into it. */
    public RecordIntake intake() {
        return intake;
    }

    /** What is durable about the replica. */
    public ReplicaSlot slot() {
        return replica.slot();
    }

    /** How it stands. Waits for nobody; on any thread, and also after its end. */
    public ReplicaFigures figures() {
        return ReplicaFigures.of(slot(), intake, replica.journal.capacity());
    }

    /**
     * From here on records come without a word, until {@link #waitForWord}; nobody writes to the
     * ring while this is called.
     */
    public void watchRing() {
        keepCopy(true);
    }

    /** From here on the initiator tells of its records. */
    public void waitForWord() {
        if (intake.isWatching()) {
            keepCopy(false);
        }
    }

    private void keepCopy(boolean keep) {
        lock.lock();
        try {
            replica.readAgain(keep);
        } finally {
            lock.unlock();
        }
    }

    long imageBytes() {
        return replica.image.size();
    }

    /** The layout name in the image; "" when there is no content. */
    public String layout() {
        return ReplicaContent.isIn(slot().state()) ? replica.content.layout() : "";
    }

    /** The slot as it is now, for the verdict. */
    public SlotReport report() {
        return SlotEvents.report(slot(), intake.sequence(), replica.content.runId())
                .at(replica.journal.times());
    }

    /**
     * Step 2 of the switch: the attach decision on the initiator's number {@code l}; when current,
     * the replica is prepared for {@code n} and apply stands still. Otherwise nothing changes; also
     * not where it was promoted and restored from: its owner's lanes have log extensions in the
     * heap, which the restored pool has given back by itself, so it has to be brought up to that.
     *
     * @param descendsFrom numbers of which {@code l} provably descends
     * @param committed what the initiator committed in {@code l}, if it knows
     * @param overwrite the user ordered that this replica be overwritten whatever it holds
     */
    public AttachDecision attach(
            long l, long n, List<Long> descendsFrom, long committed, boolean overwrite) {
        lock.lock();
        try {
            AttachDecision kind = report().decisionOn(l, descendsFrom, committed);
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
     * A writer of this term is here: durable before it is answered, so that also an agent that
     * starts again lets none of a lower term in.
     *
     * @throws Refusal a writer of a higher term was here
     */
    public void greet(long term) {
        lock.lock();
        try {
            ReplicaSlot now = slot();
            ReplicaSlot greeted = SlotEvents.greeted(now, term);
            if (greeted != now) {
                replica.journal.write(greeted);
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Before the switch: applies what is known to be committed, so that only the rest of the tail
     * is to be reconciled. Does nothing where the replica would not be current by {@code l}.
     */
    public void applyCommitted(long l) {
        lock.lock();
        try {
            ReplicaSlot now = slot();
            boolean standing = now.state() == ReplicaState.INSYNC && now.next() == 0;
            if (standing && now.cur() == l && !replica.isForeign()) {
                replica.applyAll(intake.committedUpTo());
            }
        } finally {
            lock.unlock();
        }
    }

    /** The same run, the same epoch, after a lost connection: records may flow again. */
    public AttachDecision resume(long l) {
        lock.lock();
        try {
            // it lacks what will be sent again, and no more
            AttachDecision kind = report().decisionOn(l, List.of(), 0);
            if (kind == AttachDecision.CURRENT) {
                if (slot().cur() != l || slot().next() != 0 || slot().journalEpoch() != l) {
                    throw wrongState("a switch of its number is under way");
                }
                replica.follow();
            }
            return kind;
        } finally {
            lock.unlock();
        }
    }

    /**
     * A program attaches to its remote memory: every valid record is applied, whether it was
     * answered or not, and those of {@code n} may come.
     */
    public void startMemory(long n) {
        lock.lock();
        try {
            ImageKind.REMOTE_MEMORY.require(slot());
            replica.applyAll(Long.MAX_VALUE);
            replica.journal.write(SlotEvents.memoryStarted(slot(), n));
            replica.readRecords();
            intake.open();
        } finally {
            lock.unlock();
        }
    }

    /** Step 3a, and before a sync: what the tail's records change, ascending and disjoint. */
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

    /** What the tail's records change, of a replica that is only looked at. */
    public List<ByteRange> footprintAtRest() {
        lock.lock();
        try {
            requireStanding();
            return slot().state() == ReplicaState.INSYNC
                    ? replica.footprint(intake.position())
                    : List.of();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Step 3b: applies the records of the old epoch up to {@code d}; the rest no longer counts.
     * What is applied beyond {@code d} already are empty records, which waited for nobody: nothing
     * is applied that the initiator has not committed, and it commits nothing that is not durable
     * everywhere.
     */
    public void drain(long d) {
        lock.lock();
        try {
            requirePrepared();
            if (!isWithinTail(d)) {
                throw wrongState("its records reach to " + intake.sequence() + ", not to " + d);
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

    /** Step 4: the image is durable. */
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
     * Step 7: a member of epoch {@code n}, with an empty journal.
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
                throw wrongState("it was not told to prepare");
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
     * Nothing was committed in this epoch after record {@code sequence}, and nothing will be: no
     * more records are taken.
     */
    public void caughtUp(long sequence) {
        lock.lock();
        try {
            boolean unused = intake.look();
            if (!intake.isOpen() || !isWithinTail(sequence)) {
                throw wrongState(
                        "its records reach to " + intake.sequence() + ", not to " + sequence);
            }
            replica.stopFollowing();
            if (slot().mayLag()) {
                replica.journal.write(slot().caughtUp());
            }
        } finally {
            lock.unlock();
        }
    }

    /** A full copy begins; durable before its first byte. */
    public void startSync() {
        lock.lock();
        try {
            if (!syncAllowed) {
                throw wrongState("nobody ordered that it be overwritten");
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
                throw wrongState("no copy was begun");
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
                throw wrongState("its tail is closed: " + SlotEvents.describe(slot()));
            }
            if (content.length > 0) {
                intake.append(position, content);
            }
            return new Reply.TailEnd(intake.sequence(), intake.position());
        } finally {
            lock.unlock();
        }
    }

    /** Whether apply could go on now. */
    public boolean canApply() {
        return intake.isOpen() && intake.sequence() > slot().appliedSequence();
    }

    /**
     * Applies some of what the initiator has committed, durably; a program's remote memory knows no
     * commit. Stands back for those who read the image, until half of the ring is full.
     *
     * @return how many records; 0 when there is nothing to do now
     */
    public long applyBatch() {
        lock.lock();
        try {
            if (!replica.takesRecords()) {
                return 0;
            }
            ReplicaSlot now = slot();
            long tail = intake.sequence();
            long limit = replica.kind().applicable(intake.committedUpTo());
            long count = 0;
            if (tail > now.appliedSequence()
                    && (limit > now.appliedSequence() || replica.isEmptyNext())
                    && readers.tryShut(isHalfFull(now))) {
                count = replica.applySome(limit);
            }
            readers.look(tail, slot().appliedSequence());
            return count;
        } finally {
            lock.unlock();
        }
    }

    private boolean isHalfFull(ReplicaSlot now) {
        return intake.position() - now.appliedPosition() > replica.journal.capacity() / 2;
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

    /** Writes the answer to GET_IMAGE. */
    public int getImage(MemorySegment answer, long offset, long length) {
        lock.lock();
        try {
            requireStanding();
            return transfer.read(answer, offset, length);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Writes the answer to SUM_IMAGE; one of {@link JournalMessages#SUMS}. Whoever stores to the
     * image meanwhile is not held up: of a range that is not stored to, the sums are true.
     */
    public int sumImage(MemorySegment answer, long offset, long length, long chunk) {
        lock.lock();
        try {
            requireStanding();
            transfer.settleDoubts(offset, length);
        } finally {
            lock.unlock();
        }
        synchronized (compared) {
            return compared.answer(answer, offset, length, chunk);
        }
    }

    /**
     * A range of a member's image, as it is between two records; of a program's remote memory, with
     * every record that is durable.
     */
    public Reply.ImageContent readImage(long offset, int length, boolean content) {
        lock.lock();
        try {
            if (!replica.takesRecords()) {
                throw wrongState("it is no confirmed member of an epoch");
            }
            if (replica.kind().isReadWithAllRecords()) {
                boolean unused = intake.look();
                replica.applyAll(Long.MAX_VALUE);
            }
            return new Reply.ImageContent(
                    slot().cur(),
                    slot().appliedSequence(),
                    transfer.sum(offset, length),
                    content ? transfer.bytes(offset, length) : Blob.EMPTY);
        } finally {
            lock.unlock();
        }
    }

    private void requireStanding() {
        if (intake.isOpen()) {
            throw wrongState("records flow, so its image does not stand still");
        }
    }

    private void requirePrepared() {
        if (slot().state() != ReplicaState.INSYNC || slot().next() == 0) {
            throw wrongState("it is not prepared for a switch: " + SlotEvents.describe(slot()));
        }
    }

    private Refusal wrongState(String why) {
        return new Refusal(
                Code.WRONG_STATE,
                "The replica " + replica.name + " refuses: " + why + ".",
                "Attach again.");
    }
}
