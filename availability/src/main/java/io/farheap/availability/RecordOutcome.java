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
        /**
         * This node must not take over: its copy must not, as the record is now, or take-overs are
         * paused, or it is not known whether they are. Nothing was changed, and nothing will be.
         */
        NOT_ALLOWED,
        /** The store is older than what this node has seen of it: a person has to look. */
        STORE_WENT_BACK
    }
}
