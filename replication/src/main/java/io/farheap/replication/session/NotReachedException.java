package io.farheap.replication.session;

import io.farheap.base.FarheapException;

/** No agent was reached: the replica knows nothing of the attempt. */
public final class NotReachedException extends FarheapException {
    private static final long serialVersionUID = 1L;

    NotReachedException(FarheapException cause) {
        super(cause.category(), cause.getMessage(), cause);
    }
}
