package io.farheap.availability;

/**
 * What came of a request to change the record.
 *
 * @param why a sentence
 */
record RecordOutcome(Kind kind, String why) {
    /** The outcomes. */
    enum Kind {
        /** The record is what was asked for. */
        RECORDED,
        /** It is not known: {@link PoolRecord#settle} again, and nothing else until it is. */
        UNSETTLED,
        /** The record is another's: this node's term is over, or the take-over came too late. */
        OVER,
        /** This node's copy must not take over, as the record is now: nothing was changed. */
        NOT_ALLOWED,
        /** The store is older than what this node has seen of it: a person has to look. */
        STORE_WENT_BACK
    }
}
