package io.farheap.replication.epoch;

import io.farheap.base.FarheapException;
import io.farheap.replication.session.NotReachedException;

/** A former writer's copy, which the record names: it knows nothing of the attempt. */
final class FormerWritersCopyException extends NotReachedException {
    private static final long serialVersionUID = 1L;

    FormerWritersCopyException(FarheapException cause) {
        super(cause);
    }
}
