package io.farheap.availability.coordinator;

import io.farheap.base.FarheapException;

/** The store does not answer, or says that it can't at present: worth another try. */
public final class StoreUnavailableException extends FarheapException {
    private static final long serialVersionUID = 1L;

    /** A sentence. */
    public StoreUnavailableException(String message) {
        super(Category.ENVIRONMENT, message);
    }

    /** A sentence, and what it comes from. */
    public StoreUnavailableException(String message, Throwable cause) {
        super(Category.ENVIRONMENT, message, cause);
    }
}
