package io.farheap.replication.control;

import com.fasterxml.jackson.annotation.JsonProperty;

/** What the agent makes of the initiator's number (docs/protocol.md#the-attach-decision). */
public enum AttachDecision {
    /** No content: full copy. */
    NEW,
    /**
     * cur = L and INSYNC, or next = L: equal up to its tail. The slot now says cur = L, next = N.
     */
    @JsonProperty("RECOGNISED") // as protocol version 3 spells it
    CURRENT,
    /** A full copy that never ended: full copy. */
    SYNC_INTERRUPTED,
    /** Neither cur nor next is L, but L provably descends from cur: what changed is copied. */
    STALE,
    /** Neither cur nor next is L: which one is newer can't be known. */
    NOT_COMPARABLE,
    /** It was taken over, and is a pool of its own. */
    TAKEN_OVER,
    /** A program opened the replica's files on the target: as not comparable. */
    OPENED_ON_TARGET,
    /** No question of numbers: RESTORE, VERIFY, INSPECT, REMOVE. */
    NONE
}
