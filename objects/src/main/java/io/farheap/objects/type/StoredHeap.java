package io.farheap.objects.type;

import io.farheap.ObjectPool;
import io.farheap.base.FarheapException;
import io.farheap.objects.transaction.HeapTransaction;
import io.farheap.objects.transaction.HeapTransactions;
import java.util.List;

/**
 * The typed heap of an open pool by its type table alone, for whom no program has the classes. The
 * pool stays the caller's; nothing else may change it meanwhile.
 */
public final class StoredHeap implements HeapContext, AutoCloseable {
    private final ObjectPool pool;
    private final HeapTransactions transactions;
    private final List<TypeDescriptor> table;

    /** What a reference leads to: no class says more. */
    private record Place(long offset) {}

    /**
     * @throws FarheapException BAD_DATA for a pool without typed objects, one whose format this
     *     release does not read, or a damaged type table
     */
    public StoredHeap(ObjectPool pool) {
        this.pool = pool;
        this.transactions = new HeapTransactions(pool);
        try {
            this.table = table(pool, transactions);
        } catch (Throwable e) {
            transactions.close();
            throw e;
        }
    }

    /**
     * The type table of a pool.
     *
     * @throws FarheapException BAD_DATA for a pool without typed objects, one whose format this
     *     release does not read, or a damaged type table
     */
    public static List<TypeDescriptor> table(ObjectPool pool, HeapTransactions transactions) {
        long rootSize = pool.rootSize();
        return transactions.read(tx -> table(tx, rootSize));
    }

    private static List<TypeDescriptor> table(HeapTransaction tx, long rootSize) {
        long root = tx.root();
        if (!RootLayout.isTyped(tx, root, rootSize)) {
            throw FarheapException.badData(
                    "there are no typed objects in this pool: its root object is not that of a"
                            + " PersistentHeap");
        }
        RootLayout.check(tx, root, rootSize);
        return TypeTable.read(tx, root);
    }

    /** All descriptors, the oldest first. */
    public List<TypeDescriptor> table() {
        return table;
    }

    /**
     * Frees what the root does not reach, and returns it by type, the one with the most bytes
     * first.
     *
     * @param isDryRun whether it is only counted
     * @throws FarheapException BAD_DATA for a damaged object or reference
     */
    public List<UnreachableObjects> reclaim(boolean isDryRun) {
        try {
            return new Reclaim(pool, transactions, this).run(isDryRun);
        } catch (IndexOutOfBoundsException e) {
            throw FarheapException.badData(
                    e,
                    "an object or a reference is damaged, and leads outside of the pool (%s): see"
                            + " \"farheap check\"",
                    e.getMessage());
        } catch (StackOverflowError e) {
            throw FarheapException.badData(e, "an object is damaged: a value in it has no end");
        } catch (FarheapException e) {
            throw e.category() == FarheapException.Category.WRONG_USE
                    ? FarheapException.badData(e, "an object is damaged: %s", e.getMessage())
                    : e;
        }
    }

    @Override
    public HeapTransactions transactions() {
        return transactions;
    }

    @Override
    public long poolId() {
        return pool.poolId();
    }

    @Override
    public <T> T at(HeapTransaction tx, long offset, Class<T> type) {
        return type.cast(new Place(offset));
    }

    @Override
    public long offsetOf(Object object) {
        return ((Place) object).offset;
    }

    /** The pool stays open. */
    @Override
    public void close() {
        transactions.close();
    }
}
