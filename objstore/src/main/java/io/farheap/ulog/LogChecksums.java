package io.farheap.ulog;

/**
 * The two comparisons that decide what recovery believes. A class of its own so that a test can
 * show that each of them is needed.
 */
class LogChecksums {
    /** Whether a redo log was stored to its end. */
    boolean redoLogMatches(long stored, long computed) {
        return stored == computed;
    }

    /** Whether a buffer entry is complete and of the log's present generation. */
    boolean bufferEntryMatches(long stored, long computed) {
        return stored == computed;
    }
}
