package io.farheap.objects.collection;

import io.farheap.base.FarheapException;
import io.farheap.objects.transaction.HeapTransaction;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;

/**
 * The class of a sorted collection's comparator, by name in the pool: entries that lie in one order
 * are not found by another.
 *
 * <pre>
 * object   0 length, 4 bytes     4 name, UTF-8
 * </pre>
 */
final class OrderName {
    static final long TYPE = 0x4648_0023;

    private static final String NATURAL = "the natural order";
    private static final long NAME = Integer.BYTES;

    /** Null of the natural order. */
    private final String name;

    OrderName(Comparator<?> comparator) {
        if (comparator != null && comparator.getClass().isHidden()) {
            throw FarheapException.wrongUse(
                    "The comparator is a lambda, whose name is another one in each run; make it a"
                            + " class, so that the pool can tell the order by its name.");
        }
        this.name = comparator == null ? null : comparator.getClass().getName();
    }

    /**
     * @param comparatorClass its name
     */
    OrderName(String comparatorClass) {
        this.name = comparatorClass;
    }

    /** Makes the object; 0 for the natural order. */
    long create(HeapTransaction tx) {
        if (name == null) {
            return 0;
        }
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        long object = tx.allocate(NAME + bytes.length, TYPE);
        tx.setInt(object, 0, bytes.length);
        tx.write(object, NAME, MemorySegment.ofArray(bytes), 0, bytes.length);
        return object;
    }

    /** Refuses a collection whose name is another one. */
    void require(HeapTransaction tx, long header, long object) {
        String stored = object == 0 ? null : read(tx, object);
        if (name == null ? stored != null : !name.equals(stored)) {
            throw FarheapException.wrongUse(
                    "The sorted collection at 0x%s lies in the order of %s and is asked for in that"
                            + " of %s; give the comparator it was made with, or copy it into a new"
                            + " one.",
                    Long.toHexString(header),
                    stored == null ? NATURAL : stored,
                    name == null ? NATURAL : name);
        }
    }

    static String read(HeapTransaction tx, long object) {
        int length = tx.getInt(object, 0);
        if (length < 0 || length > tx.usableSize(object) - NAME) {
            throw FarheapException.badData(
                    "The name of an order at 0x%s is damaged; restore the pool from a replica.",
                    Long.toHexString(object));
        }
        byte[] bytes = new byte[length];
        tx.read(object, NAME, MemorySegment.ofArray(bytes), 0, length);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
