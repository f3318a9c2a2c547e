package io.farheap;

/**
 * What happens in one transaction, whatever it throws. Java's lambdas become a {@link
 * TransactionBody}, which says what that is; those of languages without checked exceptions become
 * this.
 */
@FunctionalInterface
public interface AnyTransactionBody {
    /**
     * Changes what is to change together.
     *
     * @param tx usable during the call only, by the calling thread
     * @throws Exception aborts the transaction and travels on
     */
    void run(Transaction tx) throws Exception;
}
