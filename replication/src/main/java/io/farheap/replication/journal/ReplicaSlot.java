package io.farheap.replication.journal;

/**
 * All that decides about a replica after a restart, besides its image and its journal; changed in
 * one atomic step.
 *
 * @param state what the replica is
 * @param cur the number of the epoch that the replica is equal to, up to its tail; else 0
 * @param next the number of the epoch it is prepared for; 0 when it is not
 * @param journalEpoch which records in the ring are valid; may be older than {@code cur}
 * @param appliedSequence the last record whose effect is durable in the image
 * @param appliedPosition the stream position behind that record
 * @param poolRunId the run_id that the replica's own descriptor must have
 * @param generation counts the slot's changes; picks the copy
 * @param mayLag commits of {@code cur} may have returned without this replica: that it has that
 *     number does not prove that it has everything
 * @param term no writer of a lower one is listened to (docs/high-availability.md#fence-durable); 0:
 *     of a pool without terms
 * @param uncompared a program had the image for its pool, and nobody has compared it since: it may
 *     differ beyond what the tail touches (docs/high-availability.md#former-writer)
 * @param recordId of the record that the term is of (docs/high-availability.md#the-same-record); 0:
 *     not known, or without a term
 */
public record ReplicaSlot(
        ReplicaState state,
        long cur,
        long next,
        long journalEpoch,
        long appliedSequence,
        long appliedPosition,
        long poolRunId,
        long generation,
        boolean mayLag,
        long term,
        boolean uncompared,
        long recordId) {

    /** Of a replica whose image differs only by its tail, and of no known record. */
    public ReplicaSlot(
            ReplicaState state,
            long cur,
            long next,
            long journalEpoch,
            long appliedSequence,
            long appliedPosition,
            long poolRunId,
            long generation,
            boolean mayLag,
            long term) {
        this(
                state,
                cur,
                next,
                journalEpoch,
                appliedSequence,
                appliedPosition,
                poolRunId,
                generation,
                mayLag,
                term,
                false,
                0);
    }

    /** The slot of a replica that was just created. */
    public static ReplicaSlot fresh() {
        return new ReplicaSlot(ReplicaState.NEW, 0, 0, 0, 0, 0, 0, 1, false, 0);
    }

    /** The slot of a program's remote memory that was just created. */
    public static ReplicaSlot memory() {
        return new ReplicaSlot(ReplicaState.MEMORY, 0, 0, 0, 0, 0, 0, 1, false, 0);
    }

    /** The slot of a pool that was never a replica, and has that number. */
    public static ReplicaSlot promoted(long runId) {
        return new ReplicaSlot(ReplicaState.PROMOTED, runId, 0, 0, 0, 0, runId, 1, false, 0);
    }

    /** Whether apply must stand still. */
    boolean isPrepared() {
        return next != 0;
    }

    private ReplicaSlot with(
            ReplicaState newState,
            long newCur,
            long newNext,
            long newJournalEpoch,
            long newAppliedSequence,
            long newAppliedPosition,
            long newPoolRunId) {
        return new ReplicaSlot(
                newState,
                newCur,
                newNext,
                newJournalEpoch,
                newAppliedSequence,
                newAppliedPosition,
                newPoolRunId,
                generation + 1,
                mayLag,
                term,
                uncompared,
                recordId);
    }

    /** The same with other numbers, one generation later. */
    public ReplicaSlot withNumbers(
            ReplicaState newState, long newCur, long newNext, long newJournalEpoch) {
        return with(
                newState,
                newCur,
                newNext,
                newJournalEpoch,
                appliedSequence,
                appliedPosition,
                poolRunId);
    }

    /** The same with another applied record, one generation later. */
    public ReplicaSlot withApplied(long sequence, long position) {
        return with(state, cur, next, journalEpoch, sequence, position, poolRunId);
    }

    /** The same with another run_id of the replica's descriptor, one generation later. */
    public ReplicaSlot withPoolRunId(long runId) {
        return with(state, cur, next, journalEpoch, appliedSequence, appliedPosition, runId);
    }

    /** The same as what may lag or must not, in the same generation: before it is written. */
    public ReplicaSlot lagging(boolean may) {
        return new ReplicaSlot(
                state,
                cur,
                next,
                journalEpoch,
                appliedSequence,
                appliedPosition,
                poolRunId,
                generation,
                may,
                term,
                uncompared,
                recordId);
    }

    /** The same with another term of the same record, one generation later; 0: of none. */
    public ReplicaSlot withTerm(long newTerm) {
        return withTerm(newTerm, newTerm == 0 ? 0 : recordId);
    }

    /** The same with another record's term, one generation later. */
    public ReplicaSlot withTerm(long newTerm, long newRecordId) {
        return new ReplicaSlot(
                state,
                cur,
                next,
                journalEpoch,
                appliedSequence,
                appliedPosition,
                poolRunId,
                generation + 1,
                mayLag,
                newTerm,
                uncompared,
                newRecordId);
    }

    /** The same whose term is of that record, in the same generation: before it is written. */
    public ReplicaSlot ofRecord(long id) {
        return new ReplicaSlot(
                state,
                cur,
                next,
                journalEpoch,
                appliedSequence,
                appliedPosition,
                poolRunId,
                generation,
                mayLag,
                term,
                uncompared,
                id);
    }

    /** The same one generation later: it has everything that was ever committed of its number. */
    public ReplicaSlot caughtUp() {
        return withPoolRunId(poolRunId).lagging(false);
    }
}
