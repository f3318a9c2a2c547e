package io.farheap;

/**
 * What happens in one transaction, with a result.
 *
 * <p>Java prefers this to {@link AnyTransactionFunction}, because it is a subtype, and finds E.
 * Kotlin can't find E, so it must prefer the other one; it does where the parameter's type is more
 * general there than here, and {@code X} is what makes it so.
 *
 * @param <T> the result
 * @param <E> what it may throw besides unchecked exceptions; any of them aborts and travels on
 * @param <X> the transaction: always {@link Transaction}
 */
@FunctionalInterface
public interface TransactionFunction<T, E extends Exception, X extends Transaction>
        extends AnyTransactionFunction<T> {
    /** As {@link #apply}, and says what it throws. */
    T compute(X tx) throws E;

    @Override
    @SuppressWarnings("unchecked") // Transaction is final
    default T apply(Transaction tx) throws E {
        return compute((X) tx);
    }
}
