package io.farheap.replication.session;

import io.farheap.base.FarheapException;

/** No agent was reached, or it was told nothing: the replica knows nothing of the attempt. */
public class NotReachedException extends FarheapException {
    private static final long serialVersionUID = 1L;

    public NotReachedException(FarheapException cause) {
        super(cause.category(), cause.getMessage(), cause);
    }
}
