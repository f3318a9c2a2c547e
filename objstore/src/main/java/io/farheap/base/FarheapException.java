package io.farheap.base;

/**
 * The root of every error this library throws; unchecked. Its message is one sentence for a person:
 * what failed, where (file, line, offset, host) and what to do next.
 */
public class FarheapException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Who can mend it. */
    public enum Category {
        /** The caller broke the contract of the method called. */
        WRONG_USE,
        /** A file is corrupt, truncated, foreign, or not what was asked for. */
        BAD_DATA,
        /** The machine: disk full, permission, file in use, no memory in the pool. */
        ENVIRONMENT,
        /** A replica is unreachable, refuses, or is behind. */
        REPLICA
    }

    private final Category category;

    public FarheapException(Category category, String message) {
        super(message);
        this.category = category;
    }

    public FarheapException(Category category, String message, Throwable cause) {
        super(message, cause);
        this.category = category;
    }

    public Category category() {
        return category;
    }
}
