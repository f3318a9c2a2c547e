package io.farheap.ulog;

import io.farheap.layout.LaneLayout;

/**
 * One lane: the three logs that give one thread at a time atomic operations (docs/format.md#lanes).
 * Whoever hands lanes to threads sees to it that none has two owners; handing one over needs the
 * usual happens-before.
 */
public final class Lane {
    private static final String INTERNAL_REDO_LOG = "internal redo log";
    private static final String EXTERNAL_REDO_LOG = "external redo log";
    private static final String UNDO_LOG = "undo log";

    private final RedoLog external;
    private final UndoLog undo;

    Lane(LaneArea lanes, int index, LogSpace space) {
        RedoLog internal = internalRedo(lanes, index);
        external = new RedoLog(lanes.memory(), externalChain(lanes, index, internal, space));
        undo = new UndoLog(lanes, undoChain(lanes, index, internal, space));
    }

    /** The log for commits and everything else that must be one step. */
    public RedoLog external() {
        return external;
    }

    public UndoLog undo() {
        return undo;
    }

    /**
     * Frees the extensions that the logs keep between operations, so that no block of the heap
     * belongs to this lane. Three fences each; only between transactions.
     */
    public void releaseExtensions() {
        external.releaseExtensions();
        undo.releaseExtensions();
    }

    /** The log through which the other two link and unlink extensions. */
    static RedoLog internalRedo(LaneArea lanes, int index) {
        return new RedoLog(lanes.memory(), internalChain(lanes, index));
    }

    static LogChain internalChain(LaneArea lanes, int index) {
        return LogChain.fixed(
                lanes,
                INTERNAL_REDO_LOG,
                index,
                lanes.offset(index) + LaneLayout.INTERNAL_REDO,
                LaneLayout.INTERNAL_REDO_CAPACITY);
    }

    static LogChain externalChain(LaneArea lanes, int index, RedoLog internal, LogSpace space) {
        return LogChain.extensible(
                lanes,
                EXTERNAL_REDO_LOG,
                index,
                lanes.offset(index) + LaneLayout.EXTERNAL_REDO,
                LaneLayout.EXTERNAL_REDO_CAPACITY,
                internal,
                space);
    }

    static LogChain undoChain(LaneArea lanes, int index, RedoLog internal, LogSpace space) {
        return LogChain.extensible(
                lanes,
                UNDO_LOG,
                index,
                lanes.offset(index) + LaneLayout.UNDO,
                LaneLayout.UNDO_CAPACITY,
                internal,
                space);
    }

    /** The undo log of a lane as the medium has it now, in a chain that is only read. */
    static LogChain rereadUndo(LogChain chain, LaneArea lanes, int index) {
        return chain.reread(
                UNDO_LOG, index, lanes.offset(index) + LaneLayout.UNDO, LaneLayout.UNDO_CAPACITY);
    }
}
