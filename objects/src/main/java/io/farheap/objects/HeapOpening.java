package io.farheap.objects;

import io.farheap.ObjectPool;
import io.farheap.objects.transaction.HeapTransaction;
import io.farheap.objects.type.RootLayout;
import io.farheap.objects.type.TypeSystem;
import io.farheap.objects.type.TypeTable;

/** Makes a heap of an open pool, and adds types to it. */
final class HeapOpening {
    private final ObjectPool pool;
    private final ObjectSpace space;
    private final Class<?> rootType;
    private final HeapTypes types;

    HeapOpening(ObjectPool pool, ObjectSpace space, Class<?> rootType, Class<?>... others) {
        this.pool = pool;
        this.space = space;
        this.rootType = rootType;
        this.types = new HeapTypes(rootType, others);
    }

    /** Brings the pool's types and the program's together; returns the program's root object. */
    long open() {
        if (pool.root().isNull()) {
            pool.root(RootLayout.BYTES);
        }
        long rootSize = pool.rootSize();
        long[] rootObject = {0};
        TypeSystem matched =
                space.transactions()
                        .transaction(
                                tx -> {
                                    TypeSystem system = match(tx, rootSize);
                                    rootObject[0] = programRoot(tx, system);
                                    return system;
                                });
        space.use(matched);
        return rootObject[0];
    }

    private TypeSystem match(HeapTransaction tx, long rootSize) {
        long root = tx.root();
        RootLayout.formatFresh(tx, root, rootSize);
        RootLayout.check(tx, root, rootSize);
        return types.match(
                space,
                TypeTable.read(tx, root),
                descriptor -> TypeTable.append(tx, root, descriptor));
    }

    private long programRoot(HeapTransaction tx, TypeSystem system) {
        long root = tx.root();
        long object = RootLayout.programRoot(tx, root);
        if (object == 0) {
            object = ObjectSpace.create(tx, system.object(rootType));
            RootLayout.setProgramRoot(tx, root, pool.poolId(), object);
        } else {
            // before the types of a program for something else get into the table
            types.requireRootType(system, ObjectSpace.typeAt(tx, object));
        }
        return object;
    }

    /** Adds a type that nothing led to before. */
    synchronized void add(Class<?> type) {
        PersistentTypes.requirePersistent(type);
        if (space.types().object(type) != null) {
            return;
        }
        types.add(type);
        long rootSize = pool.rootSize();
        space.use(space.transactions().transaction(tx -> match(tx, rootSize)));
    }
}
