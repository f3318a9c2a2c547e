package io.farheap.agent.store;

import static io.farheap.replication.journal.ReplicaState.INSYNC;
import static io.farheap.replication.journal.ReplicaState.MEMORY;
import static io.farheap.replication.journal.ReplicaState.NEW;
import static io.farheap.replication.journal.ReplicaState.PROMOTED;
import static io.farheap.replication.journal.ReplicaState.SYNCING;

import io.farheap.agent.base.Refusal;
import io.farheap.replication.control.Reply.Code;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.journal.ReplicaSlot;
import io.farheap.replication.journal.ReplicaState;

/**
 * What may happen to a replica's slot: the replication protocol's table of events and its verdicts,
 * as functions. Numbers are compared for equality only: "older" proves nothing.
 *
 * <p>Every method gives the slot that is to be made durable, or refuses and names the reason.
 */
public final class SlotEvents {
    /** To whom such a copy is an obstacle. */
    public static final String OTHER_RECORD_ADVICE =
            "Nothing was done there. Compare it with the writer's pool; to have the writer make a copy"
                    + " there, move these files to another directory, parts and what lies beside"
                    + " them, and keep them until you know.";

    private SlotEvents() {}

    /** The slot as others are told of it. */
    public static SlotReport report(ReplicaSlot slot, long lastSequence, long imageRunId) {
        return new SlotReport(
                        slot.state(),
                        slot.cur(),
                        slot.next(),
                        slot.journalEpoch(),
                        slot.appliedSequence(),
                        lastSequence - slot.appliedSequence(),
                        ImageKind.of(slot).isPool()
                                ? imageRunId
                                : 0, // its bytes there are the program's
                        isForeign(slot, imageRunId),
                        slot.mayLag())
                .inTerm(slot.term(), slot.recordId());
    }

    private static boolean isPreparedFor(ReplicaSlot slot, long number) {
        return slot.next() != 0 && slot.next() == number;
    }

    /**
     * Whether a program opened the replica's files on the target. A promoted replica is a pool of
     * its own, and may be opened; of a program's remote memory nobody knows.
     */
    static boolean isForeign(ReplicaSlot slot, long imageRunId) {
        return !isOwn(slot, imageRunId);
    }

    private static boolean isOwn(ReplicaSlot slot, long imageRunId) {
        return slot.state() == PROMOTED
                || !ImageKind.of(slot).isPool()
                || slot.poolRunId() == imageRunId;
    }

    /**
     * Before any other event of a hello: a writer of this term is listened to, and from then on
     * none of a lower one, or of another record.
     *
     * @param recordId that the term is of; 0: not known
     * @return the same slot where all that is known already
     */
    static ReplicaSlot greeted(ReplicaSlot slot, long term, long recordId) {
        requireTerm(slot, term, recordId);
        long id = recordId == 0 ? slot.recordId() : recordId;
        return term == slot.term() && id == slot.recordId() ? slot : slot.withTerm(term, id);
    }

    /** Refuses a writer whose term is over, and one of another record. */
    public static void requireTerm(ReplicaSlot slot, long term, long recordId) {
        if (isOfAnother(slot.recordId(), recordId)) {
            if (slot.state() == NEW) {
                return; // it has nothing, and another record's terms say nothing of this one's
            }
            throw new Refusal(
                    Code.OUTSIDE_RECORD,
                    String.format(
                            "The replica is of another record (%016x): it has heard a writer of its"
                                    + " term %d, is %s, and may have commits that are nowhere else;"
                                    + " this writer's is term %d of the record %016x.",
                            slot.recordId(), slot.term(), describe(slot), term, recordId),
                    OTHER_RECORD_ADVICE);
        }
        if (term < slot.term()) {
            throw new Refusal(
                    Code.TERM_OVER,
                    "The term "
                            + term
                            + " of this writer is over: the replica has heard a writer of term "
                            + slot.term()
                            + ".",
                    "Another node has taken the pool over; this one must not write to it.");
        }
    }

    /** Whether two ids are known, and of two records. */
    public static boolean isOfAnother(long recordId, long another) {
        return recordId != 0 && another != 0 && recordId != another;
    }

    /**
     * Before a replica becomes a pool of its own, or the source of one, by a person's order: where
     * a record in a store says whose copies count, such a pool is one that the next writer
     * overwrites.
     *
     * @param known the term that the person passes over; 0: none
     */
    public static void requireNoRecord(ReplicaSlot slot, long known) {
        if (slot.term() > known) {
            throw new Refusal(
                    Code.TERM_OVER,
                    "The replica is one of a pool under automatic fail-over, of which it has heard"
                            + " a writer of term "
                            + slot.term()
                            + ": the record in the store says who writes.",
                    "See who does (farheap ha status), and have another node write (farheap ha"
                            + " switchover).");
        }
    }

    /**
     * Event 1: an initiator whose replica is current is about to switch from {@code l} to {@code
     * n}. Its number stays in {@code cur} beside the one that may come
     * (docs/protocol.md#next-beside-cur), and is moved there first where it was known by {@code
     * next} (docs/protocol.md#adopt-next): a crash on either side of the pool's own switch finds a
     * number that is known here.
     */
    static ReplicaSlot switching(ReplicaSlot slot, long l, long n, long imageRunId) {
        ImageKind.REPLICA.require(slot);
        requireFresh(slot, n);
        if (slot.state() == INSYNC) {
            // By its next: it was brought up for that number, in which nothing was committed yet.
            boolean mayLag = slot.mayLag() && slot.cur() == l;
            return slot.withNumbers(INSYNC, l, n, slot.journalEpoch()).lagging(mayLag);
        }
        return emptied(slot, INSYNC, l, n, l, imageRunId);
    }

    /**
     * Event 2: the initiator's number is {@code n} now. Any other number is refused: somebody else
     * may have had the replica since it was prepared (docs/protocol.md#confirm-only-prepared). From
     * here on the slot of one that may lag says so, for its number proves nothing then
     * (docs/protocol.md#lag-mark).
     *
     * @param mayLag commits will return without this replica
     */
    static ReplicaSlot confirmed(ReplicaSlot slot, long n, boolean mayLag) {
        boolean member = slot.state() == INSYNC || slot.state() == SYNCING;
        if (!member || !isPreparedFor(slot, n)) {
            throw new Refusal(
                    Code.WRONG_NUMBER,
                    "This replica was not prepared for the number "
                            + n
                            + ": its state is "
                            + describe(slot)
                            + ".",
                    slot.state() == PROMOTED
                            ? "It was promoted, and is a pool of its own."
                            : "Attach again; somebody else was here in between.");
        }
        return emptied(slot, INSYNC, n, 0, n, slot.poolRunId()).lagging(mayLag);
    }

    /** Event 3: from here on the image is half old and half new. */
    static ReplicaSlot syncStarted(ReplicaSlot slot, long imageRunId) {
        ImageKind.REPLICA.require(slot);
        return emptied(slot, SYNCING, 0, 0, 0, imageRunId);
    }

    /** Event 4: the image is complete and durable. */
    static ReplicaSlot syncComplete(ReplicaSlot slot, long n) {
        requireState(slot, SYNCING, "complete a copy");
        requireFresh(slot, n);
        return slot.withNumbers(SYNCING, 0, n, 0);
    }

    /**
     * Event 5: a pool of its own from here on, for which no term counts; the image holds the whole
     * tail, durably. A half copied one is refused (docs/protocol.md#syncing-not-promotable).
     *
     * <p>{@code poolRunId} stays what the image's own run_id still is: so that a promotion cut
     * before that was stored is told from an owner's opening. {@code journalEpoch} says from now on
     * which epoch's commits it has, so that another member of that one is known to have no more.
     */
    static ReplicaSlot promoted(ReplicaSlot slot, long fresh, long sequence, long position) {
        return promoted(slot, fresh, sequence, position, 0);
    }

    private static ReplicaSlot promoted(
            ReplicaSlot slot, long number, long sequence, long position, long term) {
        requireState(slot, INSYNC, "promote");
        return new ReplicaSlot(
                PROMOTED,
                number,
                0,
                slot.cur(),
                sequence,
                position,
                slot.poolRunId(),
                slot.generation() + 1,
                slot.mayLag(),
                term,
                false,
                term == 0 ? 0 : slot.recordId());
    }

    /**
     * The node takes the pool over with its copy, which has the recorded number up to its tail
     * (docs/high-availability.md#take-over): as {@link #promoted}, but it keeps the number, by
     * which the other copies of the recorded set are known, and where its tail began, for those
     * that lack some of that.
     */
    static ReplicaSlot owned(ReplicaSlot slot) {
        return promoted(
                slot, slot.cur(), slot.appliedSequence(), slot.appliedPosition(), slot.term());
    }

    /** Whether nothing was committed in it since the node took it over. */
    static boolean isOwnedSinceItsTail(ReplicaSlot slot) {
        return slot.state() == PROMOTED && slot.cur() == slot.journalEpoch();
    }

    /**
     * The node's turn is over, and its copy one of the set as any other
     * (docs/high-availability.md#former-writer): recovered, with every record that it has
     * committed, of which {@code sequence} is one. A copy that the node took over and committed
     * nothing in has its own tail again.
     *
     * @param sequence the last record that all copies have applied
     * @param position where that ends
     */
    static ReplicaSlot returned(
            ReplicaSlot slot, long number, long imageRunId, long sequence, long position) {
        if (slot.state() != PROMOTED || slot.cur() != number || imageRunId != number) {
            throw new Refusal(
                    Code.WRONG_NUMBER,
                    "The copy is not a former writer's of the number "
                            + number
                            + ": it is "
                            + describe(slot)
                            + ", run_id "
                            + imageRunId
                            + ".",
                    "It is brought up to date once the record names it no more.");
        }
        boolean own = isOwnedSinceItsTail(slot);
        return new ReplicaSlot(
                INSYNC,
                number,
                0,
                number,
                own ? slot.appliedSequence() : sequence,
                own ? slot.appliedPosition() : position,
                number,
                slot.generation() + 1,
                false,
                slot.term(),
                true,
                slot.recordId());
    }

    /**
     * Whether it has all content of a number at its begin, and records of the time before: it was
     * prepared for the number and not confirmed, though it may have been greeted in it since.
     */
    static boolean isAtBeginOf(ReplicaSlot slot, long number) {
        boolean greeted =
                slot.state() == INSYNC && slot.cur() == number && slot.journalEpoch() != number;
        return isPreparedFor(slot, number) || number != 0 && greeted;
    }

    /** As {@link #owned}, of a copy that is at the begin of the recorded number. */
    static ReplicaSlot ownedAtBegin(ReplicaSlot slot, long number) {
        if (!isAtBeginOf(slot, number)) {
            throw new IllegalArgumentException(describe(slot));
        }
        return emptied(slot, PROMOTED, number, 0, number, slot.poolRunId());
    }

    /** Event 6: the promoted pool was opened by its new owner. */
    static ReplicaSlot opened(ReplicaSlot slot, long imageRunId) {
        requireState(slot, PROMOTED, "note the opening of");
        return emptied(slot, PROMOTED, imageRunId, 0, slot.journalEpoch(), imageRunId)
                .lagging(slot.mayLag());
    }

    /** The old initiator's machine has a complete copy of the promoted pool, to be called n. */
    static ReplicaSlot restored(ReplicaSlot slot, long n) {
        requireState(slot, PROMOTED, "give back");
        requireFresh(slot, n);
        return slot.withNumbers(PROMOTED, slot.cur(), n, slot.journalEpoch());
    }

    /**
     * A program's remote memory holds everything that was persisted; records of {@code n} may come.
     */
    static ReplicaSlot memoryStarted(ReplicaSlot slot, long n) {
        ImageKind.REMOTE_MEMORY.require(slot);
        requireFresh(slot, n);
        return emptied(slot, MEMORY, n, 0, n, 0);
    }

    /** What a person is told about a slot. */
    static String describe(ReplicaSlot slot) {
        return slot.state() + ", current number " + slot.cur() + ", next " + slot.next();
    }

    private static ReplicaSlot emptied(
            ReplicaSlot slot, ReplicaState state, long cur, long next, long epoch, long runId) {
        return new ReplicaSlot(
                        state,
                        cur,
                        next,
                        epoch,
                        0,
                        0,
                        runId,
                        slot.generation() + 1,
                        false,
                        slot.term())
                .ofRecord(slot.recordId());
    }

    private static void requireState(ReplicaSlot slot, ReplicaState state, String what) {
        if (slot.state() != state) {
            String why =
                    slot.state() == SYNCING
                            ? "a copy to it never ended"
                            : slot.state() == NEW ? "it has no content yet" : describe(slot);
            throw new Refusal(
                    Code.WRONG_STATE,
                    "Cannot " + what + " this replica: " + why + ".",
                    "Let an initiator finish its copy, or use another replica.");
        }
    }

    /** A number that was seen here before would make an absent replica pass for current. */
    private static void requireFresh(ReplicaSlot slot, long n) {
        if (!isFresh(slot, n)) {
            throw new Refusal(
                    Code.WRONG_NUMBER,
                    "The number " + n + " is not a fresh one here: " + describe(slot) + ".",
                    "Choose an even number that was never used.");
        }
    }

    private static boolean isFresh(ReplicaSlot slot, long n) {
        boolean seen = n == slot.cur() || n == slot.next() || n == slot.journalEpoch();
        return n != 0 && (n & 1) == 0 && !seen;
    }
}
