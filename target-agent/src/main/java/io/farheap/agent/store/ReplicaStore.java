package io.farheap.agent.store;

import io.farheap.agent.base.Refusal;
import io.farheap.agent.records.RecordIntake;
import io.farheap.base.FarheapException;
import io.farheap.memory.PoolMemory;
import io.farheap.replication.control.AttachDecision;
import io.farheap.replication.control.Blob;
import io.farheap.replication.control.ByteRange;
import io.farheap.replication.control.Reply;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.journal.JournalMessages;
import io.farheap.replication.journal.ReplicaSlot;
import io.farheap.replication.journal.ReplicaState;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One replica: its slot, its journal, its image, and what a member of an epoch does with them.
 * Nobody else changes any of them but its {@link ReplicaSwitch}, {@link ReplicaOwnership} and
 * {@link RecordIntake}; the fabric alone stores to the ring.
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
    private final ReplicaSwitch switching;
    private final RecordIntake intake;
    private final ReplicaReaders readers;
    private final ImageTransfer transfer;

    /** What an initiator compares; who sums holds it. */
    private final RangeSums compared;

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
        this.switching = new ReplicaSwitch(lock, replica, transfer);
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

    /** How it becomes a member of its next epoch. */
    public ReplicaSwitch switching() {
        return switching;
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

    /** The slot as it is now, for the verdict. */
    public SlotReport report() {
        return replica.report();
    }

    /** The layout name in the image; "" when there is no content. */
    public String layout() {
        return ReplicaContent.isIn(slot().state()) ? replica.content.layout() : "";
    }

    /**
     * A writer of this term is here (docs/high-availability.md#term-in-hello): durable before it is
     * answered, so that also an agent that starts again lets none of a lower term in.
     *
     * @param recordId that the term is of; 0: not known
     * @throws Refusal a writer of a higher term was here, or one of another record
     */
    public void greet(long term, long recordId) {
        lock.lock();
        try {
            ReplicaSlot now = slot();
            ReplicaSlot greeted = SlotEvents.greeted(now, term, recordId);
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
            AttachDecision kind = replica.report().decisionOn(l, List.of(), 0);
            if (kind == AttachDecision.CURRENT) {
                if (slot().cur() != l || slot().next() != 0 || slot().journalEpoch() != l) {
                    throw replica.wrongState("a switch of its number is under way");
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
     * Nothing was committed in this epoch after record {@code sequence}, and nothing will be: no
     * more records are taken. So its number is proof again, and the mark that it may lag goes
     * (docs/protocol.md#lag-mark).
     */
    public void caughtUp(long sequence) {
        lock.lock();
        try {
            boolean unused = intake.look();
            if (!intake.isOpen() || sequence > intake.sequence()) {
                throw replica.wrongState(
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

    /** Whether apply could go on now. */
    public boolean canApply() {
        return intake.isOpen() && intake.sequence() > slot().appliedSequence();
    }

    /**
     * Applies some of what the initiator has committed, durably, and nothing else, for that may
     * still be rolled back there (docs/protocol.md#committed-only); a program's remote memory knows
     * no commit. Stands back for those who read the image, until half of the ring is full.
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
                throw replica.wrongState("it is no confirmed member of an epoch");
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
            throw replica.wrongState("records flow, so its image does not stand still");
        }
    }
}
