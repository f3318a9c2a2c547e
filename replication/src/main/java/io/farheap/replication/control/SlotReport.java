package io.farheap.replication.control;

import io.farheap.replication.journal.ReplicaState;
import io.farheap.replication.journal.SlotTimes;
import java.util.List;

/**
 * A replica's durable slot, as the agent found it at hello, before it changed anything.
 *
 * @param state what its image is
 * @param cur the number of the epoch it belongs to
 * @param next the number it was prepared for, or 0
 * @param journalEpoch the epoch whose records its journal holds; of a promoted replica, the epoch
 *     it was promoted from: it has every commit that returned in that one
 * @param applied the last sequence number applied durably
 * @param tailRecords valid records after that one
 * @param headerRunId the run_id in the image's own descriptor
 * @param foreignOpen a program opened the replica's files beside the agent
 * @param mayLag commits of {@code cur} may have returned without this replica
 * @param sinceMillis since when, by the target's clock, state and {@code cur} are what they are; in
 *     milliseconds since 1970; 0: not known
 * @param writtenMillis when the slot was last written: at each change, and each time that records
 *     were applied
 * @param term the highest of a writer under automatic fail-over that it has heard; 0: none
 * @param recordId of the record that the term is of; 0, also where it is left out: not known
 */
public record SlotReport(
        ReplicaState state,
        long cur,
        long next,
        long journalEpoch,
        long applied,
        long tailRecords,
        long headerRunId,
        boolean foreignOpen,
        boolean mayLag,
        long sinceMillis,
        long writtenMillis,
        long term,
        Long recordId) {
    public SlotReport {
        recordId = recordId == null ? Long.valueOf(0) : recordId;
        Limits.require(recordId >= 0, "recordId");
        Limits.require(state != null, "state");
        Limits.require(applied >= 0, "applied");
        Limits.require(tailRecords >= 0, "tailRecords");
        Limits.require(term >= 0, "term");
    }

    /** Of a replica of which nobody knows since when, of a pool without terms. */
    public SlotReport(
            ReplicaState state,
            long cur,
            long next,
            long journalEpoch,
            long applied,
            long tailRecords,
            long headerRunId,
            boolean foreignOpen,
            boolean mayLag) {
        this(
                state,
                cur,
                next,
                journalEpoch,
                applied,
                tailRecords,
                headerRunId,
                foreignOpen,
                mayLag,
                0,
                0,
                0,
                null);
    }

    /** The same with when it became so. */
    public SlotReport at(SlotTimes times) {
        return new SlotReport(
                state,
                cur,
                next,
                journalEpoch,
                applied,
                tailRecords,
                headerRunId,
                foreignOpen,
                mayLag,
                times.sinceMillis(),
                times.writtenMillis(),
                term,
                recordId);
    }

    /**
     * The same of a replica that has heard a writer of that term, of a record that is not known.
     */
    public SlotReport inTerm(long heard) {
        return inTerm(heard, 0);
    }

    /** The same of a replica that has heard a writer of that term of a record. */
    public SlotReport inTerm(long heard, long ofRecord) {
        return new SlotReport(
                state,
                cur,
                next,
                journalEpoch,
                applied,
                tailRecords,
                headerRunId,
                foreignOpen,
                mayLag,
                sinceMillis,
                writtenMillis,
                heard,
                ofRecord);
    }

    /** Of an initiator that does not know what it committed in its number. */
    public static final long NOT_KNOWN = -1;

    /**
     * What follows from the number {@code l} of a pool that nobody has open
     * (docs/protocol.md#the-attach-decision).
     */
    public AttachDecision decisionOn(long l, List<Long> descendsFrom) {
        return decisionOn(l, descendsFrom, NOT_KNOWN);
    }

    /**
     * What follows from the initiator's number {@code l} (docs/protocol.md#the-attach-decision).
     *
     * @param descendsFrom numbers of which it provably descends
     * @param committed all records of {@code l} up to there are committed and none beyond it; or
     *     {@link #NOT_KNOWN}
     */
    public AttachDecision decisionOn(long l, List<Long> descendsFrom, long committed) {
        if (foreignOpen) {
            return AttachDecision.OPENED_ON_TARGET;
        }
        boolean byNext = isPreparedFor(l);
        return switch (state) {
            case NEW -> AttachDecision.NEW;
            case INSYNC -> {
                if (byNext || isCurrent(l) && hasAll(committed)) {
                    yield AttachDecision.CURRENT;
                }
                yield isCurrent(l) ? AttachDecision.STALE : older(descendsFrom);
            }
            case SYNCING -> byNext ? AttachDecision.CURRENT : AttachDecision.SYNC_INTERRUPTED;
            case PROMOTED -> byNext ? AttachDecision.CURRENT : AttachDecision.TAKEN_OVER;
            case MEMORY -> AttachDecision.NOT_COMPARABLE;
        };
    }

    /**
     * Whether it may have commits that the initiator's pool lacks, as far as the numbers tell: then
     * only an order gives it up, or a record that it is known to be of
     * (docs/high-availability.md#the-same-record). A complete copy whose switch was not seen to its
     * end is one of the recorded set, where that was recorded.
     *
     * @param decision what followed from the initiator's number
     */
    public boolean mayHaveMore(AttachDecision decision) {
        return switch (decision) {
            case NEW, CURRENT, STALE, NONE -> false;
            case SYNC_INTERRUPTED -> term != 0 && next != 0;
            case NOT_COMPARABLE, TAKEN_OVER, OPENED_ON_TARGET -> true;
        };
    }

    private AttachDecision older(List<Long> descendsFrom) {
        return isOneOf(descendsFrom) ? AttachDecision.STALE : AttachDecision.NOT_COMPARABLE;
    }

    /**
     * Whether it was recognised in one of these numbers, or would have been: it has the content of
     * the number it was prepared for, too, if the pool ever got that.
     */
    private boolean isOneOf(List<Long> numbers) {
        return cur != 0 && numbers.contains(cur) || next != 0 && numbers.contains(next);
    }

    /**
     * Whether it has the content of a number up to a record. What it was prepared for it has from
     * the begin, and none of that number's records.
     */
    public boolean has(long number, long sequence) {
        if (number == 0) {
            return false;
        }
        boolean begun = cur == number && (journalEpoch == number ? lastSequence() : 0) >= sequence;
        return begun || next == number && sequence == 0;
    }

    private boolean isCurrent(long number) {
        return cur == number;
    }

    /** The initiator has what this replica may lack: nobody else committed in that number. */
    private boolean hasAll(long committed) {
        return !mayLag || committed != NOT_KNOWN && lastSequence() >= committed;
    }

    private boolean isPreparedFor(long number) {
        return next != 0 && next == number;
    }

    /** The last valid sequence number of {@code journalEpoch}. */
    public long lastSequence() {
        return applied + tailRecords;
    }
}
