package io.farheap.replication.session;

import io.farheap.base.FarheapException;

/** A replica must not be overwritten without an order: a person decides which copy is kept. */
public final class OverwriteRefusedException extends FarheapException {
    private static final long serialVersionUID = 1L;

    public OverwriteRefusedException(FarheapException reason) {
        super(reason.category(), reason.getMessage());
    }
}
