package io.farheap.pmemobj;

import io.farheap.base.Ref;
import java.util.Objects;

/**
 * How {@link io.farheap.Transaction#snapshot(Ref, long, long, SnapshotOption...)} adds a range to
 * the transaction (libpmemobj: the POBJ_XADD flags).
 *
 * <p>On a pool with replicas, local or on other machines, {@link #NO_FLUSH} and {@link
 * #NO_SNAPSHOT} have no effect: a copy hears of changes by the write-back and the record of a
 * commit, and of those taken back by the undo log. Without them it would differ from the pool for
 * ever, after a crash or an abort. The range is saved, written back and sent as any other.
 */
public enum SnapshotOption {
    /**
     * The commit does not write the range back (POBJ_XADD_NO_FLUSH): after a crash each word of it
     * has the old or the new value. For ranges that the program makes durable itself, or that need
     * not be.
     */
    NO_FLUSH,
    /**
     * The range is not saved (POBJ_XADD_NO_SNAPSHOT): the commit makes it durable, and after an
     * abort or a crash before the commit it holds whatever was stored. For ranges without content
     * that matters. A later snapshot of the same bytes saves what they are then.
     */
    NO_SNAPSHOT,
    /**
     * The range's content counts as initialised (POBJ_XADD_ASSUME_INITIALIZED): a hint to the
     * checkers of C programs, without effect here.
     */
    ASSUME_INITIALIZED,
    /** A failure does not abort the transaction (POBJ_XADD_NO_ABORT); the call still throws. */
    NO_ABORT;

    /** Whether this is one of {@code options}. */
    public boolean isIn(SnapshotOption[] options) {
        for (SnapshotOption option : options) {
            if (Objects.requireNonNull(option, "option") == this) {
                return true;
            }
        }
        return false;
    }
}
