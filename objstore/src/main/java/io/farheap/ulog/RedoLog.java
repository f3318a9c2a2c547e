package io.farheap.ulog;

import io.farheap.base.FarheapException;
import io.farheap.layout.Checksum;
import io.farheap.layout.LogLayout;
import io.farheap.memory.PoolMemory;

/**
 * A redo log of one lane: makes a list of word operations one atomic step
 * (docs/format.md#redo-log).
 *
 * <p>{@link #commit} is the commit point, {@link #finish} the rest; nothing else may use the log
 * between the two. Whatever the operations make reachable (object headers, contents) must be
 * ordered before commit: the log's own order does not cover it. Owned by the thread that owns the
 * lane; allocates nothing unless it must be extended.
 */
public final class RedoLog {
    /** An extension takes what the lane's own log takes, less only in a full pool ... */
    private static final long MIN_EXTENSION = 640;

    private static final long LINE = LogLayout.BUFFER_ALIGNMENT;

    /** ... and at most this, so that a pool with little room still has one in one piece. */
    private static final long MAX_EXTENSION = 32768;

    private final PoolMemory memory;
    private final LogChain chain;
    private final long header;
    private final long ownCapacity;
    private RedoOperations committed;
    private boolean stored;

    RedoLog(PoolMemory memory, LogChain chain) {
        this.memory = memory;
        this.chain = chain;
        header = chain.header(0);
        ownCapacity = chain.capacity(0);
    }

    /**
     * Makes room for {@code entries} operations in all, linking extensions where the lane's own 640
     * bytes do not suffice. Four orders for each extension.
     *
     * @throws FarheapException ENVIRONMENT when the pool has no room for an extension; extensions
     *     linked so far stay until {@link #finish}
     */
    public void reserve(int entries) {
        long bytes = entries * LogLayout.WORD_ENTRY_SIZE;
        while (bytes > chain.capacity()) {
            if (!chain.isExtensible()) {
                throw tooMany(entries);
            }
            long missing = LogLayout.up64(bytes - chain.capacity());
            long unused =
                    chain.extend(Math.clamp(missing, MIN_EXTENSION, MAX_EXTENSION), LINE, 0, 0);
        }
    }

    /** Whether {@code entries} operations fit as it is. */
    public boolean hasRoom(int entries) {
        return entries * LogLayout.WORD_ENTRY_SIZE <= chain.capacity();
    }

    /** Whether it may be extended; else what does not fit is refused. */
    public void setGrowing(boolean growing) {
        chain.setGrowing(growing);
    }

    /**
     * Stores the operations; they happen, whatever happens to the machine, as soon as what is
     * ordered is durable. A single operation is applied at once. One order; two when there are more
     * than the lane's own log takes.
     *
     * @param operations must not change before {@link #finish} has returned
     * @throws FarheapException WRONG_USE when they are more than were reserved; nothing happened
     */
    void commit(RedoOperations operations) {
        commit(operations, false);
    }

    /**
     * As {@link #commit(RedoOperations)}.
     *
     * @param alwaysLogged whether a single operation is stored in the log, too
     */
    public void commit(RedoOperations operations, boolean alwaysLogged) {
        stored = operations.size() > (alwaysLogged ? 0 : 1);
        if (stored) {
            store(operations);
        } else if (operations.size() == 1) {
            apply(memory, operations.kind(0), operations.offset(0), operations.value(0));
            memory.flush(operations.offset(0), Long.BYTES);
            memory.order();
        }
        committed = operations;
    }

    /**
     * Applies the stored operations, atomically word by word, discards the log and frees its
     * extensions. Two orders, none if there was a single operation, and three for each extension.
     * Without a commit before it, frees what was reserved in vain.
     */
    public void finish() {
        RedoOperations operations = committed;
        committed = null;
        if (operations != null && stored) {
            for (int i = 0; i < operations.size(); i++) {
                apply(memory, operations.kind(i), operations.offset(i), operations.value(i));
            }
            flushTargets(operations);
            memory.order();
            discard(memory, header);
        }
        if (chain.isExtensible()) {
            chain.shrinkTo(1);
        }
    }

    /** Frees extensions that recovery left. Only between operations. */
    void releaseExtensions() {
        chain.shrinkTo(1);
    }

    /** Makes the log in the lane invalid before what is flushed next; its link stays. */
    static void discard(PoolMemory memory, long header) {
        long next = memory.getLong(header + LogLayout.NEXT);
        writeHeader(memory, header, 0, next, 0);
        memory.flush(header, LogLayout.HEADER_SIZE);
        memory.order();
    }

    /** Applies one operation, not flushed. Other lanes may change other bits of the word. */
    static void apply(PoolMemory memory, RedoOperations.Kind kind, long offset, long value) {
        switch (kind) {
            case SET -> memory.putLongRelease(offset, value);
            case AND -> memory.andLong(offset, value);
            case OR -> memory.orLong(offset, value);
        }
    }

    /**
     * Writes back what was applied, after all of it: the locked instructions of a bitmap would wait
     * for each flush before them. Words of one line that follow each other are flushed at once.
     */
    private void flushTargets(RedoOperations operations) {
        long first = operations.offset(0);
        long last = first;
        for (int i = 1; i < operations.size(); i++) {
            long offset = operations.offset(i);
            if (offset / LINE == first / LINE) {
                first = Math.min(first, offset);
                last = Math.max(last, offset);
            } else {
                memory.flush(first, last - first + Long.BYTES);
                first = offset;
                last = offset;
            }
        }
        memory.flush(first, last - first + Long.BYTES);
    }

    private void store(RedoOperations operations) {
        long bytes = operations.size() * LogLayout.WORD_ENTRY_SIZE;
        if (bytes > chain.capacity()) {
            throw tooMany(operations.size());
        }
        // At least one zero word ends the log, unless it is full to its last byte.
        long written = bytes == chain.capacity() ? bytes : LogLayout.up64(bytes + Long.BYTES);
        if (written > ownCapacity) {
            storeExtensions(operations, written - ownCapacity);
            memory.order();
        }
        long own = Math.min(ownCapacity, written);
        long sum = headerSum(own);
        long data = chain.data(0);
        for (long at = 0; at < own; at += LogLayout.WORD_ENTRY_SIZE) {
            int index = (int) (at / LogLayout.WORD_ENTRY_SIZE);
            writeEntry(operations, index, data + at);
            if (index < operations.size()) {
                sum = Checksum.continued(sum, operations.firstWord(index));
                sum = Checksum.continued(sum, operations.value(index));
            }
        }
        writeHeader(memory, header, sum, chain.firstLink(), own);
        memory.flush(header, LogLayout.HEADER_SIZE + own);
        memory.order();
    }

    /**
     * The checksum over the header with its own field as zero, to be continued over the entries.
     */
    private long headerSum(long capacity) {
        long sum = Checksum.continued(0, 0);
        sum = Checksum.continued(sum, chain.firstLink());
        sum = Checksum.continued(sum, capacity);
        for (long at = LogLayout.GEN_NUM; at < LogLayout.HEADER_SIZE; at += Long.BYTES) {
            sum = Checksum.continued(sum, 0);
        }
        return sum;
    }

    private static void writeHeader(
            PoolMemory memory, long header, long checksum, long next, long capacity) {
        memory.putLong(header + LogLayout.CHECKSUM, checksum);
        memory.putLong(header + LogLayout.NEXT, next);
        memory.putLong(header + LogLayout.CAPACITY, capacity);
        for (long at = LogLayout.GEN_NUM; at < LogLayout.HEADER_SIZE; at += Long.BYTES) {
            memory.putLong(header + at, 0);
        }
    }

    private void storeExtensions(RedoOperations operations, long bytes) {
        int index = (int) (ownCapacity / LogLayout.WORD_ENTRY_SIZE);
        long left = bytes;
        for (int log = 1; left > 0; log++) {
            long data = chain.data(log);
            long part = Math.min(left, chain.capacity(log));
            for (long at = 0; at < part; at += LogLayout.WORD_ENTRY_SIZE) {
                writeEntry(operations, index++, data + at);
            }
            memory.flush(data, part);
            left -= part;
        }
    }

    /** Writes an operation, or zeros where there is none any more. */
    private void writeEntry(RedoOperations operations, int index, long at) {
        boolean present = index < operations.size();
        memory.putLong(at, present ? operations.firstWord(index) : 0);
        memory.putLong(at + LogLayout.WORD_VALUE, present ? operations.value(index) : 0);
    }

    private FarheapException tooMany(int entries) {
        return FarheapException.wrongUse(
                "%s operations do not fit the %s, which has room for %s: reserve it first",
                entries, chain.name(), chain.capacity() / LogLayout.WORD_ENTRY_SIZE);
    }
}
