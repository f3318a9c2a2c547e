package io.farheap.agent;

import io.farheap.base.FarheapException;
import io.farheap.layout.LaneLayout;
import io.farheap.memory.PoolMemory;
import io.farheap.replication.control.AttachDecision;
import io.farheap.replication.control.Blob;
import io.farheap.replication.control.ByteRange;
import io.farheap.replication.control.Reply;
import io.farheap.replication.control.Reply.Code;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.epoch.TakenTail;
import io.farheap.replication.journal.JournalMessages;
import io.farheap.replication.journal.KeptTerm;
import io.farheap.replication.journal.ReplicaSlot;
import io.farheap.replication.journal.ReplicaState;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One replica: its slot, its journal, its image, and every step that the replication protocol lets
 * them take. It is the only place that changes any of them, with its {@link RecordIntake}; the
 * fabric alone stores to the ring.
 *
 * <p>Always in this order, so that no crash finds the slot promising what is not there: the ring is
 * flushed, then scanned, then answered for; the image is flushed, then the slot says "applied";
 * ring space counts as free only after that (docs/protocol.md#apply-and-flow-control). A replica
 * holds, at any instant, an image and a tail of records that together are a commit boundary.
 *
 * <p>Thread-safe. The control steps, {@link #applyBatch} and bulk transfers exclude each other;
 * {@link RecordIntake#flush}, the answer that commits wait for, never waits for apply.
 */
final class ReplicaStore {
    /** Apply lets others have the lock after so many bytes of records. */
    private static final long BATCH_BYTES = 1 << 20;

    private final String name;
    private final JournalFile journal;
    private final PoolMemory image;
    private final ReplicaContent content;
    private final ImageTransfer transfer;
    private final RecordIntake intake;
    private final ReplicaReaders readers;

    /** Guards slot and image. Taken before the intake's. */
    private final ReentrantLock lock = new ReentrantLock();

    /** What an initiator compares; who sums holds it. */
    private final RangeSums compared;

    private RecordApplier applier;
    private ImageBounds bounds;
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
    ReplicaStore(PoolMemory journalMemory, PoolMemory image, byte[] poolsetUuid, String name) {
        this(journalMemory, image, poolsetUuid, name, new ReplicaReaders());
    }

    /**
     * The same.
     *
     * @param readers closed
     */
    ReplicaStore(
            PoolMemory journalMemory,
            PoolMemory image,
            byte[] poolsetUuid,
            String name,
            ReplicaReaders readers) {
        this.name = name;
        this.readers = readers;
        this.journal = JournalFile.open(journalMemory, poolsetUuid, name);
        this.image = image;
        this.content = new ReplicaContent(image, name);
        this.transfer = new ImageTransfer(image);
        this.compared = new RangeSums(image);
        this.intake = new RecordIntake(journal, image.size(), name);
        boolean hasContent = ReplicaContent.isIn(slot().state());
        if (hasContent) {
            content.validate(null);
        }
        readRecords();
        if (hasRecords()) {
            intake.extendToEnd();
        } else if (slot().state() == ReplicaState.PROMOTED) {
            readers.closePromoted();
            settlePromotion();
        }
    }

    /** Records are taken: who reads the image finds it at a commit boundary, and follows. */
    private void follow() {
        if (slot().state() == ReplicaState.INSYNC) {
            readers.open(slot().cur(), slot().appliedSequence(), intake.sequence());
        }
        intake.open();
    }

    /** On return the tail stands still, and nobody reads the image: anything may be stored. */
    private void stopFollowing() {
        intake.close();
        readers.close();
    }

    /** The writer said something. Waits for nobody; on any thread. */
    void heard() {
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
    void hold(Duration longest) {
        lock.lock();
        try {
            readers.hold(longest);
        } finally {
            lock.unlock();
        }
    }

    /** Before the image goes: nobody reads it any more. */
    void end() {
        lock.lock();
        try {
            intake.close();
            readers.end(slot().state() == ReplicaState.PROMOTED);
        } finally {
            lock.unlock();
        }
    }

    private void readRecords() {
        bounds = kind().bounds(image.size());
        intake.restart(bounds);
        newApplier();
    }

    private void newApplier() {
        applier = new RecordApplier(name, intake.newCursor(bounds), image);
    }

    /** Ends a promotion that was cut, or takes notice that the owner opened the promoted pool. */
    private void settlePromotion() {
        long found = content.runId();
        if (found == slot().cur()) {
            return;
        }
        if (found == slot().poolRunId()) {
            content.switchRunId(slot().cur());
        } else {
            journal.write(SlotEvents.opened(slot(), found));
        }
    }

    private boolean hasRecords() {
        return kind().hasRecords(slot().state());
    }

    private ImageKind kind() {
        return ImageKind.of(slot());
    }

    /** The way of records into it. */
    RecordIntake intake() {
        return intake;
    }

    /** What is durable about the replica. */
    ReplicaSlot slot() {
        return journal.slot();
    }

    /**
     * From here on records come without a word, until {@link #waitForWord}; nobody writes to the
     * ring while this is called.
     */
    void watchRing() {
        keepCopy(true);
    }

    /** From here on the initiator tells of its records. */
    void waitForWord() {
        if (intake.isWatching()) {
            keepCopy(false);
        }
    }

    private void keepCopy(boolean keep) {
        lock.lock();
        try {
            intake.readAgain(keep, bounds, hasRecords());
            newApplier();
        } finally {
            lock.unlock();
        }
    }

    long imageBytes() {
        return image.size();
    }

    /** The layout name in the image; "" when there is no content. */
    String layout() {
        return ReplicaContent.isIn(slot().state()) ? content.layout() : "";
    }

    /** The slot as it is now, for the verdict. */
    SlotReport report() {
        return SlotEvents.report(slot(), intake.sequence(), content.runId()).at(journal.times());
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
    AttachDecision attach(
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
                content.validate(null);
                syncAllowed = true; // and needed: its heap has its owner's log extensions
            } else if (kind == AttachDecision.CURRENT) {
                stopFollowing();
                preparedBefore = slot().next() != 0;
                ReplicaSlot switching = SlotEvents.switching(slot(), l, n, content.runId());
                content.validate(null);
                boolean keepsTail = slot().state() == ReplicaState.INSYNC;
                journal.write(switching);
                if (!keepsTail) {
                    readRecords();
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
    void greet(long term) {
        lock.lock();
        try {
            ReplicaSlot now = slot();
            ReplicaSlot greeted = SlotEvents.greeted(now, term);
            if (greeted != now) {
                journal.write(greeted);
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Before the switch: applies what is known to be committed, so that only the rest of the tail
     * is to be reconciled. Does nothing where the replica would not be current by {@code l}.
     */
    void applyCommitted(long l) {
        lock.lock();
        try {
            ReplicaSlot now = slot();
            boolean standing = now.state() == ReplicaState.INSYNC && now.next() == 0;
            if (standing && now.cur() == l && !SlotEvents.isForeign(now, content.runId())) {
                while (applySome(intake.committedUpTo(), BATCH_BYTES) > 0) {
                    // the next batch
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** The same run, the same epoch, after a lost connection: records may flow again. */
    AttachDecision resume(long l) {
        lock.lock();
        try {
            // it lacks what will be sent again, and no more
            AttachDecision kind = report().decisionOn(l, List.of(), 0);
            if (kind == AttachDecision.CURRENT) {
                if (slot().cur() != l || slot().next() != 0 || slot().journalEpoch() != l) {
                    throw wrongState("a switch of its number is under way");
                }
                follow();
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
    void startMemory(long n) {
        lock.lock();
        try {
            ImageKind.REMOTE_MEMORY.require(slot());
            applyAll();
            journal.write(SlotEvents.memoryStarted(slot(), n));
            readRecords();
            intake.open();
        } finally {
            lock.unlock();
        }
    }

    private void applyAll() {
        while (applySome(Long.MAX_VALUE, BATCH_BYTES) > 0) {
            // the next batch
        }
    }

    /** Step 3a, and before a sync: what the tail's records change, ascending and disjoint. */
    List<ByteRange> footprint() {
        lock.lock();
        try {
            boolean olderCopy =
                    syncAllowed && !intake.isOpen() && slot().state() == ReplicaState.INSYNC;
            if (!olderCopy) {
                requirePrepared();
            }
            long end = drained ? slot().appliedPosition() : intake.position();
            List<ByteRange> tails = applier.footprint(slot(), end);
            List<ByteRange> all = slot().uncompared() ? bounds.withAllOfTheHeap(tails) : tails;
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
    List<ByteRange> footprintAtRest() {
        lock.lock();
        try {
            requireStanding();
            return slot().state() == ReplicaState.INSYNC
                    ? applier.footprint(slot(), intake.position())
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
    void drain(long d) {
        lock.lock();
        try {
            requirePrepared();
            if (!isWithinTail(d)) {
                throw wrongState("its records reach to " + intake.sequence() + ", not to " + d);
            }
            while (slot().appliedSequence() < d) {
                if (applySome(d, BATCH_BYTES) == 0) {
                    throw new IllegalStateException(
                            name + ": the tail ends at record " + slot().appliedSequence());
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
    void prepare() {
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
    void confirm(long n, boolean mayLag) {
        lock.lock();
        try {
            boolean repeated = slot().state() == ReplicaState.INSYNC && slot().cur() == n && n != 0;
            if (repeated && slot().next() == 0 && slot().mayLag() == mayLag) {
                follow();
                return;
            }
            ReplicaSlot confirmed = SlotEvents.confirmed(slot(), n, mayLag);
            if (transfer.isUnflushed()) {
                throw wrongState("it was not told to prepare");
            }
            stopFollowing();
            journal.write(confirmed);
            readRecords();
            drained = false;
            syncStarted = false;
            follow();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Nothing was committed in this epoch after record {@code sequence}, and nothing will be: no
     * more records are taken.
     */
    void caughtUp(long sequence) {
        lock.lock();
        try {
            boolean unused = intake.look();
            if (!intake.isOpen() || !isWithinTail(sequence)) {
                throw wrongState(
                        "its records reach to " + intake.sequence() + ", not to " + sequence);
            }
            stopFollowing();
            if (slot().mayLag()) {
                journal.write(slot().caughtUp());
            }
        } finally {
            lock.unlock();
        }
    }

    /** A full copy begins; durable before its first byte. */
    void startSync() {
        lock.lock();
        try {
            if (!syncAllowed) {
                throw wrongState("nobody ordered that it be overwritten");
            }
            stopFollowing();
            if (!syncStarted) {
                doubtWhatMayBeUnflushed();
            }
            journal.write(SlotEvents.syncStarted(slot(), content.runId()));
            readRecords();
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
        if (now.state() == ReplicaState.INSYNC && !SlotEvents.isForeign(now, content.runId())) {
            for (ByteRange range : applier.footprint(now, intake.position())) {
                transfer.doubt(range.offset(), range.length());
            }
        } else if (now.state() != ReplicaState.NEW) {
            transfer.doubt(0, image.size());
        }
    }

    /**
     * The copy is complete: durable, then known as what {@code n} will be. Again, with another
     * number, when the switch to that one is not made.
     */
    void syncComplete(long n, String layout) {
        lock.lock();
        try {
            if (!syncStarted) {
                throw wrongState("no copy was begun");
            }
            ReplicaSlot complete = SlotEvents.syncComplete(slot(), n);
            content.validate(layout);
            image.reserveSpace();
            LaneLayout.format(image); // this copy's own; nobody sent them
            image.fence();
            transfer.settleDoubts();
            transfer.makeDurable();
            journal.write(complete);
        } finally {
            lock.unlock();
        }
    }

    /**
     * A pool of its own: the image holds every valid record, committed or not, and has a number of
     * its own. No term counts for it any more. Nothing else is done to a promoted one.
     *
     * @return how many records were applied
     */
    long promote() {
        lock.lock();
        try {
            if (slot().state() == ReplicaState.PROMOTED) {
                if (slot().term() != 0) {
                    journal.write(slot().withTerm(0));
                }
                return 0;
            }
            if (SlotEvents.isForeign(slot(), content.runId())) {
                throw new Refusal(
                        Code.WRONG_STATE,
                        "Cannot promote "
                                + name
                                + ": a program has opened its files on the target, past the agent.",
                        "It is a pool already, without the records that were not applied then:"
                                + " check it (farheap check), or promote another replica.");
            }
            stopFollowing();
            long fresh = content.freshNumber(slot());
            ReplicaSlot promoted =
                    SlotEvents.promoted(slot(), fresh, intake.sequence(), intake.position());
            // The slot keeps the tail until all of it is durable: until then the old initiator may
            // still be recognised, and needs the footprint of all of it.
            long replayed =
                    applier.replay(slot(), intake.sequence(), intake.position(), Long.MAX_VALUE);
            image.fence();
            journal.write(promoted);
            content.switchRunId(fresh);
            readers.closePromoted();
            return replayed;
        } finally {
            lock.unlock();
        }
    }

    /**
     * A pool that keeps the recorded number: the node takes it over, whose term the slot has. What
     * it was prepared for it has without its tail, else the image gets every valid record. Nothing
     * is done to one that the node has already.
     *
     * @return the records that were applied
     */
    TakenTail takeOver(long number) {
        lock.lock();
        try {
            ReplicaSlot now = slot();
            if (now.state() == ReplicaState.PROMOTED && now.cur() == number) {
                return replayedTail();
            }
            boolean byNext = now.next() != 0 && now.next() == number;
            boolean whole = now.state() == ReplicaState.INSYNC && now.cur() == number;
            if (SlotEvents.isForeign(now, content.runId()) || !byNext && !whole) {
                throw new Refusal(
                        Code.WRONG_NUMBER,
                        "The copy "
                                + name
                                + " can't take over with the number "
                                + number
                                + ": it is "
                                + SlotEvents.describe(now)
                                + ", run_id "
                                + content.runId()
                                + ".",
                        "Another node of the set may take over.");
            }
            stopFollowing();
            if (byNext) {
                image.fence();
                journal.write(SlotEvents.ownedByNext(now, number));
                content.switchRunId(number);
                readers.closePromoted();
                return TakenTail.NONE;
            }
            ReplicaSlot owned = SlotEvents.owned(now);
            long unused = applier.replay(now, intake.sequence(), intake.position(), Long.MAX_VALUE);
            image.fence();
            journal.write(owned);
            content.switchRunId(number);
            readers.closePromoted();
            return replayedTail();
        } finally {
            lock.unlock();
        }
    }

    /** What was replayed when the node took it over, of a pool that has the same number still. */
    TakenTail replayedTail() {
        ReplicaSlot now = slot();
        return SlotEvents.isOwnedSinceItsTail(now)
                ? TakenTail.of(
                        now.journalEpoch(),
                        now.appliedSequence(),
                        now.appliedPosition(),
                        endOfTail(now),
                        intake.ring())
                : TakenTail.NONE;
    }

    private long endOfTail(ReplicaSlot now) {
        RecordCursor cursor = intake.newCursor(bounds);
        cursor.moveTo(now.journalEpoch(), now.appliedSequence(), now.appliedPosition());
        while (cursor.peek(now.appliedPosition() + journal.capacity())) {
            cursor.step();
        }
        return cursor.sequence();
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
    void comeBack(long number, long sequence, long position, KeptTerm kept) {
        lock.lock();
        try {
            if (slot().state() == ReplicaState.INSYNC && slot().cur() == number) {
                return;
            }
            if (slot().state() == ReplicaState.PROMOTED
                    && kept.isPrepared(content.runId(), number)) {
                // As its own node does; after a crash it is a pool with that number.
                FormerWriter.rollBack(image);
                content.switchRunId(number);
                journal.write(SlotEvents.opened(slot(), number));
            }
            ReplicaSlot returned =
                    SlotEvents.returned(slot(), number, content.runId(), sequence, position);
            content.validate(null);
            FormerWriter.rollBack(image);
            journal.write(returned);
            readRecords();
            intake.extendToEnd();
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
    Reply.TailEnd append(long position, byte[] content) {
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

    /** The initiator has a complete copy of the promoted pool, which it will call {@code n}. */
    void restoreComplete(long n) {
        lock.lock();
        try {
            journal.write(SlotEvents.restored(slot(), n));
        } finally {
            lock.unlock();
        }
    }

    /** Whether apply could go on now. */
    boolean canApply() {
        return intake.isOpen() && intake.sequence() > slot().appliedSequence();
    }

    /**
     * Applies some of what the initiator has committed, durably; a program's remote memory knows no
     * commit. Stands back for those who read the image, until half of the ring is full.
     *
     * @return how many records; 0 when there is nothing to do now
     */
    long applyBatch() {
        lock.lock();
        try {
            if (!takesRecords()) {
                return 0;
            }
            ReplicaSlot now = slot();
            long tail = intake.sequence();
            long limit = kind().applicable(intake.committedUpTo());
            long count = 0;
            if (tail > now.appliedSequence()
                    && (limit > now.appliedSequence()
                            || applier.isEmptyNext(now, intake.position()))
                    && readers.tryShut(isHalfFull(now))) {
                count = applySome(limit, BATCH_BYTES);
            }
            readers.look(tail, slot().appliedSequence());
            return count;
        } finally {
            lock.unlock();
        }
    }

    private boolean isHalfFull(ReplicaSlot now) {
        return intake.position() - now.appliedPosition() > journal.capacity() / 2;
    }

    private boolean takesRecords() {
        return intake.isOpen() && kind().takesRecords(slot());
    }

    /** Applies valid records up to {@code limit}, and makes image, then slot, durable. */
    private long applySome(long limit, long maxBytes) {
        long count = applier.replay(slot(), limit, intake.position(), maxBytes);
        // The records are durable: who reads what they did need not wait until the image is, too.
        readers.reopen(slot().cur(), applier.sequence());
        if (count > 0) {
            image.fence();
            journal.write(slot().withApplied(applier.sequence(), applier.position()));
        }
        return count;
    }

    /** Stores image bytes: anywhere during a full copy, in a record's bounds when prepared. */
    void putImage(long offset, MemorySegment source, long at, long length) {
        lock.lock();
        try {
            if (syncStarted) {
                transfer.storeCopy(offset, source, at, length);
            } else {
                requirePrepared();
                bounds.check(offset, length);
                transfer.store(offset, source, at, length);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Writes the answer to GET_IMAGE. */
    int getImage(MemorySegment answer, long offset, long length) {
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
    int sumImage(MemorySegment answer, long offset, long length, long chunk) {
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
    Reply.ImageContent readImage(long offset, int length, boolean content) {
        lock.lock();
        try {
            if (!takesRecords()) {
                throw wrongState("it is no confirmed member of an epoch");
            }
            if (kind().isReadWithAllRecords()) {
                boolean unused = intake.look();
                applyAll();
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
                "The replica " + name + " refuses: " + why + ".",
                "Attach again.");
    }
}
