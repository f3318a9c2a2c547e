package io.farheap.replication.epoch;

import io.farheap.base.PoolDeposedException;
import io.farheap.poolset.RemoteReplica;
import java.util.List;
import java.util.Optional;

/**
 * Who says, beyond this machine, whose copies every commit of an epoch waits for, before the pool
 * has the epoch's number (docs/high-availability.md#the-recorded-switch). A pool without automatic
 * fail-over has {@link #NONE}.
 *
 * <p>For the thread that switches, one call at a time; each call has a bound.
 */
public interface SwitchRecorder {
    /** Nobody is told of anything. */
    SwitchRecorder NONE = new NoRecorder();

    /** What came of a request to record a switch. */
    enum Kind {
        /** It is recorded. */
        RECORDED,
        /** It is not recorded, and will not be by this request. */
        NOT_RECORDED,
        /** It may be recorded now, later, or never: {@link #settle} until that is known. */
        UNSETTLED,
        /** Another writer has begun a later term: nothing is recorded for this one any more. */
        OVER
    }

    /**
     * An answer.
     *
     * @param why a sentence
     */
    record Answer(Kind kind, String why) {}

    /**
     * The writer's term, which each replica is told at hello; 0: of a pool without terms, of whose
     * switches nothing is recorded.
     */
    long term();

    /**
     * Of the record that the term is of, of which each replica is told, too
     * (docs/high-availability.md#the-same-record); 0: of none.
     */
    default long recordId() {
        return 0;
    }

    /** The least number of copies, the pool's own among them, that commits must be durable in. */
    int minCopies();

    /** The recorded number: the pool's own copy has it, or is prepared for it. */
    long number();

    /** Whether the record was made for this opening: no copy is named yet but the pool's own. */
    default boolean isNew() {
        return false;
    }

    /** What the pool's own copy had replayed when its node took over, before the first switch. */
    default TakenTail tail() {
        return TakenTail.NONE;
    }

    /**
     * Whether the record names the replica's copy, or may name it: then it may have to take over,
     * and its content must not be given up before a switch without it is recorded.
     */
    boolean names(RemoteReplica replica);

    /**
     * That the record names copies to which no replica leads, in a sentence; empty: it does not.
     * Any replica may lead to one of them then, by another name
     * (docs/high-availability.md#named-beside).
     */
    default Optional<String> namedBeside() {
        return Optional.empty();
    }

    /**
     * From now on the pool has these replicas: some are added while it is open, or have left. They
     * are of the set when a {@link #record} says so.
     *
     * @throws io.farheap.base.FarheapException WRONG_USE where one of them can't be recorded;
     *     nothing has changed then
     */
    default void replicas(List<RemoteReplica> all) {
        // Who knows all replicas needs not be told.
    }

    /**
     * Asked before a switch that can wait: one that is begun and not recorded holds commits up
     * until it is.
     *
     * @throws io.farheap.base.FarheapException it would not be recorded now, and why
     */
    default void requireRecording() {
        // Who asks nobody is always answered.
    }

    /**
     * The pool's own copy is prepared for a number: durable on return, and before that is recorded
     * (docs/high-availability.md#prepare-self).
     *
     * @param current the pool's number until then
     */
    void prepare(long current, long number);

    /**
     * Records that these replicas and the pool itself are the copies of the epoch with that number.
     * All of them are prepared for it.
     *
     * @param members without those that may lag
     */
    Answer record(List<RemoteReplica> members, long number);

    /**
     * After a {@link #record} that was unsettled or threw: what became of it. Makes the very same
     * request again if need be, and never another one.
     */
    Answer settle();

    /**
     * Another writer has taken the pool over, whoever said so. Called once, on any thread, with
     * locks held: it is told, and returns at once.
     */
    default void over(PoolDeposedException why) {
        // Who records nothing is never deposed.
    }
}
