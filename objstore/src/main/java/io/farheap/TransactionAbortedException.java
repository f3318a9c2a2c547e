package io.farheap;

/**
 * The transaction was given up on purpose, by {@code Transaction.abort()} or because an exception
 * left a nested one; nothing of it remains. It travels out of the outermost call.
 */
public class TransactionAbortedException extends FarheapException {
    private static final long serialVersionUID = 1L;

    public TransactionAbortedException(String message) {
        super(Category.WRONG_USE, message);
    }

    public TransactionAbortedException(String message, Throwable cause) {
        super(Category.WRONG_USE, message, cause);
    }
}
