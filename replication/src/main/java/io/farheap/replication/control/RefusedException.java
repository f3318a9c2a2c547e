package io.farheap.replication.control;

import io.farheap.FarheapException;

/** The agent refused a request: it is there, and says why. Nothing changed on the target. */
public class RefusedException extends FarheapException {
    private static final long serialVersionUID = 1L;

    private final Reply.Code code;

    public RefusedException(String replica, Reply.Refused refusal) {
        super(
                Category.REPLICA,
                "replica "
                        + replica
                        + ": "
                        + asClause(refusal.message())
                        + (refusal.advice().isEmpty() ? "" : "; " + asClause(refusal.advice())));
        this.code = refusal.code();
    }

    /** The agent speaks in whole sentences, of which this makes one. */
    private static String asClause(String sentence) {
        return sentence.endsWith(".") ? sentence.substring(0, sentence.length() - 1) : sentence;
    }

    public Reply.Code code() {
        return code;
    }
}
