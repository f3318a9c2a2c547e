package io.farheap.testing;

/**
 * A state that a power loss leaves, which could not be recovered, or did not pass the program's
 * check. The cause says why; its stack trace goes on from the check to the line of the change that
 * ran when the power was lost.
 */
public final class PowerLossError extends AssertionError {
    private static final long serialVersionUID = 1;

    PowerLossError(String message, Throwable cause) {
        super(message, cause);
    }
}
