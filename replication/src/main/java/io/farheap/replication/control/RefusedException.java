package io.farheap.replication.control;

import io.farheap.FarheapException;

/** The agent refused a request: it is there, and says why. Nothing changed on the target. */
public class RefusedException extends FarheapException {
    private static final long serialVersionUID = 1L;

    private final Reply.Code code;

    public RefusedException(String replica, Reply.Refused refusal) {
        super(Category.REPLICA, "replica " + replica + ": " + refusal.reason());
        this.code = refusal.code();
    }

    public Reply.Code code() {
        return code;
    }
}
