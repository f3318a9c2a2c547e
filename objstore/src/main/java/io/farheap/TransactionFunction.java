package io.farheap;

/**
 * What happens in one transaction, with a result.
 *
 * @param <T> the result
 * @param <E> what it may throw besides unchecked exceptions; any of them aborts and travels on
 */
@FunctionalInterface
public interface TransactionFunction<T, E extends Exception> {
    T apply(Transaction tx) throws E;
}
