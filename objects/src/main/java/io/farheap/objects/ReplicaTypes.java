package io.farheap.objects;

import io.farheap.objects.transaction.HeapTransaction;
import io.farheap.objects.type.RootLayout;
import io.farheap.objects.type.TypeDescriptor;
import io.farheap.objects.type.TypeSystem;
import io.farheap.objects.type.TypeTable;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The types of a replica's heap, which its writer may add to: each read first looks whether it has.
 * Types that only the reading program has are known in memory alone. Thread-safe.
 */
final class ReplicaTypes {
    private final ObjectSpace space;
    private final HeapTypes types;

    /** The ends of the tables that were learned; a read may see an older one than another does. */
    private final Set<Long> learned = ConcurrentHashMap.newKeySet();

    private int most;
    private volatile long root;

    ReplicaTypes(ObjectSpace space, HeapTypes types) {
        this.space = space;
        this.types = types;
    }

    /** The program's root object; 0: the pool is no heap yet. */
    long root() {
        return root;
    }

    /** At the beginning of a read: knows all types that it may meet when this returns. */
    void follow(HeapTransaction tx) {
        long pool = tx.root();
        if (RootLayout.isFresh(tx, pool)) {
            return; // which HeapReplica waits for
        }
        long newest = RootLayout.newestType(tx, pool);
        if (root == 0 || !learned.contains(newest)) {
            learn(tx, pool, newest);
        }
    }

    private synchronized void learn(HeapTransaction tx, long pool, long newest) {
        if (root != 0 && learned.contains(newest)) {
            return;
        }
        RootLayout.check(tx, pool, tx.usableSize(pool));
        long object = RootLayout.programRoot(tx, pool);
        List<TypeDescriptor> stored = TypeTable.read(tx, pool);
        if (stored.size() > most) {
            TypeSystem matched = types.match(stored, descriptor -> {});
            types.requireRootType(tx, matched, object);
            space.use(matched);
            most = stored.size();
        }
        learned.add(newest);
        root = object;
    }
}
