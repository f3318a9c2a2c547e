package io.farheap.replication.epoch;

import io.farheap.base.FarheapException;
import io.farheap.replication.control.RefusedException;
import io.farheap.replication.control.Reply;
import java.util.Optional;

/**
 * That a target's agent does not let the writer do what a pool under automatic fail-over needs at
 * each opening: a writer that takes over ends the right of the one before it
 * (docs/service.md#who-may-what). Otherwise it would look like trouble of that target's alone.
 */
final class MissingRight {
    /** As the agent's refusal names it, and its line {@code allow}. */
    private static final String RIGHT = "administer";

    private MissingRight() {}

    /** A sentence for the log; empty: it is something else that was refused, or has failed. */
    static Optional<String> in(FarheapException why) {
        boolean isThat =
                why instanceof RefusedException refused
                        && refused.code() == Reply.Code.ACCESS
                        && refused.getMessage().contains(RIGHT);
        return isThat
                ? Optional.of(
                        why.getMessage()
                                + ". The pool is under automatic fail-over, whose writers need that"
                                + " right at every agent, not write alone: without it this copy"
                                + " gets no commit, and no node takes over with it")
                : Optional.empty();
    }
}
