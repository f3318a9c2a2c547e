package io.farheap.base;

import java.util.Locale;

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

    /** What failed, as a finished sentence. */
    public FarheapException(Category category, String message) {
        super(message);
        this.category = category;
    }

    /** As {@link #FarheapException(Category, String)}, with what it comes from. */
    public FarheapException(Category category, String message, Throwable cause) {
        super(message, cause);
        this.category = category;
    }

    /** Of category WRONG_USE; the message as of {@link String#format}. */
    public static FarheapException wrongUse(String format, Object... values) {
        return of(Category.WRONG_USE, null, format, values);
    }

    /** The same, with a cause. */
    public static FarheapException wrongUse(Throwable cause, String format, Object... values) {
        return of(Category.WRONG_USE, cause, format, values);
    }

    /** Of category BAD_DATA; the message as of {@link String#format}. */
    public static FarheapException badData(String format, Object... values) {
        return of(Category.BAD_DATA, null, format, values);
    }

    /** The same, with a cause. */
    public static FarheapException badData(Throwable cause, String format, Object... values) {
        return of(Category.BAD_DATA, cause, format, values);
    }

    /** Of category ENVIRONMENT; the message as of {@link String#format}. */
    public static FarheapException environment(String format, Object... values) {
        return of(Category.ENVIRONMENT, null, format, values);
    }

    /** The same, with a cause. */
    public static FarheapException environment(Throwable cause, String format, Object... values) {
        return of(Category.ENVIRONMENT, cause, format, values);
    }

    /** Of category REPLICA; the message as of {@link String#format}. */
    public static FarheapException replica(String format, Object... values) {
        return of(Category.REPLICA, null, format, values);
    }

    /** The same, with a cause. */
    public static FarheapException replica(Throwable cause, String format, Object... values) {
        return of(Category.REPLICA, cause, format, values);
    }

    private static FarheapException of(
            Category category, Throwable cause, String format, Object... values) {
        return new FarheapException(category, String.format(Locale.ROOT, format, values), cause);
    }

    /** Who can mend it. */
    public Category category() {
        return category;
    }
}
