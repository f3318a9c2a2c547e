package io.farheap.objects.dump;

import io.farheap.ObjectPool;
import io.farheap.base.FarheapException;
import io.farheap.base.Ref;
import io.farheap.objects.collection.ContentVisitor;
import io.farheap.objects.transaction.HeapTransaction;
import io.farheap.objects.transaction.HeapTransactions;
import io.farheap.objects.type.CollectionField;
import io.farheap.objects.type.HeapContext;
import io.farheap.objects.type.ObjectLayout;
import io.farheap.objects.type.OffsetSet;
import io.farheap.objects.type.RootLayout;
import io.farheap.objects.type.StoredHeap;
import io.farheap.objects.type.StoredObjects;
import io.farheap.objects.type.StoredTypes;
import io.farheap.objects.type.TypeDescriptor;
import io.farheap.objects.type.TypeDescriptor.Field;
import io.farheap.objects.value.FieldPlace;
import java.util.List;

/**
 * Shows all objects of a heap, by its type table alone. Equal heaps show the same: their objects'
 * numbers and the order of what is in a collection tell nothing of the place where it lies. The
 * pool stays the caller's; nothing else may change it meanwhile. Holds 8 bytes for each object, and
 * one object's values at a time. Not thread-safe.
 */
public final class HeapDump implements HeapContext, AutoCloseable {
    private final ObjectPool pool;
    private final HeapTransactions transactions;
    private final List<TypeDescriptor> table;
    private final StoredTypes types;
    private final ObjectIds ids;

    /** No collection has more entries. */
    private long allocatedBytes;

    /**
     * @throws FarheapException BAD_DATA for a pool without typed objects, one whose format this
     *     release does not read, or a damaged one
     */
    public HeapDump(ObjectPool pool) {
        this.pool = pool;
        this.transactions = new HeapTransactions(pool);
        try {
            this.table = StoredHeap.table(pool, transactions);
            this.types = new StoredTypes(table, this);
            this.ids = new ObjectIds(table);
            transactions.read(
                    tx -> {
                        number(tx);
                        return null;
                    });
        } catch (IndexOutOfBoundsException e) {
            transactions.close();
            throw outside(e, "an object");
        } catch (Throwable e) {
            transactions.close();
            throw e;
        }
    }

    private void number(HeapTransaction tx) {
        OffsetSet bodies = new OffsetSet();
        for (Ref object : pool.objects()) {
            long place = object.offset();
            if (isTyped(object) && ObjectLayout.isMoved(ObjectLayout.word(tx, place))) {
                bodies.add(ObjectLayout.movedTo(tx, place));
            }
        }
        for (Ref object : pool.objects()) {
            allocatedBytes += pool.usableSize(object);
            if (isTyped(object) && !bodies.contains(object.offset())) {
                number(tx, object.offset());
            }
        }
        ids.complete();
    }

    private boolean isTyped(Ref object) {
        return pool.typeNumber(object) >= TypeDescriptor.FIRST_ID;
    }

    private void number(HeapTransaction tx, long place) {
        if (ObjectLayout.isDeleted(ObjectLayout.word(tx, place))) {
            ids.addDeleted(place);
        } else {
            ids.add(typeOf(tx, bodyOf(tx, place)), place);
        }
    }

    private static long bodyOf(HeapTransaction tx, long place) {
        boolean isMoved = ObjectLayout.isMoved(ObjectLayout.word(tx, place));
        return isMoved ? ObjectLayout.movedTo(tx, place) : place;
    }

    private TypeDescriptor typeOf(HeapTransaction tx, long body) {
        long word = ObjectLayout.word(tx, body);
        TypeDescriptor type = types.object(word);
        if (type == null) {
            throw StoredObjects.damaged(body, word);
        }
        return type;
    }

    private static FarheapException outside(RuntimeException cause, String what) {
        return FarheapException.badData(
                cause,
                "%s is damaged, and leads outside of the pool (%s): see \"farheap check\"",
                what,
                cause.getMessage());
    }

    /** All descriptors, the oldest first. */
    public List<TypeDescriptor> table() {
        return table;
    }

    /** How many objects of one version of a type there are. */
    public long count(TypeDescriptor type) {
        return ids.count(type);
    }

    /** How many places of deleted objects there are: something may still refer to them. */
    public long deleted() {
        return ids.deleted();
    }

    /**
     * The number of the program's root object; 0 for none.
     *
     * @throws FarheapException BAD_DATA where there should be one
     */
    public long root() {
        return transactions.read(
                tx -> {
                    long place = RootLayout.programRoot(tx, tx.root());
                    try {
                        return place == 0 ? 0L : ids.id(tx, place);
                    } catch (IndexOutOfBoundsException e) {
                        throw outside(e, "the reference to the root object");
                    }
                });
    }

    /**
     * Shows the objects of one version of a type, by number.
     *
     * @throws FarheapException BAD_DATA for a damaged one
     */
    public void each(TypeDescriptor type, ObjectSink sink) {
        long first = ids.first(type);
        for (long id = first; id < first + ids.count(type); id++) {
            show(id, type, sink);
        }
    }

    private void show(long id, TypeDescriptor type, ObjectSink sink) {
        String what = String.format("object %d, of type %s,", id, type.versionedName());
        try {
            transactions.read(
                    tx -> {
                        show(tx, id, type, sink);
                        return null;
                    });
        } catch (IndexOutOfBoundsException e) {
            throw outside(e, what);
        } catch (StackOverflowError e) {
            throw FarheapException.badData(e, "%s is damaged: a value in it has no end", what);
        } catch (FarheapException e) {
            throw FarheapException.badData(e, "%s can't be read: %s", what, e.getMessage());
        }
    }

    private void show(HeapTransaction tx, long id, TypeDescriptor type, ObjectSink sink) {
        long body = bodyOf(tx, ids.place(id));
        List<FieldPlace> places = types.places(type);
        sink.begin(id, type);
        for (int i = 0; i < places.size(); i++) {
            Field field = type.fields().get(i);
            FieldPlace place = places.get(i);
            if (place.type() instanceof CollectionField) {
                show(tx, body, field, (CollectionField<?>) place.type(), sink);
            } else {
                boolean isThere = StoredObjects.isThere(tx, body, place);
                sink.value(field, isThere ? place.type().get(tx, body, place.offset()) : null);
            }
        }
        sink.end();
    }

    private void show(
            HeapTransaction tx, long body, Field field, CollectionField<?> type, ObjectSink sink) {
        if (!type.isThere(tx, body, field.offset())) {
            sink.value(field, null);
            return;
        }
        Entries entries = new Entries(field, sink);
        type.content(tx, body, field.offset(), allocatedBytes, entries);
        entries.end();
    }

    /** What is in one collection, for a sink. */
    private static final class Entries implements ContentVisitor {
        private final Field field;
        private final ObjectSink sink;
        private boolean isBegun;

        Entries(Field field, ObjectSink sink) {
            this.field = field;
            this.sink = sink;
        }

        private void begin(String order) {
            if (!isBegun) {
                isBegun = true;
                sink.beginCollection(field, order);
            }
        }

        @Override
        public void order(String comparatorClass) {
            begin(comparatorClass);
        }

        @Override
        public void entry(Object key, Object value) {
            begin(null);
            sink.entry(key, value);
        }

        void end() {
            begin(null);
            sink.endCollection();
        }
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
    public <T> T at(HeapTransaction tx, long offset, Class<T> type) {
        return type.cast(new StoredReference(ids.id(tx, offset)));
    }

    /** Its number: so the bytes of a key tell nothing of places. */
    @Override
    public long offsetOf(Object object) {
        return ((StoredReference) object).id();
    }

    /** The pool stays open. */
    @Override
    public void close() {
        transactions.close();
    }
}
