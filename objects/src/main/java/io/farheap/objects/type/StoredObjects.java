package io.farheap.objects.type;

import io.farheap.base.FarheapException;
import io.farheap.objects.transaction.HeapTransaction;
import io.farheap.objects.value.FieldPlace;
import io.farheap.objects.value.ValueType;

/** What can be done with objects whose classes the program need not have. */
public final class StoredObjects {
    private StoredObjects() {}

    /** Whether a field of an object is not null, as far as a bit tells. */
    public static boolean isThere(HeapTransaction tx, long body, FieldPlace field) {
        return field.nullBit() < 0 || (tx.getByte(body, field.nullByte()) & field.nullMask()) != 0;
    }

    /**
     * Sets a field.
     *
     * @throws FarheapException WRONG_USE for null where the field can't be that
     */
    @SuppressWarnings("unchecked")
    public static void set(HeapTransaction tx, long body, FieldPlace field, Object value) {
        if (field.nullBit() >= 0) {
            byte bits = tx.getByte(body, field.nullByte());
            int with = value == null ? bits & ~field.nullMask() : bits | field.nullMask();
            tx.setByte(body, field.nullByte(), (byte) with);
            if (value == null) {
                return;
            }
        }
        if (value == null && !field.type().isNullable()) {
            throw FarheapException.wrongUse(
                    "Field %s, a %s, can't be null.", field.name(), field.type().text());
        }
        ((ValueType<Object>) field.type()).set(tx, body, field.offset(), value);
    }

    /**
     * Deletes an object with what it owns; its place stays, and tells that there is none.
     *
     * @return whether there was one
     */
    public static boolean delete(HeapTransaction tx, StoredTypes types, long place) {
        long word = ObjectLayout.word(tx, place);
        if (ObjectLayout.isDeleted(word)) {
            return false;
        }
        long body = ObjectLayout.isMoved(word) ? ObjectLayout.movedTo(tx, place) : place;
        release(tx, types, body);
        if (body != place) {
            tx.free(body);
        }
        ObjectLayout.setDeleted(tx, place);
        return true;
    }

    private static void release(HeapTransaction tx, StoredTypes types, long body) {
        long word = ObjectLayout.word(tx, body);
        TypeDescriptor type = types.object(word);
        if (type == null) {
            throw damaged(body, word);
        }
        for (FieldPlace field : types.places(type)) {
            field.type().release(tx, body, field.offset());
        }
    }

    /** An object whose word is none. */
    public static FarheapException damaged(long place, long word) {
        return FarheapException.badData(
                "The object at 0x%x has no type that the pool knows (0x%x): it is damaged, or a"
                        + " reference is.",
                place, word);
    }
}
