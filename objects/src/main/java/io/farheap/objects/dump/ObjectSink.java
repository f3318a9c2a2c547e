package io.farheap.objects.dump;

import io.farheap.objects.type.TypeDescriptor;
import io.farheap.objects.type.TypeDescriptor.Field;

/**
 * Told objects, one after another, each by its fields. Values are as in Java, but for those whose
 * classes nobody needs: a record is a map by component, with its type under {@link
 * io.farheap.objects.type.StoredRecords#TYPE}, an enum the name of its constant, an array an {@code
 * Object[]} ({@code byte[]} of bytes), a reference a {@link StoredReference}.
 */
public interface ObjectSink {
    void begin(long id, TypeDescriptor type);

    /**
     * @param value null for null
     */
    void value(Field field, Object value);

    /**
     * A collection; its entries follow, in their order.
     *
     * @param order the class of its comparator; null for none
     */
    void beginCollection(Field field, String order);

    /**
     * A key and its value; an element and null; the sum of a counter and null; some bytes of a
     * blob, the next ones, and null.
     */
    void entry(Object key, Object value);

    void endCollection();

    void end();
}
