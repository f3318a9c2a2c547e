package io.farheap.ulog;

/**
 * The undo log of one lane: old contents of ranges that a transaction is about to change (spec:
 * lanes and logs, 5).
 *
 * <p>In a transaction: {@link #append} each range and {@link #persist} once before the first of
 * them is changed (any number of rounds). Then either add SET {@link #genNumOffset} = {@link
 * #nextGenNum} to the redo operations that commit and call {@link #afterCommit}, or {@link
 * #rollBack}. Owned by the thread that owns the lane; allocates nothing unless an extension has to
 * be linked.
 */
public final class UndoLog {
    UndoLog() {}

    /** Whether nothing was appended since the last commit or roll-back. */
    public boolean isEmpty() {
        throw new UnsupportedOperationException();
    }

    /**
     * Appends the present content of a range. Not durable before {@link #persist}; the range must
     * not be changed before that. No range may be appended twice in one transaction.
     *
     * @param offset image offset in bytes, any alignment
     * @param length bytes; 64 take 128 bytes of the lane's 2048
     * @throws io.farheap.FarheapException ENVIRONMENT when an extension is needed and the pool has
     *     no room for one; what was appended before stays
     */
    public void append(long offset, long length) {
        throw new UnsupportedOperationException();
    }

    /** Makes everything appended durable: one flush per log touched and one fence, or nothing. */
    public void persist() {
        throw new UnsupportedOperationException();
    }

    /** Where the word lies that a commit sets to {@link #nextGenNum} to discard this log. */
    public long genNumOffset() {
        throw new UnsupportedOperationException();
    }

    /** The value that makes every entry of this log invalid. */
    public long nextGenNum() {
        throw new UnsupportedOperationException();
    }

    /**
     * The redo log with the new generation number was committed and applied: starts anew. Frees all
     * extensions but the first, which stays for the next transaction. No fence unless something is
     * freed.
     */
    public void afterCommit() {
        throw new UnsupportedOperationException();
    }

    /**
     * Puts the old contents back and discards the log; durable when it returns. Two fences, and
     * three for each extension freed. Nothing when the log is empty.
     */
    public void rollBack() {
        throw new UnsupportedOperationException();
    }
}
