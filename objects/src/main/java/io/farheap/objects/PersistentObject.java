package io.farheap.objects;

import io.farheap.base.FarheapException;
import io.farheap.objects.schema.Persistent;
import io.farheap.objects.transaction.HeapTransaction;
import io.farheap.objects.transaction.HeapTransactions;

/**
 * What stands behind each interface marked {@link Persistent}: a small value, the heap and a place
 * in it. Equal are those of one place. Made by the heap alone; programs use their interfaces and
 * never this class.
 */
public abstract class PersistentObject {
    final ObjectSpace space;
    final long place;

    /**
     * For classes that the heap makes.
     *
     * @throws FarheapException WRONG_USE for any other
     */
    protected PersistentObject(Object space, long place) {
        if (!(space instanceof ObjectSpace)) {
            throw FarheapException.wrongUse(
                    "%s can't extend PersistentObject: mark an interface with @Persistent.",
                    getClass().getName());
        }
        this.space = (ObjectSpace) space;
        this.place = place;
    }

    /** Another of this class, at a place. */
    protected abstract PersistentObject persistent$at(Object ofSpace, long at);

    /** Whether the object has the fields that the caller was made for. */
    private static boolean isOf(HeapTransaction tx, PersistentObject self, long typeId) {
        return tx.beginsWith(self.place, typeId);
    }

    /** The bits of a field, of a size that is a constant where it is called. */
    private static long number(PersistentObject self, long typeId, int at, int size, Object field) {
        HeapTransaction tx = self.space.transactions().ofThread();
        if (tx.isQuiet() && tx.peek(self.place, Long.BYTES) == typeId) {
            long word = tx.peek(self.place + at, size);
            if (tx.isStillQuiet()) {
                return word;
            }
        }
        if (!tx.isActive()) {
            return glance(tx, self, typeId, at, size, field);
        }
        return isOf(tx, self, typeId)
                ? load(tx, self.place, at, size)
                : self.space.getBits(self.place, (ObjectField) field);
    }

    /** As {@link #number} outside of a transaction or read, without garbage. */
    private static long glance(
            HeapTransaction tx,
            PersistentObject self,
            long typeId,
            int at,
            int size,
            Object field) {
        HeapTransactions transactions = self.space.transactions();
        transactions.beginGlance(tx);
        try {
            boolean isOf = tx.peek(self.place, Long.BYTES) == typeId;
            long word = isOf ? tx.peek(self.place + at, size) : 0;
            if (!tx.isStillQuiet()) {
                isOf = isOf(tx, self, typeId);
                word = isOf ? load(tx, self.place, at, size) : 0;
            }
            if (tx.endGlance() && isOf) {
                return word;
            }
        } catch (Throwable failure) {
            if (!transactions.isOvertaken(tx, failure)) {
                throw failure;
            }
        }
        return self.space.getBits(self.place, (ObjectField) field);
    }

    private static long load(HeapTransaction tx, long place, int at, int size) {
        return switch (size) {
            case Long.BYTES -> tx.getLong(place, at);
            case Integer.BYTES -> tx.getInt(place, at);
            case Short.BYTES -> tx.getShort(place, at);
            default -> tx.getByte(place, at);
        };
    }

    protected static long getLong(PersistentObject self, long typeId, int at, Object field) {
        return number(self, typeId, at, Long.BYTES, field);
    }

    protected static int getInt(PersistentObject self, long typeId, int at, Object field) {
        return (int) number(self, typeId, at, Integer.BYTES, field);
    }

    protected static short getShort(PersistentObject self, long typeId, int at, Object field) {
        return (short) number(self, typeId, at, Short.BYTES, field);
    }

    protected static byte getByte(PersistentObject self, long typeId, int at, Object field) {
        return (byte) number(self, typeId, at, Byte.BYTES, field);
    }

    protected static Object getValue(PersistentObject self, Object field) {
        return self.space.get(self.place, (ObjectField) field);
    }

    protected static void setLong(
            PersistentObject self, long value, long typeId, int at, Object field) {
        HeapTransaction tx = self.space.transactions().ofThread();
        if (tx.isActive() && isOf(tx, self, typeId)) {
            tx.setLong(self.place, at, value);
        } else {
            self.space.setBits(self.place, (ObjectField) field, value);
        }
    }

    protected static void setInt(
            PersistentObject self, int value, long typeId, int at, Object field) {
        HeapTransaction tx = self.space.transactions().ofThread();
        if (tx.isActive() && isOf(tx, self, typeId)) {
            tx.setInt(self.place, at, value);
        } else {
            self.space.setBits(self.place, (ObjectField) field, value);
        }
    }

    protected static void setShort(
            PersistentObject self, short value, long typeId, int at, Object field) {
        HeapTransaction tx = self.space.transactions().ofThread();
        if (tx.isActive() && isOf(tx, self, typeId)) {
            tx.setShort(self.place, at, value);
        } else {
            self.space.setBits(self.place, (ObjectField) field, value);
        }
    }

    protected static void setByte(
            PersistentObject self, byte value, long typeId, int at, Object field) {
        HeapTransaction tx = self.space.transactions().ofThread();
        if (tx.isActive() && isOf(tx, self, typeId)) {
            tx.setByte(self.place, at, value);
        } else {
            self.space.setBits(self.place, (ObjectField) field, value);
        }
    }

    protected static void setValue(PersistentObject self, Object value, Object field) {
        self.space.set(self.place, (ObjectField) field, value);
    }

    @Override
    public final boolean equals(Object other) {
        return other instanceof PersistentObject
                && ((PersistentObject) other).place == place
                && ((PersistentObject) other).space == space;
    }

    @Override
    public final int hashCode() {
        return Long.hashCode(place * 0x9E37_79B9_7F4A_7C15L);
    }

    @Override
    public final String toString() {
        return String.format("%s@0x%x", space.nameOf(this), place);
    }
}
