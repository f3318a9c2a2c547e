package io.farheap;

/**
 * What happens in one transaction.
 *
 * @param <E> what it may throw besides unchecked exceptions; any of them aborts and travels on
 */
@FunctionalInterface
public interface TransactionBody<E extends Exception> extends AnyTransactionBody {
    @Override
    void run(Transaction tx) throws E;
}
