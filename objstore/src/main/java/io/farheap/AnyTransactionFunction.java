package io.farheap;

/**
 * As {@link AnyTransactionBody}, with a result.
 *
 * @param <T> the result
 */
@FunctionalInterface
public interface AnyTransactionFunction<T> {
    /**
     * Changes what is to change together.
     *
     * @param tx usable during the call only, by the calling thread
     * @return what the caller gets once the transaction is durable
     * @throws Exception aborts the transaction and travels on
     */
    T apply(Transaction tx) throws Exception;
}
