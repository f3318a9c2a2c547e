package io.farheap.ulog;

/**
 * One lane: the three logs that give one thread at a time atomic operations (spec: lanes and logs,
 * 1). Whoever hands lanes to threads sees to it that none has two owners; handing one over needs
 * the usual happens-before.
 */
public final class Lane {
    private final RedoLog internal = new RedoLog();
    private final RedoLog external = new RedoLog();
    private final UndoLog undo = new UndoLog();

    Lane() {}

    /** The allocator's own changes to log extensions. The logs of this lane use it themselves. */
    RedoLog internal() {
        return internal;
    }

    /** The log for commits and everything else that must be one step. */
    public RedoLog external() {
        return external;
    }

    public UndoLog undo() {
        return undo;
    }
}
