package io.farheap.objects.dump;

import io.farheap.ObjectPool;
import io.farheap.base.FarheapException;
import io.farheap.objects.transaction.HeapTransaction;
import io.farheap.objects.transaction.HeapTransactions;
import io.farheap.objects.type.CollectionField;
import io.farheap.objects.type.HeapContext;
import io.farheap.objects.type.ObjectLayout;
import io.farheap.objects.type.RootLayout;
import io.farheap.objects.type.StoredObjects;
import io.farheap.objects.type.StoredTypes;
import io.farheap.objects.type.TypeDescriptor;
import io.farheap.objects.type.TypeDescriptor.Field;
import io.farheap.objects.type.TypeDescriptor.Kind;
import io.farheap.objects.type.TypeTable;
import io.farheap.objects.value.FieldPlace;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * Makes a heap of what {@link HeapDump} shows, in an empty pool. {@link #types} comes first, then
 * all objects by number, then {@link #finish}; before that the pool is no heap, and refused as one.
 * Each step is durable, and none is large. The pool stays the caller's. Not thread-safe.
 */
public final class HeapLoad implements HeapContext, ObjectSink, AutoCloseable {
    private final ObjectPool pool;
    private final HeapTransactions transactions;
    private final LoadSteps steps;
    private StoredTypes types;
    private ObjectIds ids;
    private long root;

    // The object under way.
    private long next = 1;
    private TypeDescriptor type;
    private long place;
    private FieldPlace collection;
    private Object lastKey;
    private boolean isInNaturalOrder;

    /**
     * @throws FarheapException WRONG_USE for a pool that is not empty
     */
    public HeapLoad(ObjectPool pool) {
        this.pool = pool;
        if (!pool.root().isNull() || pool.objects().iterator().hasNext()) {
            throw FarheapException.wrongUse(
                    "the pool is not empty: a dump is loaded into a new pool; nothing was changed");
        }
        this.transactions = new HeapTransactions(pool);
        this.steps = new LoadSteps(transactions);
    }

    // ---- types and places ----

    /**
     * Makes the type table and a place for each object.
     *
     * @param table descriptors, their ids from {@link TypeDescriptor#FIRST_ID} on
     * @param counts how many objects of each there are
     * @param deleted how many places of deleted objects
     * @param rootId the root object's number; 0 for none
     * @throws FarheapException BAD_DATA for types that no heap can have
     */
    public void types(
            List<TypeDescriptor> table,
            ToLongFunction<TypeDescriptor> counts,
            long deleted,
            long rootId) {
        pool.root(RootLayout.BYTES);
        HeapTransaction first = steps.tx();
        RootLayout.beginLoad(first, first.root());
        for (TypeDescriptor one : table) {
            HeapTransaction tx = steps.tx();
            TypeTable.append(tx, tx.root(), one);
            steps.did(LoadSteps.LEAST_BYTES);
        }
        steps.commit();
        check(table);
        ids = new ObjectIds(table);
        for (TypeDescriptor one : table) {
            long count = counts.applyAsLong(one);
            if (count != 0 && one.kind() != Kind.OBJECT) {
                throw FarheapException.badData(
                        "%s is no type of objects, and is said to have %d",
                        one.versionedName(), count);
            }
            for (long i = 0; i < count; i++) {
                HeapTransaction tx = steps.tx();
                long place = tx.allocate(one.size(), one.id());
                // What refers to it may be compared before its fields are told.
                ObjectLayout.setTypeId(tx, place, one.id());
                ids.add(one, place);
                steps.did(LoadSteps.LEAST_BYTES);
            }
        }
        for (long i = 0; i < deleted; i++) {
            ids.addDeleted(steps.tx().allocate(2 * Long.BYTES, TypeDescriptor.FIRST_ID));
            steps.did(LoadSteps.LEAST_BYTES);
        }
        steps.commit();
        ids.complete();
        root = rootId;
        if (root != 0 && ids.type(root) == null) {
            throw FarheapException.badData("the root object has the number %d, of none", root);
        }
    }

    private void check(List<TypeDescriptor> table) {
        types = new StoredTypes(table, this);
        List<TypeDescriptor> read = transactions.read(tx -> TypeTable.read(tx, tx.root()));
        for (TypeDescriptor one : read) {
            if (one.kind() == Kind.OBJECT || one.kind() == Kind.RECORD) {
                var unused = types.places(one);
            }
        }
    }

    /** The version of a type that a dump names; null for none. */
    public TypeDescriptor type(String versionedName) {
        return types.version(versionedName);
    }

    /** Whether an enum has a constant, or a sealed interface a record, of that name. */
    public boolean isConstant(String typeName, String name) {
        return types.table().stream()
                .filter(one -> one.kind() == Kind.ENUM || one.kind() == Kind.SEALED)
                .anyMatch(one -> one.name().equals(typeName) && one.field(name) != null);
    }

    /** Whether a field of the object under way is a collection. */
    public boolean isCollection(Field field) {
        return placeOf(field).type() instanceof CollectionField;
    }

    // ---- objects ----

    /**
     * A reference that a field, element or component of type {@code typeName} has.
     *
     * @throws FarheapException BAD_DATA for one to nothing, or to an object of another type
     */
    public StoredReference reference(long id, String typeName) {
        TypeDescriptor target = ids.type(id);
        if (!ids.isKnown(id)) {
            throw FarheapException.badData("there is no object %d, which is referred to", id);
        }
        if (target != null && !types.isA(target, typeName)) {
            throw FarheapException.badData(
                    "object %d is a %s, and is referred to as a %s", id, target.name(), typeName);
        }
        return new StoredReference(id);
    }

    @Override
    public void begin(long id, TypeDescriptor typeOf) {
        if (id != next || ids.type(id) != typeOf) {
            TypeDescriptor wanted = ids.type(next);
            throw FarheapException.badData(
                    "object %d, a %s, comes where %s should: objects come by their numbers, in the"
                            + " order of their types",
                    id,
                    typeOf.versionedName(),
                    wanted == null
                            ? "no object"
                            : "object " + next + ", a " + wanted.versionedName() + ",");
        }
        next++;
        type = typeOf;
        place = ids.place(id);
    }

    private FieldPlace placeOf(Field field) {
        return types.places(type).get(type.fields().indexOf(field));
    }

    @Override
    public void value(Field field, Object value) {
        FieldPlace at = placeOf(field);
        if (!(at.type() instanceof CollectionField)) {
            StoredObjects.set(steps.tx(), place, at, value);
            steps.did(LoadSteps.bytesOf(value));
        }
    }

    @Override
    public void beginCollection(Field field, String order) {
        collection = placeOf(field);
        CollectionField<?> of = (CollectionField<?>) collection.type();
        if (order == null) {
            of.create(steps.tx(), place, collection.offset());
        } else {
            of.create(steps.tx(), place, collection.offset(), order);
        }
        lastKey = null;
        // The order of an enum is that of the program's class.
        isInNaturalOrder =
                order == null
                        && field.type().startsWith("sorted")
                        && !field.type().contains("<enum ");
    }

    @Override
    public void entry(Object key, Object value) {
        if (isInNaturalOrder) {
            requireBehindLast(key);
        }
        boolean isNew =
                ((CollectionField<?>) collection.type())
                        .append(steps.tx(), place, collection.offset(), key, value);
        if (!isNew) {
            throw FarheapException.badData(
                    "%s of object %d has a key or element twice: %s",
                    collection.name(), next - 1, key);
        }
        steps.did(LoadSteps.bytesOf(key) + LoadSteps.bytesOf(value));
    }

    @SuppressWarnings("unchecked")
    private void requireBehindLast(Object key) {
        boolean isBehind =
                lastKey == null
                        || !(key instanceof Comparable)
                        || ((Comparable<Object>) key).compareTo(lastKey) > 0;
        if (!isBehind) {
            throw FarheapException.badData(
                    "%s of object %d is sorted, and has %s behind %s",
                    collection.name(), next - 1, key, lastKey);
        }
        lastKey = key;
    }

    @Override
    public void endCollection() {
        collection = null;
    }

    /** Collections that were not told are empty. */
    @Override
    public void end() {
        for (FieldPlace field : types.places(type)) {
            if (field.type() instanceof CollectionField) {
                CollectionField<?> of = (CollectionField<?>) field.type();
                if (!of.isThere(steps.tx(), place, field.offset())) {
                    of.create(steps.tx(), place, field.offset());
                    steps.did(LoadSteps.LEAST_BYTES);
                }
            }
        }
    }

    /**
     * Makes the pool a heap.
     *
     * @return how many objects it has
     * @throws FarheapException BAD_DATA where objects are missing
     */
    public long finish() {
        if (next <= ids.objects()) {
            throw FarheapException.badData(
                    "the dump ends before object %d of %d: it was cut", next, ids.objects());
        }
        HeapTransaction tx = steps.tx();
        if (root != 0) {
            RootLayout.setProgramRoot(tx, tx.root(), pool.poolId(), ids.place(root));
        }
        RootLayout.endLoad(tx, tx.root());
        steps.commit();
        return ids.objects();
    }

    // ---- what a reference is here ----

    @Override
    public HeapTransactions transactions() {
        return transactions;
    }

    @Override
    public long poolId() {
        return pool.poolId();
    }

    @Override
    public <T> T at(HeapTransaction tx, long offset, Class<T> javaType) {
        return javaType.cast(new StoredReference(ids.id(tx, offset)));
    }

    @Override
    public long offsetOf(Object object) {
        return ids.place(((StoredReference) object).id());
    }

    /** What was not finished stays as it is, no heap. The pool stays open. */
    @Override
    public void close() {
        steps.rollback();
        transactions.close();
    }
}
