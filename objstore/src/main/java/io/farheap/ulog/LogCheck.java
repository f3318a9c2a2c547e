package io.farheap.ulog;

import io.farheap.base.FarheapException;
import io.farheap.layout.LaneLayout;
import io.farheap.layout.LogLayout;
import io.farheap.memory.PoolMemory;

/**
 * Looks at every log of every lane and reports what cannot be: a header that no writer leaves
 * behind, a chain that leads elsewhere than to log extensions, an entry that would change what no
 * log may change (docs/format.md#logs). Makes no store, and follows no link that the visitor, who
 * knows the heap, does not allow.
 *
 * <p>A log that was torn by a crash is no damage: nobody believes it. The image must not change
 * meanwhile.
 */
public final class LogCheck {
    private static final long UNUSED = LogLayout.FLAGS + Long.BYTES;

    private final LaneArea lanes;
    private final PoolMemory memory;
    private final LaneRecovery recovery;
    private final LogReader reader;
    private final Visitor visitor;

    /** What is told. */
    public interface Visitor {
        /**
         * A log that leads on.
         *
         * @param log its name
         * @param link image offset of the word that holds the link
         * @param object where it leads
         * @return usable bytes of the internal object that starts there and belongs to no other
         *     log; 0 when there is none, which the visitor then reports
         */
        long extension(String log, long link, long object);

        /**
         * A log that holds entries which recovery would apply.
         *
         * @param header image offset of the log
         */
        void pending(String log, long header, int entries);

        /** Something that should not be, with the offset of the structure in question. */
        void inconsistency(long offset, String meaning);
    }

    public LogCheck(LaneArea lanes, Visitor visitor) {
        this.lanes = lanes;
        this.memory = lanes.memory();
        this.visitor = visitor;
        recovery = new LaneRecovery(lanes);
        reader = new LogReader(lanes, new LogChecksums());
    }

    /** Looks at all of them. */
    public void check() {
        for (int lane = 0; lane < lanes.count(); lane++) {
            long start = lanes.offset(lane);
            internal(lane, start + LaneLayout.INTERNAL_REDO);
            external(lane, start + LaneLayout.EXTERNAL_REDO);
            undo(lane, start + LaneLayout.UNDO);
        }
    }

    private void internal(int lane, long header) {
        LogChain log = Lane.internalChain(lanes, lane);
        redoHeader(log.name(), header, LaneLayout.INTERNAL_REDO_CAPACITY);
        if (memory.getLong(header + LogLayout.NEXT) != 0) {
            report(header, log.name(), "has an extension, which it never gets");
        }
        redoEntries(log, LaneLayout.INTERNAL_REDO_CAPACITY);
    }

    private void external(int lane, long header) {
        String name = "external redo log of lane " + lane;
        redoHeader(name, header, LaneLayout.EXTERNAL_REDO_CAPACITY);
        if (extensions(name, header, 0)) {
            redoEntries(
                    Lane.externalChain(lanes, lane, null, null), LaneLayout.EXTERNAL_REDO_CAPACITY);
        }
    }

    private void undo(int lane, long header) {
        String name = "undo log of lane " + lane;
        if (memory.getLong(header + LogLayout.CHECKSUM) != 0) {
            report(header, name, "has a checksum in its header, which no undo log has");
        }
        long capacity = memory.getLong(header + LogLayout.CAPACITY);
        if (capacity != LaneLayout.UNDO_CAPACITY) {
            report(header, name, "has a capacity of " + Long.toUnsignedString(capacity));
        }
        if (memory.getLong(header + LogLayout.FLAGS) != 0) {
            report(header, name, "has flags");
        }
        unusedWords(name, header);
        if (extensions(name, header, memory.getLong(header + LogLayout.GEN_NUM))) {
            LogChain chain = Lane.undoChain(lanes, lane, null, null);
            entries(chain, reader.undo(chain));
        }
    }

    private void redoHeader(String name, long header, long ownCapacity) {
        long capacity = memory.getLong(header + LogLayout.CAPACITY);
        if (capacity < 0 || capacity > ownCapacity || capacity % LogLayout.WORD_ENTRY_SIZE != 0) {
            report(header, name, "says that " + capacity + " bytes of it are in use");
        }
        if (memory.getLong(header + LogLayout.GEN_NUM) != 0) {
            report(header, name, "has a generation number, which no redo log has");
        }
        if (memory.getLong(header + LogLayout.FLAGS) != 0) {
            report(header, name, "has flags");
        }
        unusedWords(name, header);
    }

    private void unusedWords(String name, long header) {
        for (long at = header + UNUSED; at < header + LogLayout.HEADER_SIZE; at += Long.BYTES) {
            if (memory.getLong(at) != 0) {
                report(at, name, "has something in a word of its header that is always 0");
            }
        }
    }

    /** Follows a chain; whether all of it is sound. */
    private boolean extensions(String name, long first, long genNum) {
        long link = first + LogLayout.NEXT;
        for (long object = memory.getLong(link); object != 0; object = memory.getLong(link)) {
            long usable = visitor.extension(name, link, object);
            long header = LogLayout.extensionHeader(object);
            if (usable <= 0 || !extension(name, header, object + usable, genNum)) {
                return false;
            }
            link = header + LogLayout.NEXT;
        }
        return true;
    }

    private boolean extension(String name, long header, long end, long genNum) {
        String extension = "extension at " + header + " of the " + name;
        long capacity = end - header < LogLayout.HEADER_SIZE ? -1 : capacityAt(header);
        boolean fits =
                capacity > 0
                        && capacity % LogLayout.BUFFER_ALIGNMENT == 0
                        && capacity <= end - header - LogLayout.HEADER_SIZE;
        if (!fits) {
            report(header, extension, "has a capacity that its object has not: " + capacity);
            return false;
        }
        if ((memory.getLong(header + LogLayout.FLAGS) & ~LogLayout.USER_OWNED) != 0) {
            report(header, extension, "has unknown flags");
        }
        if (memory.getLong(header + LogLayout.CHECKSUM) != 0) {
            report(header, extension, "has a checksum in its header, which no extension has");
        }
        long own = memory.getLong(header + LogLayout.GEN_NUM);
        if (Long.compareUnsigned(own, genNum) > 0) {
            report(
                    header,
                    extension,
                    "has generation number "
                            + Long.toUnsignedString(own)
                            + ", its lane's log "
                            + Long.toUnsignedString(genNum));
        }
        unusedWords(extension, header);
        return true;
    }

    private long capacityAt(long header) {
        return memory.getLong(header + LogLayout.CAPACITY);
    }

    private void redoEntries(LogChain log, long ownCapacity) {
        if (recovery.isStored(log.header(0), ownCapacity)) {
            entries(log, reader.redo(log));
        }
    }

    private void entries(LogChain log, LogReader opened) {
        int count = 0;
        try {
            while (opened.next()) {
                count++;
            }
        } catch (FarheapException e) {
            visitor.inconsistency(log.header(0), e.getMessage());
            return;
        }
        if (count > 0) {
            visitor.pending(log.name(), log.header(0), count);
        }
    }

    private void report(long offset, String log, String what) {
        visitor.inconsistency(
                offset, "the " + log + " " + what + " (at offset " + offset + " of the pool)");
    }
}
