package io.farheap.base;

/** The logs of a transaction (libpmemobj: {@code enum pobj_log_type}, in its order). */
public enum LogType {
    /**
     * Old contents: the undo log. The lane's own takes 32 ranges of up to 40 bytes, or nearly 1900
     * bytes that lie side by side.
     */
    SNAPSHOT,
    /** What a commit will do: the redo log. The lane's own takes 40 words. */
    INTENT
}
