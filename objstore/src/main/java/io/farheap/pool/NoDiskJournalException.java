package io.farheap.pool;

import io.farheap.base.FarheapException;

/**
 * A pool whose files are whole can't have a disk journal; nothing was changed, and it can be used
 * without one.
 */
final class NoDiskJournalException extends FarheapException {
    private static final long serialVersionUID = 1L;

    NoDiskJournalException(FarheapException why) {
        super(
                why.category(),
                why.getMessage() + "; FARHEAP_DURABILITY=pages goes without a disk journal",
                why);
    }

    /** What it takes to have one. */
    String why() {
        return getCause().getMessage();
    }
}
