package io.farheap.ulog;

import io.farheap.base.FarheapException;
import io.farheap.layout.LogLayout;
import io.farheap.memory.PoolMemory;
import java.util.Arrays;

/**
 * A lane's log and its extensions, first to last, as they are linked on the medium
 * (docs/format.md#extensions). Log 0 is the lane's own.
 *
 * <p>The chain is read and validated once, when the object is made, and kept in step from then on:
 * nobody follows a link of the medium again. One that is only read may be read again.
 */
final class LogChain {
    private final LaneArea lanes;
    private final PoolMemory memory;
    private final RedoLog internal;
    private final LogSpace space;

    /** Of a link that comes or goes; null where the chain is only read. */
    private final RedoOperations words;

    private String kind;
    private int lane;

    private long[] objects = new long[4];
    private long[] headers = new long[4];
    private long[] capacities = new long[4];
    private int logs = 1;
    private long capacity;
    private boolean growing = true;

    /** Whether extensions are being linked or freed, or an error cut that short. */
    private boolean cut;

    private LogChain(LaneArea lanes, RedoLog internal, LogSpace space) {
        this.lanes = lanes;
        this.memory = lanes.memory();
        this.internal = internal;
        this.space = space;
        this.words = internal == null ? null : new RedoOperations();
    }

    /**
     * A log that nobody extends; the links it has, if any, are left alone.
     *
     * @param kind for messages: which log of the lane
     */
    static LogChain fixed(LaneArea lanes, String kind, int lane, long header, long ownCapacity) {
        LogChain chain = new LogChain(lanes, null, null);
        chain.begin(kind, lane, header, ownCapacity);
        return chain;
    }

    /**
     * A log with the extensions it has, which gets and frees more through {@code internal}; null
     * where it is only read.
     */
    static LogChain extensible(
            LaneArea lanes,
            String kind,
            int lane,
            long header,
            long ownCapacity,
            RedoLog internal,
            LogSpace space) {
        LogChain chain = new LogChain(lanes, internal, space);
        chain.begin(kind, lane, header, ownCapacity);
        chain.readLinks();
        return chain;
    }

    /** A chain for {@link #reread}: one object reads the logs of all lanes, one after the other. */
    static LogChain forReading(LaneArea lanes) {
        return new LogChain(lanes, null, null);
    }

    /** Becomes the chain of another log, as the medium has it now. Allocates nothing. */
    LogChain reread(String newKind, int newLane, long header, long ownCapacity) {
        assert internal == null : "somebody extends it";
        begin(newKind, newLane, header, ownCapacity);
        readLinks();
        return this;
    }

    private void begin(String newKind, int newLane, long header, long ownCapacity) {
        kind = newKind;
        lane = newLane;
        headers[0] = header;
        capacities[0] = ownCapacity;
        capacity = ownCapacity;
        logs = 1;
    }

    /** For messages: which log of which lane. */
    String name() {
        return kind + " of lane " + lane;
    }

    /** How many logs there are, the lane's own included. */
    int logs() {
        return logs;
    }

    /** Image offset of a log's header. */
    long header(int log) {
        return headers[log];
    }

    /** Image offset of a log's entries. */
    long data(int log) {
        return headers[log] + LogLayout.HEADER_SIZE;
    }

    /** Bytes of entries that one log takes. */
    long capacity(int log) {
        return capacities[log];
    }

    /** Bytes of entries that all logs take. */
    long capacity() {
        return capacity;
    }

    /** The link to the first extension; 0 when there is none. */
    long firstLink() {
        return logs == 1 ? 0 : objects[1];
    }

    /** The link to extension {@code log} as it stands in the log before it. */
    long object(int log) {
        return objects[log];
    }

    /** How many logs there are before the first whose memory belongs to a program. */
    int ownLogs() {
        int own = 1;
        while (own < logs && !isUserOwned(own)) {
            own++;
        }
        return own;
    }

    boolean isUserOwned(int log) {
        return (memory.getLong(headers[log] + LogLayout.FLAGS) & LogLayout.USER_OWNED) != 0;
    }

    void setGrowing(boolean newGrowing) {
        growing = newGrowing;
    }

    boolean isExtensible() {
        return internal != null;
    }

    /**
     * Links one more extension: constructed and ordered first, then allocated and linked in one
     * internal redo. Four orders.
     *
     * @param wanted capacity it shall have, if the pool has room for that
     * @param least capacity it must have
     * @param genNum the lane log's generation number; 0 for a redo log
     * @param first how many bytes one entry at the extension's start is going to take as far as
     *     they are there: nothing else is stored before it, so of these bytes only the first line
     *     is cleared; 0: everything is
     * @return up to where anything may stand behind the first line
     * @throws FarheapException ENVIRONMENT when it must not grow, or the pool has no room
     */
    long extend(long wanted, long least, long genNum, long first) {
        if (!growing) {
            throw FarheapException.environment(
                    "The %s is full with %s bytes and the transaction does not let it"
                            + " grow: change less, or leave its automatic allocation on.",
                    name(), capacity);
        }
        requireWhole();
        words.clear();
        cut = true;
        long object;
        try {
            object = reserve(wanted, least);
        } catch (FarheapException full) {
            cut = false;
            throw full;
        }
        long extension = LogLayout.extensionCapacity(object, space.usableSize(object));
        long header = LogLayout.extensionHeader(object);
        // Wherever an entry may end there is a zero, not only in the first 64 bytes: no log ever
        // sees as an entry what the memory held before, however far a batch of entries reaches.
        long begin = header + LogLayout.HEADER_SIZE;
        long line = LogLayout.BUFFER_ALIGNMENT;
        boolean fits = extension >= UndoLog.LEAST_LONG_ENTRY;
        long rest = fits ? Math.clamp(first, line, extension) : line;
        memory.fill(header, LogLayout.HEADER_SIZE + line, (byte) 0);
        memory.fill(begin + rest, extension - rest, (byte) 0);
        memory.putLong(header + LogLayout.CAPACITY, extension);
        memory.putLong(header + LogLayout.GEN_NUM, genNum);
        memory.flush(header, LogLayout.HEADER_SIZE + extension);
        memory.order();
        words.set(headers[logs - 1] + LogLayout.NEXT, object);
        internal.commit(words);
        internal.finish();
        space.allocated(object);
        add(object, header, extension);
        cut = false;
        return rest;
    }

    /** The largest there is room for, by halves. */
    private long reserve(long wanted, long least) {
        long bytes = wanted;
        while (true) {
            try {
                return space.reserve(LogLayout.extensionObjectSize(bytes), words);
            } catch (NoRoomException full) {
                if (bytes <= least) {
                    throw noRoom(least, full);
                }
                bytes = Math.max(least, LogLayout.down64(bytes / 2));
            }
        }
    }

    private FarheapException noRoom(long bytes, NoRoomException full) {
        return FarheapException.environment(
                full,
                "The %s has %s bytes and needs %s more, and the pool has no room for"
                        + " them: free objects in transactions that each fit the log (16 bytes"
                        + " for an object of its own chunks, or for up to 64 small ones side by"
                        + " side) or change less in each, then larger ones fit again; or make a"
                        + " larger pool (%s).",
                name(),
                capacity,
                bytes,
                full.getMessage());
    }

    /** How many logs stay for the next transaction: the lane's own, and one if it may. */
    int stayingLogs() {
        return logs > 1 && (isUserOwned(1) || space.mayStay(objects[1])) ? 2 : 1;
    }

    private void requireWhole() {
        if (cut) {
            throw FarheapException.environment(
                    "An error ended a change of the extensions of the %s half done; close"
                            + " the pool and open it again.",
                    name());
        }
    }

    /** Frees extensions, last to first, until {@code keep} logs are left. Three orders for each. */
    void shrinkTo(int keep) {
        requireWhole();
        while (logs > keep) {
            cut = true;
            int last = logs - 1;
            long link = headers[last - 1] + LogLayout.NEXT;
            if (isUserOwned(last)) {
                memory.putLong(link, 0);
                memory.flush(link, Long.BYTES);
                memory.order();
            } else {
                words.clear();
                words.set(link, 0);
                space.release(objects[last], words);
                internal.commit(words);
                internal.finish();
                space.released(objects[last]);
            }
            capacity -= capacities[last];
            logs = last;
            cut = false;
        }
    }

    private void readLinks() {
        long seen = 0;
        for (long object = next(0); object != 0; object = next(logs - 1)) {
            // Brent's: compare with one earlier link, which moves up at every power of two.
            if (object == seen || logs > lanes.mostExtensions()) {
                throw damaged("its extensions lead back to " + object);
            }
            if (Integer.bitCount(logs) == 1) {
                seen = object;
            }
            long header = LogLayout.extensionHeader(object);
            if (!lanes.inHeap(object, 0) || !lanes.inHeap(header, LogLayout.HEADER_SIZE)) {
                throw damaged("its extension at " + object + " lies outside the heap");
            }
            long data = memory.getLong(header + LogLayout.CAPACITY);
            boolean fits =
                    data > 0
                            && data % LogLayout.BUFFER_ALIGNMENT == 0
                            && lanes.inHeap(header + LogLayout.HEADER_SIZE, data);
            if (!fits) {
                throw damaged("its extension at " + object + " has a capacity of " + data);
            }
            add(object, header, data);
        }
    }

    private long next(int log) {
        return memory.getLong(headers[log] + LogLayout.NEXT);
    }

    /** What to throw for an extension that another log has, too. */
    FarheapException shared(int log) {
        return damaged("its extension at " + objects[log] + " belongs to another log, too");
    }

    private FarheapException damaged(String what) {
        return FarheapException.badData(
                "the %s is damaged: %s; restore the pool from another copy", name(), what);
    }

    private void add(long object, long header, long bytes) {
        if (logs == objects.length) {
            objects = Arrays.copyOf(objects, 2 * logs);
            headers = Arrays.copyOf(headers, 2 * logs);
            capacities = Arrays.copyOf(capacities, 2 * logs);
        }
        objects[logs] = object;
        headers[logs] = header;
        capacities[logs] = bytes;
        capacity += bytes;
        logs++;
    }
}
