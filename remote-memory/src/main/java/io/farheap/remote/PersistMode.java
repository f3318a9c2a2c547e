package io.farheap.remote;

/**
 * What a crash may leave of the words of a range that is being persisted: librpmem's {@code flags}.
 */
public enum PersistMode {
    /** No flag: each aligned 8-byte word is stored as a whole. */
    WHOLE_WORDS,
    /**
     * RPMEM_PERSIST_RELAXED, RPMEM_FLUSH_RELAXED: the caller does not need that. Changes nothing
     * here: a range travels as one record, and the target has all of it or nothing.
     */
    RELAXED
}
