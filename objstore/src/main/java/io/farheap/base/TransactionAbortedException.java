package io.farheap.base;

/**
 * The transaction was given up on purpose, by {@code Transaction.abort()} or because an exception
 * left a nested one or a call of it failed; nothing of it remains. It travels out of the outermost
 * call.
 */
public class TransactionAbortedException extends FarheapException {
    private static final long serialVersionUID = 1L;

    private final int errorCode;

    /** With {@link Errno#ECANCELED}. */
    public TransactionAbortedException(String message) {
        this(message, Errno.ECANCELED);
    }

    /**
     * With an error number.
     *
     * @param errorCode what the transaction ends with; 0 becomes {@link Errno#ECANCELED}
     */
    public TransactionAbortedException(String message, int errorCode) {
        super(Category.WRONG_USE, message);
        this.errorCode = errorCode == Errno.NONE ? Errno.ECANCELED : errorCode;
    }

    /** With the error number that stands for what it comes from. */
    public TransactionAbortedException(String message, Throwable cause) {
        super(Category.WRONG_USE, message, cause);
        this.errorCode = Errno.of(cause);
    }

    /** The error number the transaction ended with, never 0. */
    public int errorCode() {
        return errorCode;
    }
}
