package io.farheap.objects;

import io.farheap.ReplicaPool;
import io.farheap.objects.transaction.HeapTransaction;
import io.farheap.objects.transaction.HeapTransactions;
import io.farheap.objects.type.RootLayout;
import io.farheap.objects.type.TypeDescriptor;
import io.farheap.objects.type.TypeSystem;
import io.farheap.objects.type.TypeTable;
import java.util.List;

/**
 * A replica's heap as one state of its type table describes it. Each read begins with a look
 * whether that is the state still; objects of an older one are refused then, because nothing tells
 * what they would be now. Types that only the reading program has are known in memory alone.
 */
final class ReplicaTypes {
    private final ObjectSpace space;
    private final Table table;

    /** The epoch in which the table was found the same last. */
    private volatile long number;

    /**
     * What a pool says of its types.
     *
     * @param newest the place of the newest descriptor
     * @param root the program's root object
     * @param rootType what that says that it is
     */
    private record Table(long newest, List<TypeDescriptor> stored, long root, long rootType) {}

    private ReplicaTypes(ObjectSpace space, Table table) {
        this.space = space;
        this.table = table;
    }

    /**
     * Learns what there is now.
     *
     * @param transactions of the pool, used for nothing else
     * @return null: the pool is no heap yet
     */
    static ReplicaTypes learn(ReplicaPool pool, HeapTransactions transactions, HeapTypes types) {
        Table table = transactions.read(ReplicaTypes::table);
        if (table == null) {
            return null;
        }
        ObjectSpace space = new ObjectSpace(pool.poolId(), transactions);
        TypeSystem matched = types.match(space, table.stored(), descriptor -> {});
        types.requireRootType(matched, table.rootType());
        space.use(matched);
        ReplicaTypes learned = new ReplicaTypes(space, table);
        transactions.atRead(learned::require);
        return learned;
    }

    private static Table table(HeapTransaction tx) {
        long pool = tx.root();
        if (RootLayout.isToCome(tx, pool)) {
            return null;
        }
        RootLayout.check(tx, pool, tx.usableSize(pool));
        long root = RootLayout.programRoot(tx, pool);
        return new Table(
                RootLayout.newestType(tx, pool),
                TypeTable.read(tx, pool),
                root,
                ObjectSpace.typeAt(tx, root));
    }

    /** Refuses to go on with objects that are described by other types by now. */
    private void require(HeapTransaction tx, long numberNow) {
        long pool = tx.root();
        boolean isSame =
                !RootLayout.isToCome(tx, pool)
                        && RootLayout.newestType(tx, pool) == table.newest()
                        && RootLayout.programRoot(tx, pool) == table.root();
        // the replica may have become a copy of another history, which looks the same from there
        if (isSame && numberNow != number) {
            isSame = TypeTable.read(tx, pool).equals(table.stored());
            number = isSame ? numberNow : number;
        }
        if (!isSame) {
            throw new OutdatedObjectException(this);
        }
    }

    ObjectSpace space() {
        return space;
    }

    /** The program's root object. */
    long root() {
        return table.root();
    }
}
