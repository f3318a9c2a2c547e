package io.farheap.objects.transaction;

/** A rule of the transactions that {@link PlantedHeap} breaks, for tests that must notice it. */
enum Mistake {
    NONE,
    /** Bytes count that were loaded while a commit stored. */
    NO_SECOND_LOOK,
    /** A read that was quiet as it began goes on as if it were. */
    NO_LOOK_AT_CLOCK,
    /** A read asks whether a commit has finished, not whether one has begun. */
    LOOKS_AT_WATERMARK,
    /** A snapshot is the last version given out, finished or not. */
    CLOCK_FOR_WATERMARK,
    /** The watermark passes a version that has not finished. */
    FINISHES_OUT_OF_ORDER,
    /** A commit returns before what begins next sees it. */
    RETURNS_BEFORE_FINISHED,
    /** Old bytes are not saved. */
    NO_HISTORY,
    /** Old bytes are saved when the new ones are in place. */
    HISTORY_AFTER_STORE,
    /** Old bytes are dropped while a read needs them. */
    DROPS_TOO_EARLY,
    /** What an older commit replaced serves also the reads that see that commit. */
    DROPS_BETWEEN,
    /** What a transaction read may have changed when it commits. */
    NO_VALIDATION,
    /** A stripe is locked whatever happened to it since it was looked at. */
    LOCKS_BLINDLY,
    /** A commit that failed after it stored puts the old words back. */
    OLD_WORDS_AFTER_FAILURE,
    /** A commit that frees an object leaves its word as it was. */
    FREE_LEAVES_WORD,
    /** A glance takes what is in place where its snapshot is gone. */
    GOES_ON_OVERTAKEN,
    /** A glance counts though it was overtaken and its body caught what said so. */
    FORGETS_OVERTAKEN;

    /** Whether only reads that look at the clock make it. */
    boolean isOfClock() {
        return this == NO_LOOK_AT_CLOCK || this == LOOKS_AT_WATERMARK;
    }
}
