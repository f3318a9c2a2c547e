package io.farheap.base;

import io.farheap.base.FarheapException.Category;

/** The error numbers that transactions end with, those of Linux, as libpmemobj uses them. */
public final class Errno {
    /** Not an error: it committed. */
    public static final int NONE = 0;

    /** A file, or a replica, failed. */
    public static final int EIO = 5;

    /** The pool, or a log that may not grow, has no room. */
    public static final int ENOMEM = 12;

    /** A call was used wrongly. */
    public static final int EINVAL = 22;

    /** Given up by its own code, or by an exception of its own code. */
    public static final int ECANCELED = 125;

    private Errno() {}

    /** The number for what ended a transaction. */
    public static int of(Throwable failure) {
        if (failure instanceof TransactionAbortedException aborted) {
            return aborted.errorCode();
        }
        if (failure instanceof FarheapException known) {
            Category category = known.category();
            return switch (category) {
                case WRONG_USE -> EINVAL;
                case ENVIRONMENT -> ENOMEM;
                case BAD_DATA, REPLICA -> EIO;
            };
        }
        return ECANCELED;
    }
}
