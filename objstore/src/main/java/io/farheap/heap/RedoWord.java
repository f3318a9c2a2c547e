package io.farheap.heap;

import io.farheap.ulog.RedoOperations;

/**
 * The one word operation that makes an object allocated or free: SET of a chunk header, or OR / AND
 * on a word of a run's bitmap (docs/format.md#changes-of-chunks). Reusable; belongs to one thread.
 */
abstract sealed class RedoWord permits Reservation, Freeing {
    private RedoOperations.Kind kind;
    private long wordOffset;
    private long wordValue;

    final void word(RedoOperations.Kind newKind, long offset, long value) {
        kind = newKind;
        wordOffset = offset;
        wordValue = value;
    }

    /** Adds the word operation that makes an object free again which this one allocates. */
    final void addInverseTo(RedoOperations operations) {
        switch (kind) {
            case SET ->
                    operations.set(
                            wordOffset,
                            ChunkHeader.word(
                                    ChunkHeader.FREE,
                                    ChunkHeader.flags(wordValue),
                                    (int) ChunkHeader.sizeIdx(wordValue)));
            case OR -> operations.and(wordOffset, ~wordValue);
            case AND -> throw new IllegalStateException("it frees an object");
        }
    }

    /** Adds the word operation to a redo log's list; every one of them must be added once. */
    public final void addTo(RedoOperations operations) {
        switch (kind) {
            case SET -> operations.set(wordOffset, wordValue);
            case AND -> operations.and(wordOffset, wordValue);
            case OR -> operations.or(wordOffset, wordValue);
        }
    }
}
