package io.farheap.objects;

import io.farheap.ObjectPool;
import io.farheap.base.FarheapException;
import io.farheap.objects.transaction.HeapTransaction;
import io.farheap.objects.type.ObjectType;
import io.farheap.objects.type.RootLayout;
import io.farheap.objects.type.TypeDescriptor;
import io.farheap.objects.type.TypeMatching;
import io.farheap.objects.type.TypeSystem;
import io.farheap.objects.type.TypeTable;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Makes a heap of an open pool, and adds types to it. */
final class HeapOpening {
    private final ObjectPool pool;
    private final ObjectSpace space;
    private final Class<?> rootType;
    private final Set<Class<?>> types = new LinkedHashSet<>();

    HeapOpening(ObjectPool pool, ObjectSpace space, Class<?> rootType, Class<?>... others) {
        this.pool = pool;
        this.space = space;
        this.rootType = rootType;
        types.add(rootType);
        types.addAll(List.of(others));
        types.forEach(PersistentTypes::requirePersistent);
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
        List<TypeDescriptor> stored = TypeTable.read(tx, root);
        Set<Class<?>> all = new LinkedHashSet<>(types);
        stored.forEach(descriptor -> addClass(descriptor, all));
        return TypeMatching.match(
                all, space, stored, descriptor -> TypeTable.append(tx, root, descriptor));
    }

    /** Adds the class that a stored type had, if the program still has it for that. */
    private void addClass(TypeDescriptor descriptor, Set<Class<?>> into) {
        if (descriptor.kind() != TypeDescriptor.Kind.OBJECT) {
            return;
        }
        try {
            Class<?> type = Class.forName(descriptor.javaName(), false, rootType.getClassLoader());
            if (type.isInterface() && TypeMatching.isNamed(type, descriptor.name())) {
                into.add(type);
            }
        } catch (ClassNotFoundException | LinkageError e) {
            return; // a type that the program does not have any more
        }
    }

    private long programRoot(HeapTransaction tx, TypeSystem system) {
        long root = tx.root();
        long object = RootLayout.programRoot(tx, root);
        if (object == 0) {
            object = ObjectSpace.create(tx, system.object(rootType));
            RootLayout.setProgramRoot(tx, root, pool.poolId(), object);
        } else {
            requireRootType(system, system.descriptor(ObjectSpace.typeAt(tx, object)));
        }
        return object;
    }

    /** Before the types of a program for something else get into the table. */
    private void requireRootType(TypeSystem system, TypeDescriptor stored) {
        if (stored == null || stored.kind() != TypeDescriptor.Kind.OBJECT) {
            return; // damaged, which the first look at it says
        }
        ObjectType type = system.object(stored.name());
        if (type == null || !rootType.isAssignableFrom(type.type())) {
            throw FarheapException.wrongUse(
                    "The root of this heap is a %s, and %s was given: open it with that interface;"
                            + " one with another name in the program has @Persistent(name ="
                            + " \"%s\").",
                    stored.name(), rootType.getName(), stored.name());
        }
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
