package io.farheap.objects;

import io.farheap.ObjectPool;
import io.farheap.base.FarheapException;
import io.farheap.engine.EngineOf;
import io.farheap.objects.transaction.HeapTransaction;
import io.farheap.objects.transaction.HeapTransactions;
import io.farheap.objects.type.CollectionField;
import io.farheap.objects.type.HeapContext;
import io.farheap.objects.type.ObjectLayout;
import io.farheap.objects.type.ObjectType;
import io.farheap.objects.type.Shape;
import io.farheap.objects.type.StoredObjects;
import io.farheap.objects.type.StoredTypes;
import io.farheap.objects.type.TypeDescriptor;
import io.farheap.objects.type.TypeSystem;
import io.farheap.objects.value.FieldPlace;
import io.farheap.objects.value.ValueType;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.Consumer;

/** The typed objects of one open pool: from places to Java objects, from fields to bytes. */
final class ObjectSpace implements HeapContext {
    private final long poolId;
    private final HeapTransactions transactions;

    /** Types, and by type number an object from which those of its shape are made. */
    private volatile Known known;

    private record Known(TypeSystem types, StoredTypes stored, PersistentObject[] prototypes) {}

    ObjectSpace(ObjectPool pool) {
        this(pool.poolId(), new HeapTransactions(pool, EngineOf.pool(pool).settings().oldBytes()));
    }

    ObjectSpace(long poolId, HeapTransactions transactions) {
        this.poolId = poolId;
        this.transactions = transactions;
    }

    void use(TypeSystem types) {
        known =
                new Known(
                        types,
                        new StoredTypes(types.table(), this),
                        new PersistentObject[types.size()]);
    }

    TypeSystem types() {
        return known.types;
    }

    HeapTransaction current() {
        return transactions.current();
    }

    @Override
    public HeapTransactions transactions() {
        return transactions;
    }

    @Override
    public long poolId() {
        return poolId;
    }

    // ---- objects ----

    @Override
    public <T> T at(HeapTransaction tx, long place, Class<T> type) {
        PersistentObject object = at(tx, place);
        if (!type.isInstance(object)) {
            throw FarheapException.badData(
                    "The object at 0x%x is a %s, and a %s was expected there.",
                    place, nameOf(object), type.getName());
        }
        return type.cast(object);
    }

    @Override
    public <T> T takenAt(HeapTransaction tx, long place, Class<T> type) {
        if (ObjectLayout.isDeleted(wordAt(tx, place))) {
            Known now = known;
            ObjectType declared = now.types.object(type);
            if (declared != null && declared.current() != null) {
                TypeDescriptor descriptor = declared.current().descriptor();
                return type.cast(prototype(now, descriptor).persistent$at(this, place));
            }
        }
        return at(tx, place, type);
    }

    /** What an object says that it is, whether a table has it or not. */
    static long typeAt(HeapTransaction tx, long place) {
        return ObjectLayout.word(tx, fields(tx, place));
    }

    private PersistentObject at(HeapTransaction tx, long place) {
        Known now = known;
        long body = fields(tx, place);
        long typeId = ObjectLayout.word(tx, body);
        TypeDescriptor descriptor = now.types.descriptor(typeId);
        if (descriptor == null || descriptor.kind() != TypeDescriptor.Kind.OBJECT) {
            throw FarheapException.badData(
                    "The object at 0x%x has no type that the pool knows (0x%x): it is damaged, or"
                            + " a reference is.",
                    place, typeId);
        }
        if (!tx.isInside(body, descriptor.size())) {
            throw outside(body);
        }
        return prototype(now, descriptor).persistent$at(this, place);
    }

    private PersistentObject prototype(Known now, TypeDescriptor descriptor) {
        PersistentObject prototype = now.prototypes[descriptor.number()];
        if (prototype == null) {
            ObjectType type = now.types.object(descriptor.name());
            if (type == null) {
                throw FarheapException.wrongUse(
                        "The pool has an object of type %s, which this program does not know: name"
                                + " its interface (it was %s) when the heap is opened.",
                        descriptor.name(), descriptor.javaName());
            }
            prototype = AccessorClass.prototype(type.shape(descriptor.id()), this);
            now.prototypes[descriptor.number()] = prototype; // the same whoever makes it
        }
        return prototype;
    }

    @Override
    public long offsetOf(Object object) {
        if (!(object instanceof PersistentObject)) {
            throw FarheapException.wrongUse(
                    "A %s is no object of a heap: make one with create().",
                    object.getClass().getName());
        }
        PersistentObject ours = (PersistentObject) object;
        if (ours.space != this) {
            throw FarheapException.wrongUse(
                    "%s belongs to another heap, or to this one before it was opened again.",
                    object);
        }
        return ours.place;
    }

    @Override
    public void requireThere(HeapTransaction tx, long place) {
        if (ObjectLayout.isDeleted(wordAt(tx, place))) {
            throw new DeletedObjectException(place);
        }
    }

    String nameOf(PersistentObject object) {
        return object.getClass().getInterfaces()[0].getSimpleName();
    }

    /** Where the fields of an object are. */
    private static long fields(HeapTransaction tx, long place) {
        long word = wordAt(tx, place);
        if (ObjectLayout.isTypeId(word)) {
            return place;
        }
        if (ObjectLayout.isDeleted(word)) {
            throw new DeletedObjectException(place);
        }
        long body = ObjectLayout.isMoved(word) ? ObjectLayout.movedTo(tx, place) : 0;
        if (body == 0 || !ObjectLayout.isTypeId(wordAt(tx, body))) {
            throw FarheapException.badData(
                    "There is no object at 0x%x: it is damaged, or a reference is.", place);
        }
        return body;
    }

    private static long wordAt(HeapTransaction tx, long place) {
        if (!tx.isInside(place, Long.BYTES)) {
            throw outside(place);
        }
        return ObjectLayout.word(tx, place);
    }

    private static FarheapException outside(long place) {
        return FarheapException.badData(
                "A reference names 0x%x, which lies outside of the pool.", place);
    }

    // ---- objects that come and go ----

    <T> T create(Class<T> interfaceType, Consumer<? super T> first) {
        ObjectType type = known.types.object(interfaceType);
        if (type == null) {
            throw new UnknownTypeException(interfaceType);
        }
        return transactions.transaction(
                tx -> {
                    long place = create(tx, type);
                    T object = at(tx, place, interfaceType);
                    first.accept(object);
                    return object;
                });
    }

    static long create(HeapTransaction tx, ObjectType type) {
        type.checkWritable();
        Shape shape = type.current();
        long place = tx.allocate(shape.descriptor().size(), shape.id());
        ObjectLayout.setTypeId(tx, place, shape.id());
        for (FieldPlace field : shape.places()) {
            if (field.type() instanceof CollectionField) {
                ((CollectionField<?>) field.type()).create(tx, place, field.offset());
            }
        }
        return place;
    }

    void delete(Object object) {
        long place = offsetOf(object);
        transactions.change(
                tx -> {
                    shape(tx, fields(tx, place)).type().checkWritable();
                    return StoredObjects.delete(tx, known.stored, place);
                });
    }

    private Shape shape(HeapTransaction tx, long body) {
        TypeDescriptor descriptor = known.types.descriptor(ObjectLayout.word(tx, body));
        return known.types.object(descriptor.name()).shape(descriptor.id());
    }

    // ---- fields ----

    Object get(long place, ObjectField field) {
        Object value = transactions.glance(tx -> get(tx, place, field));
        return value == null && field.isCollection() ? absent(place, field) : value;
    }

    /** The value of a field; null where it is or where the object's version lacks the field. */
    private static Object get(HeapTransaction tx, long place, ObjectField field) {
        long body = fields(tx, place);
        FieldPlace at = shapeOf(tx, body, field).places()[field.index()];
        boolean isThere =
                at != null
                        && (at.nullBit() < 0
                                || (tx.getByte(body, at.nullByte()) & at.nullMask()) != 0);
        return isThere ? at.type().get(tx, body, at.offset()) : null;
    }

    private static Shape shapeOf(HeapTransaction tx, long body, ObjectField field) {
        long typeId = ObjectLayout.word(tx, body);
        Shape shape = field.type().shape(typeId);
        if (shape == null) {
            throw FarheapException.badData(
                    "The object at 0x%x is no %s any more (its type is 0x%x): it is damaged.",
                    body, field.type().name(), typeId);
        }
        return shape;
    }

    /** A collection that the object's version lacks. */
    private Object absent(long place, ObjectField field) {
        if (isRead() || !mayMove(place, field)) {
            return AbsentCollection.of(this, place, field);
        }
        return transactions.change(
                writer -> {
                    long body =
                            ObjectMoves.toCurrent(
                                    writer,
                                    known.stored,
                                    place,
                                    fields(writer, place),
                                    field.type());
                    FieldPlace at = field.type().current().places()[field.index()];
                    return at.type().get(writer, body, at.offset());
                });
    }

    private boolean isRead() {
        HeapTransaction tx = current();
        return transactions.isReplica() || tx != null && !tx.isWriter();
    }

    /** Whether this program may give an object the fields that it has for it. */
    private boolean mayMove(long place, ObjectField field) {
        return field.type().isWritable()
                && !transactions.glance(
                        tx -> wouldLose(shapeOf(tx, fields(tx, place), field), field));
    }

    /** Why a collection that its object lacks can't be changed. */
    FarheapException changeOfAbsent(ObjectField field) {
        if (isRead()) {
            return transactions.changeInRead();
        }
        field.type().checkWritable();
        return ofNewer(field);
    }

    /** The word of a primitive field: its value, or the bits of a floating point number. */
    long getBits(long place, ObjectField field) {
        return PrimitiveWords.toWord(get(place, field));
    }

    void setBits(long place, ObjectField field, long bits) {
        set(place, field, PrimitiveWords.fromWord(bits, field.property().rawType()));
    }

    void set(long place, ObjectField field, Object value) {
        transactions.change(
                tx -> {
                    set(tx, place, field, value);
                    return null;
                });
    }

    @SuppressWarnings("unchecked")
    private void set(HeapTransaction tx, long place, ObjectField field, Object value) {
        tx.requireWriter();
        field.type().checkWritable();
        long body = fields(tx, place);
        Shape shape = shapeOf(tx, body, field);
        if (!shape.isExact()[field.index()]) {
            requireOlder(shape, field);
            body = ObjectMoves.toCurrent(tx, known.stored, place, body, field.type());
            shape = field.type().current();
        }
        FieldPlace at = shape.places()[field.index()];
        if (at.nullBit() >= 0) {
            byte bits = tx.getByte(body, at.nullByte());
            int with = value == null ? bits & ~at.nullMask() : bits | at.nullMask();
            tx.setByte(body, at.nullByte(), (byte) with);
            if (value == null) {
                return;
            }
        }
        ((ValueType<Object>) at.type()).set(tx, body, at.offset(), value);
    }

    /** An older program must not take a newer object's other fields away by moving it. */
    private static void requireOlder(Shape shape, ObjectField field) {
        if (wouldLose(shape, field)) {
            throw ofNewer(field);
        }
    }

    /** Whether an object has more in it than this program would move. */
    private static boolean wouldLose(Shape shape, ObjectField field) {
        long known = Arrays.stream(shape.places()).filter(Objects::nonNull).count();
        return field.type().isNewer(shape) && known < shape.descriptor().fields().size();
    }

    private static FarheapException ofNewer(ObjectField field) {
        return FarheapException.wrongUse(
                "A newer program wrote this %s, and its field %s is another one now, or none: this"
                        + " program can't change it. Use the program with the newer %s.",
                field.type().name(), field.property().name(), field.type().type().getSimpleName());
    }
}
