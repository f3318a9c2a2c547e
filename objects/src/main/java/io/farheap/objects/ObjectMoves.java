package io.farheap.objects;

import io.farheap.objects.transaction.HeapTransaction;
import io.farheap.objects.type.CollectionField;
import io.farheap.objects.type.ObjectLayout;
import io.farheap.objects.type.ObjectType;
import io.farheap.objects.type.Shape;
import io.farheap.objects.type.StoredTypes;
import io.farheap.objects.value.FieldPlace;
import io.farheap.objects.value.ValueType;
import java.lang.foreign.MemorySegment;

/**
 * Gives an object the fields of the newest version of its type. It keeps its place, so references
 * stay equal and hashes that lie in the pool stay right; its fields move.
 */
final class ObjectMoves {
    private ObjectMoves() {}

    /** Returns where the fields are then. */
    static long toCurrent(
            HeapTransaction tx, StoredTypes stored, long place, long body, ObjectType type) {
        Shape from = type.shape(ObjectLayout.word(tx, body));
        Shape to = type.current();
        if (from == to) {
            return body;
        }
        long target = tx.allocate(to.descriptor().size(), to.id());
        ObjectLayout.setTypeId(tx, target, to.id());
        for (int i = 0; i < to.places().length; i++) {
            moveField(tx, body, from.places()[i], target, to.places()[i]);
        }
        releaseRemoved(tx, stored, from, body);
        if (body != place) {
            tx.free(body);
        }
        ObjectLayout.setMoved(tx, place, target);
        return target;
    }

    private static void moveField(
            HeapTransaction tx, long body, FieldPlace from, long target, FieldPlace to) {
        if (from == null) {
            if (to.type() instanceof CollectionField) {
                ((CollectionField<?>) to.type()).create(tx, target, to.offset());
            }
            return;
        }
        boolean isThere =
                from.nullBit() < 0 || (tx.getByte(body, from.nullByte()) & from.nullMask()) != 0;
        if (!isThere) {
            return;
        }
        if (to.nullBit() >= 0) {
            byte bits = tx.getByte(target, to.nullByte());
            tx.setByte(target, to.nullByte(), (byte) (bits | to.nullMask()));
        }
        if (from.type() == to.type()) {
            moveBytes(tx, body, from, target, to);
        } else {
            convert(tx, body, from, target, to.type(), to.offset());
        }
    }

    /** With what the slot owns. */
    private static void moveBytes(
            HeapTransaction tx, long body, FieldPlace from, long target, FieldPlace to) {
        byte[] slot = new byte[from.type().size()];
        MemorySegment bytes = MemorySegment.ofArray(slot);
        tx.read(body, from.offset(), bytes, 0, slot.length);
        tx.write(target, to.offset(), bytes, 0, slot.length);
    }

    @SuppressWarnings("unchecked")
    private static <T> void convert(
            HeapTransaction tx,
            long body,
            FieldPlace from,
            long target,
            ValueType<T> to,
            long offset) {
        to.keep(tx, target, offset, (T) from.type().taken(tx, body, from.offset()));
    }

    /** Frees what is owned by fields that the program does not have. */
    private static void releaseRemoved(
            HeapTransaction tx, StoredTypes stored, Shape shape, long body) {
        for (FieldPlace place : stored.places(shape.descriptor())) {
            if (!isOfProgram(shape, place)) {
                place.type().release(tx, body, place.offset());
            }
        }
    }

    private static boolean isOfProgram(Shape shape, FieldPlace field) {
        for (FieldPlace place : shape.places()) {
            if (place != null && place.offset() == field.offset()) {
                return true;
            }
        }
        return false;
    }
}
