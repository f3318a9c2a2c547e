package io.farheap.objects.dump;

import io.farheap.objects.transaction.HeapTransaction;
import io.farheap.objects.transaction.HeapTransactions;
import io.farheap.objects.transaction.ManualHeapTransaction;

/** A load's transactions: each ends, and another one begins, when there is enough in it. */
final class LoadSteps {
    /** What a step counts for at least. */
    static final long LEAST_BYTES = 64;

    private static final int STEPS = 256;
    private static final long BYTES = 256 << 10;

    private final HeapTransactions transactions;
    private ManualHeapTransaction transaction;
    private int count;
    private long bytes;

    LoadSteps(HeapTransactions transactions) {
        this.transactions = transactions;
    }

    /** About the bytes that a value takes. */
    static long bytesOf(Object value) {
        if (value instanceof String) {
            return LEAST_BYTES + ((String) value).length();
        }
        return LEAST_BYTES + (value instanceof byte[] ? ((byte[]) value).length : 0);
    }

    /** The transaction under way. */
    HeapTransaction tx() {
        if (transaction == null) {
            transaction = transactions.begin();
        }
        return transactions.current();
    }

    /** So much was added to it. */
    void did(long more) {
        count++;
        bytes += more;
        if (count >= STEPS || bytes >= BYTES) {
            commit();
        }
    }

    void commit() {
        if (transaction != null) {
            transaction.commit();
            transaction = null;
        }
        count = 0;
        bytes = 0;
    }

    void rollback() {
        if (transaction != null) {
            transaction.close();
            transaction = null;
        }
    }
}
