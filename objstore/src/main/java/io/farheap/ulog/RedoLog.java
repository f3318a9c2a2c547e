package io.farheap.ulog;

/**
 * A redo log of one lane: makes a list of word operations one atomic step (spec: lanes and logs,
 * 4).
 *
 * <p>{@link #commit} is the commit point, {@link #finish} the rest; nothing else may use the log
 * between the two. Whatever the operations make reachable (object headers, contents) must be
 * durable before commit: the log's own fence does not order it. Owned by the thread that owns the
 * lane; allocates nothing unless it must be extended.
 */
public final class RedoLog {
    RedoLog() {}

    /**
     * Makes room for {@code entries} operations in all, linking extensions where the lane's own
     * bytes do not suffice. Only the external log can be extended.
     *
     * @throws io.farheap.FarheapException ENVIRONMENT when the pool has no room for an extension;
     *     extensions linked so far stay until {@link #finish}
     */
    public void reserve(int entries) {
        throw new UnsupportedOperationException();
    }

    /**
     * Stores the operations; when this returns they happen, whatever happens to the machine. A
     * single operation is applied at once. One fence (two when an extension is needed).
     *
     * @param operations must not change before {@link #finish} has returned; not more than were
     *     reserved
     */
    public void commit(RedoOperations operations) {
        throw new UnsupportedOperationException();
    }

    /**
     * Applies the stored operations, atomically word by word, discards the log and frees its
     * extensions. No fence after a single operation, else two, and three per extension.
     */
    public void finish() {
        throw new UnsupportedOperationException();
    }
}
