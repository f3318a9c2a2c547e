package io.farheap.base;

/**
 * A transaction of typed objects met what another one changed meanwhile: nothing of it remains. The
 * heap runs the body again by itself; only who begins and commits by hand sees this, and begins
 * again. A body that catches it gains nothing: whatever it does next throws it again.
 */
public final class TransactionConflictException extends FarheapException {
    private static final long serialVersionUID = 1L;

    /** With the sentence that says so. */
    public TransactionConflictException() {
        super(
                Category.ENVIRONMENT,
                "Another transaction changed what this one read or writes; run it again.");
    }

    /** It is a signal to run again, often: where it came from says nothing. */
    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
