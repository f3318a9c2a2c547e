package io.farheap.availability.coordinator;

import io.farheap.base.FarheapException;

/**
 * The store answers, and does not carry a request out: it has no space left, or this client no
 * permission. The request is not carried out later either; another one may be, when a person has
 * mended that.
 */
public final class StoreRefusedException extends FarheapException {
    private static final long serialVersionUID = 1L;

    /** A sentence, and what it comes from. */
    public StoreRefusedException(String message, Throwable cause) {
        super(Category.ENVIRONMENT, message, cause);
    }
}
