package io.farheap.ulog;

import io.farheap.base.FarheapException;
import io.farheap.layout.BulkChecksum;
import io.farheap.layout.Checksum;
import io.farheap.layout.LogLayout;
import io.farheap.memory.PoolMemory;

/**
 * Reads the entries of one log as the medium has them (docs/format.md#entries): every kind, in
 * every log, each validated before it is shown.
 *
 * <p>A buffer entry with a wrong checksum, or one that would reach past its log, ends the log. An
 * entry that is valid and leads outside the pool's data is damage, and an exception.
 */
final class LogReader {
    private final LaneArea lanes;
    private final PoolMemory memory;
    private final LogChecksums checksums;
    private final BulkChecksum sums = new BulkChecksum();

    private LogChain chain;
    private long firstCapacity;
    private long genNum;
    private boolean undo;

    /** So many entries more are known to be valid, and the last of the log; -1: nobody knows. */
    private long known;

    private int log;
    private long position;
    private long entry;
    private int operation;
    private long target;
    private long length;

    LogReader(LaneArea lanes, LogChecksums checksums) {
        this.lanes = lanes;
        this.memory = lanes.memory();
        this.checksums = checksums;
    }

    /** Goes to the start of a stored redo log. */
    LogReader redo(LogChain stored) {
        open(stored, memory.getLong(stored.header(0) + LogLayout.CAPACITY));
        undo = false;
        return this;
    }

    /** Goes to the start of an undo log. */
    LogReader undo(LogChain stored) {
        open(stored, stored.capacity(0));
        undo = true;
        return this;
    }

    private void open(LogChain stored, long capacity) {
        chain = stored;
        firstCapacity = capacity;
        genNum = memory.getLong(stored.header(0) + LogLayout.GEN_NUM);
        known = -1;
        log = 0;
        position = 0;
    }

    /**
     * Somebody has compared the checksums of the log, which has so many entries: they need not be
     * summed again. Where they lead is still looked at.
     */
    void trust(long entries) {
        known = entries;
    }

    /**
     * Goes on to the next entry.
     *
     * @return whether there is one
     * @throws FarheapException BAD_DATA when it leads outside
     */
    boolean next() {
        if (known == 0) {
            return false;
        }
        while (position >= capacity(log)) {
            if (log + 1 == chain.logs()) {
                return false;
            }
            log++;
            position = 0;
        }
        entry = chain.data(log) + position;
        long room = capacity(log) - position;
        if (room < LogLayout.WORD_ENTRY_SIZE) {
            return false;
        }
        long firstWord = memory.getLong(entry);
        operation = LogLayout.operation(firstWord);
        target = LogLayout.target(firstWord);
        if (firstWord == 0) {
            return false;
        }
        switch (operation) {
            case LogLayout.SET, LogLayout.AND, LogLayout.OR -> {
                length = Long.BYTES;
                position += LogLayout.WORD_ENTRY_SIZE;
                if (target % Long.BYTES != 0) {
                    throw damaged();
                }
            }
            case LogLayout.BUFFER_SET, LogLayout.BUFFER_COPY -> {
                if (!bufferIsValid(room)) {
                    return false;
                }
                position += bufferEntrySize(length);
            }
            default -> {
                // What follows the last entry of an undo log may be anything. A redo log ends with
                // a zero, and its checksum says that all of it was meant.
                if (undo) {
                    return false;
                }
                length = 0;
                throw damaged();
            }
        }
        if (!lanes.isTarget(target, length)) {
            throw damaged();
        }
        known -= known > 0 ? 1 : 0;
        return true;
    }

    /** Applies the entry, flushed, not fenced. */
    void apply() {
        switch (operation) {
            case LogLayout.BUFFER_COPY ->
                    memory.copy(entry + LogLayout.BUFFER_DATA, target, length);
            case LogLayout.BUFFER_SET ->
                    memory.fill(target, length, memory.getByte(entry + LogLayout.BUFFER_DATA));
            case LogLayout.AND -> memory.andLong(target, value());
            case LogLayout.OR -> memory.orLong(target, value());
            default -> memory.putLong(target, value());
        }
        memory.flush(target, length);
    }

    int operation() {
        return operation;
    }

    long target() {
        return target;
    }

    /** Bytes at the target that the entry changes. */
    long length() {
        return length;
    }

    /** Image offset of a buffer entry's bytes. */
    long data() {
        return entry + LogLayout.BUFFER_DATA;
    }

    /** The value of a word entry. */
    long value() {
        return memory.getLong(entry + LogLayout.WORD_VALUE);
    }

    static long bufferEntrySize(long data) {
        return LogLayout.up64(LogLayout.BUFFER_DATA + data);
    }

    private long capacity(int index) {
        return index == 0 ? firstCapacity : chain.capacity(index);
    }

    private boolean bufferIsValid(long room) {
        if (room < LogLayout.BUFFER_DATA) {
            return false;
        }
        length = memory.getLong(entry + LogLayout.BUFFER_SIZE);
        if (length < 0 || length > room || bufferEntrySize(length) > room) {
            return false;
        }
        if (known > 0) {
            return true;
        }
        long sum = Checksum.continued(0, memory.getLong(entry));
        sum = Checksum.continued(sum, 0); // the checksum itself
        sum =
                sums.continued(
                        sum,
                        memory.image(),
                        entry + LogLayout.BUFFER_SIZE,
                        bufferEntrySize(length) - LogLayout.BUFFER_SIZE);
        return checksums.bufferEntryMatches(
                memory.getLong(entry + LogLayout.BUFFER_CHECKSUM), Checksum.continued(sum, genNum));
    }

    /** What to throw for the present entry. */
    FarheapException damaged() {
        return FarheapException.badData(
                "the %s is damaged: its entry at %s (operation %s) would change %s"
                        + " bytes at %s; restore the pool from another copy",
                chain.name(), entry, operation, length, target);
    }
}
