package io.farheap.replication.epoch;

import io.farheap.base.FarheapException;
import io.farheap.replication.session.NotReachedException;

/** A copy lacks something, and is told nothing: the pool is opened without it. */
final class LackingCopyException extends NotReachedException {
    private static final long serialVersionUID = 1L;

    LackingCopyException(FarheapException cause) {
        super(cause);
    }
}
