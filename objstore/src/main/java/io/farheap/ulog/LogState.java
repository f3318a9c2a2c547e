package io.farheap.ulog;

import java.util.List;

/**
 * What one log of a lane holds on the medium, for reports and checks. Immutable; a picture of the
 * moment at which it was taken.
 *
 * @param kind which of the lane's logs
 * @param lane index from 0
 * @param offset image offset of its header
 * @param checksum as stored
 * @param capacity as stored: of a redo log, the bytes in use
 * @param genNum the generation number
 * @param flags as stored
 * @param extensions image offsets of the objects that hold its extensions, first to last
 * @param entries the entries that recovery would apply, none when there is nothing to recover
 */
public record LogState(
        Kind kind,
        int lane,
        long offset,
        long checksum,
        long capacity,
        long genNum,
        long flags,
        List<Long> extensions,
        List<Entry> entries) {

    /** The logs of a lane, in their order on the medium. */
    public enum Kind {
        INTERNAL,
        EXTERNAL,
        UNDO
    }

    /**
     * One entry.
     *
     * @param operation SET, AND, OR, BUF_SET or BUF_CPY
     * @param target image offset of what it changes
     * @param length bytes it changes
     * @param value of a word entry, else 0
     */
    public record Entry(String operation, long target, long length, long value) {}

    /** Whether opening the pool has something to apply. */
    public boolean needsRecovery() {
        return !entries.isEmpty();
    }

    /** Whether the log is neither valid, nor chained, nor was an undo log ever committed. */
    boolean isFresh() {
        return entries.isEmpty() && extensions.isEmpty() && genNum == 0;
    }
}
