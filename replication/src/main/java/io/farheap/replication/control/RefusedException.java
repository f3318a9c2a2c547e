package io.farheap.replication.control;

import io.farheap.base.FarheapException;

/** The agent refused a request: it is there, and says why. Nothing changed on the target. */
public class RefusedException extends FarheapException {
    private static final long serialVersionUID = 1L;

    private final Reply.Code code;

    public RefusedException(String replica, Reply.Refused refusal) {
        super(Category.REPLICA, "replica " + replica + ": " + refusal.reason());
        this.code = refusal.code();
    }

    private RefusedException(RefusedException refused, String nextStep) {
        super(Category.REPLICA, refused.getMessage() + "; " + nextStep, refused);
        this.code = refused.code();
    }

    /** The same with what only this side knows to type. */
    public RefusedException with(String nextStep) {
        return new RefusedException(this, nextStep);
    }

    public Reply.Code code() {
        return code;
    }
}
