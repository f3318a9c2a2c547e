package io.farheap.replication.epoch;

import io.farheap.base.FarheapException;

/** Fewer copies are there than commits are to be durable in. */
final class TooFewCopiesException extends FarheapException {
    private static final long serialVersionUID = 1L;

    TooFewCopiesException(FarheapException cause) {
        super(cause.category(), cause.getMessage(), cause);
    }
}
