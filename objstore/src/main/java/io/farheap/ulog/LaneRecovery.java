package io.farheap.ulog;

import io.farheap.layout.Checksum;
import io.farheap.layout.LaneLayout;
import io.farheap.layout.LogLayout;
import io.farheap.memory.PoolMemory;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/**
 * Brings a pool that was not closed back to a transaction boundary (docs/format.md#recovery).
 *
 * <p>Order: {@link #recoverRedo}, then the heap is booted, then {@link #recoverUndo}; only then
 * lanes are used. Every method may be cut short by a crash and repeated. Every offset is validated
 * before it is used, and the logs of all lanes before the first is applied.
 *
 * <p>Each method throws {@link io.farheap.base.FarheapException} BAD_DATA, naming lane and log,
 * when a valid log leads outside the heap, the lanes and the root fields.
 */
public final class LaneRecovery {
    private static final byte[] CLEAR = new byte[(int) LaneLayout.UNDO_CAPACITY];

    private final LaneArea lanes;
    private final PoolMemory memory;
    private final LogChecksums checksums;
    private final LogReader reader;
    private final byte[] present = new byte[CLEAR.length];

    /** Whether every undo log was followed since anything was stored that might change one. */
    private boolean undoChecked;

    /** What somebody has found before; null: nobody looked, or something was stored since. */
    private FoundLogs found;

    private int completed;
    private int rolledBack;

    public LaneRecovery(LaneArea lanes) {
        this(lanes, new LogChecksums());
    }

    /**
     * @param found by {@link #check(LogSpace)}, since which nothing was stored; null: nobody looked
     */
    public LaneRecovery(LaneArea lanes, FoundLogs found) {
        this(lanes);
        this.found = found;
    }

    LaneRecovery(LaneArea lanes, LogChecksums checksums) {
        this.lanes = lanes;
        this.memory = lanes.memory();
        this.checksums = checksums;
        reader = new LogReader(lanes, checksums);
    }

    /**
     * Follows every log that recovery will act on, and stores nothing: a pool with a damaged one is
     * refused as it is. What a stored redo log is going to change, its lane's undo log for one,
     * only a rehearsal can look at: {@link #recoverRedo} and {@link #rehearseUndo} on a copy.
     *
     * @return whether recovery will change anything
     */
    public boolean check() {
        boolean recovers = false;
        boolean redoes = false;
        for (int i = 0; i < lanes.count(); i++) {
            LogChain internal = storedInternal(i);
            // A stored internal log may yet change the external one's link.
            LogChain external = internal == null ? storedExternal(i) : null;
            if (internal != null) {
                redoes = true;
                boolean unused = validate(reader.redo(internal));
            } else if (external != null) {
                redoes = true;
                boolean unused = validate(reader.redo(external));
            } else {
                LogChain undo = undoLog(i, null, null);
                recovers |= validate(reader.undo(undo)) || undo.logs() > 1 || isExtended(i);
            }
        }
        undoChecked = !redoes;
        return recovers || redoes;
    }

    /** Whether a redo log is stored: what it is going to change only a rehearsal can look at. */
    public boolean isRedoStored() {
        for (int i = 0; i < lanes.count(); i++) {
            if (storedInternal(i) != null || storedExternal(i) != null) {
                return true;
            }
        }
        return false;
    }

    /**
     * As {@link #check}, where no redo log is stored: then nothing changes the undo logs and the
     * extensions before recovery comes to them, and what the heap knows of both is looked at in the
     * same pass.
     *
     * @param space of the heap, booted over the same memory; nothing is released
     * @return for a recovery over the same memory, before anything is stored
     */
    public FoundLogs check(LogSpace space) {
        FoundLogs entries = new FoundLogs(lanes.count());
        Set<Long> extensions = new HashSet<>();
        for (int i = 0; i < lanes.count(); i++) {
            LogChain undo = undoLog(i, null, null);
            reader.undo(undo);
            while (reader.next()) {
                checkData(space);
                entries.found(i);
            }
            checkExtensions(undo, space, extensions);
            checkExtensions(Lane.externalChain(lanes, i, null, null), space, extensions);
        }
        return entries;
    }

    private void checkData(LogSpace space) {
        if (!space.isData(reader.target(), reader.length())) {
            throw reader.damaged();
        }
    }

    /** Each is an object of its own, or {@link #releaseExtensions} would fail half-way. */
    private static void checkExtensions(LogChain chain, LogSpace space, Set<Long> others) {
        for (int log = 1; log < chain.logs(); log++) {
            if (!chain.isUserOwned(log)) {
                long unused = space.usableSize(chain.object(log));
                if (!others.add(chain.object(log))) {
                    throw chain.shared(log);
                }
            }
        }
    }

    private boolean isExtended(int lane) {
        return memory.getLong(lanes.offset(lane) + LaneLayout.EXTERNAL_REDO + LogLayout.NEXT) != 0;
    }

    /**
     * After {@link #recoverRedo} on a copy of the pool: does what {@link #recoverUndo} and {@link
     * #releaseExtensions} do, but for what is rolled back of objects, which may be large.
     */
    public void rehearseUndo(LogSpace space) {
        for (int i = 0; i < lanes.count(); i++) {
            LogChain undo = undoLog(i, Lane.internalRedo(lanes, i), space);
            reader.undo(undo);
            while (reader.next()) {
                checkData(space);
            }
        }
        releaseExtensions(space);
    }

    /** Applies and discards the stored redo logs of every lane; durable when it returns. */
    public void recoverRedo() {
        if (found != null && !isRedoStored()) {
            undoChecked = true;
            return;
        }
        found = null;
        boolean unused = check();
        for (int i = 0; i < lanes.count(); i++) {
            redo(storedInternal(i));
            redo(storedExternal(i));
        }
    }

    /**
     * Rolls back every transaction that was not committed, frees the undo logs' extensions and
     * unlinks buffers that a program has lent to a log, which uses them for something else next;
     * durable when it returns.
     */
    public void recoverUndo(LogSpace space) {
        for (int i = 0; i < lanes.count() && !undoChecked; i++) {
            boolean unused = validate(reader.undo(undoLog(i, null, null)));
        }
        undoChecked = false;
        boolean cleared = false;
        for (int i = 0; i < lanes.count(); i++) {
            RedoLog internal = Lane.internalRedo(lanes, i);
            LogChain undo = undoLog(i, internal, space);
            undo(i, undo);
            cleared |= clear(undo.data(0));
            if (isExtended(i)) {
                LogChain external = Lane.externalChain(lanes, i, internal, space);
                external.shrinkTo(external.ownLogs());
            }
        }
        found = null;
        if (cleared) {
            memory.fence();
        }
    }

    /**
     * Frees whatever extensions are still linked, of redo logs too, so that no block of the heap
     * belongs to a lane: needed before replicas attach, which have no lanes.
     */
    public void releaseExtensions(LogSpace space) {
        for (int i = 0; i < lanes.count(); i++) {
            RedoLog internal = Lane.internalRedo(lanes, i);
            Lane.externalChain(lanes, i, internal, space).shrinkTo(1);
            undoLog(i, internal, space).shrinkTo(1);
        }
    }

    /** How many redo logs were stored and not applied yet: operations that count as done. */
    public int completed() {
        return completed;
    }

    /** How many transactions had changed something and not committed. */
    public int rolledBack() {
        return rolledBack;
    }

    private LogChain storedInternal(int index) {
        long header = lanes.offset(index) + LaneLayout.INTERNAL_REDO;
        return isStored(header, LaneLayout.INTERNAL_REDO_CAPACITY)
                ? Lane.internalChain(lanes, index)
                : null;
    }

    private LogChain storedExternal(int index) {
        long header = lanes.offset(index) + LaneLayout.EXTERNAL_REDO;
        return isStored(header, LaneLayout.EXTERNAL_REDO_CAPACITY)
                ? Lane.externalChain(lanes, index, null, null)
                : null;
    }

    private LogChain undoLog(int index, RedoLog internal, LogSpace space) {
        return Lane.undoChain(lanes, index, internal, space);
    }

    /** Whether a redo log was stored to its end (docs/format.md#redo-log). */
    boolean isStored(long header, long ownCapacity) {
        long capacity = memory.getLong(header + LogLayout.CAPACITY);
        if (capacity <= 0 || capacity > ownCapacity || capacity % LogLayout.WORD_ENTRY_SIZE != 0) {
            return false;
        }
        long data = header + LogLayout.HEADER_SIZE;
        long used = 0;
        while (used < capacity && memory.getLong(data + used) != 0) {
            used += entrySize(data + used, capacity - used);
        }
        if (used == 0) {
            return false;
        }
        long sum =
                Checksum.of(
                        memory.image(),
                        header,
                        LogLayout.HEADER_SIZE + used,
                        LogLayout.CHECKSUM,
                        Checksum.NO_SKIP);
        return checksums.redoLogMatches(memory.getLong(header + LogLayout.CHECKSUM), sum);
    }

    /** The size of an entry, cut off at what is left of the log. */
    private long entrySize(long entry, long left) {
        int operation = LogLayout.operation(memory.getLong(entry));
        if (operation != LogLayout.BUFFER_COPY && operation != LogLayout.BUFFER_SET) {
            return LogLayout.WORD_ENTRY_SIZE;
        }
        long data =
                left < LogLayout.BUFFER_DATA ? -1 : memory.getLong(entry + LogLayout.BUFFER_SIZE);
        boolean fits = data >= 0 && data <= left && LogReader.bufferEntrySize(data) <= left;
        return fits ? LogReader.bufferEntrySize(data) : left;
    }

    /** Whether there are entries at all. */
    private static boolean validate(LogReader entries) {
        boolean any = entries.next();
        boolean more = any;
        while (more) {
            more = entries.next();
        }
        return any;
    }

    private void redo(LogChain stored) {
        if (stored != null) {
            boolean unused = validate(reader.redo(stored));
            reader.redo(stored);
            while (reader.next()) {
                reader.apply();
            }
            memory.fence();
            RedoLog.discard(memory, stored.header(0));
            completed++;
        }
    }

    private void undo(int lane, LogChain stored) {
        boolean applied = false;
        reader.undo(stored);
        if (found != null) {
            reader.trust(found.entries(lane));
        }
        while (reader.next()) {
            reader.apply();
            applied = true;
        }
        rolledBack += applied ? 1 : 0;
        if (applied || stored.logs() > 1) {
            memory.fence();
            long genNum = stored.header(0) + LogLayout.GEN_NUM;
            memory.putLong(genNum, memory.getLong(genNum) + 1);
            // Fenced before an extension is unlinked, or with the lines that are cleared next:
            // until
            // then a repetition puts the same bytes back once more, as far as entries are left.
            memory.flush(genNum, Long.BYTES);
            stored.shrinkTo(1);
        }
    }

    /**
     * Clears the lane's part of an undo log that is not valid any more, flushed, not fenced: an
     * entry of the present generation behind a torn one would count when a later transaction is cut
     * off just before it, and so would data, ours or libpmemobj's, where that one's entries end.
     * From here on {@link DataLines} knows.
     */
    private boolean clear(long data) {
        memory.copyOut(data, MemorySegment.ofArray(present), 0, LaneLayout.UNDO_CAPACITY);
        if (Arrays.equals(present, CLEAR)) {
            return false;
        }
        memory.fill(data, LaneLayout.UNDO_CAPACITY, (byte) 0);
        memory.flush(data, LaneLayout.UNDO_CAPACITY);
        return true;
    }
}
