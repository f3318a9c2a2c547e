package io.farheap.replication.fabric;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import java.time.Duration;

/** Why a target's wait for its initiator's data connection ended without one. */
public final class NoConnection {
    private NoConnection() {}

    /** Nobody proved to know the secret in time. */
    public static FarheapException within(Duration bound) {
        return refused("no initiator came within " + bound.toMillis() + " ms", null);
    }

    /**
     * The listener was closed meanwhile.
     *
     * @param cause null: it was seen without an exception
     */
    public static FarheapException ended(Exception cause) {
        return refused("the wait for the data connection was ended", cause);
    }

    /**
     * Anything else.
     *
     * @param cause null: none
     */
    public static FarheapException refused(String message, Throwable cause) {
        return new FarheapException(Category.REPLICA, message, cause);
    }
}
