package io.farheap.objects.collection;

/**
 * Told what is in a collection, in an order that is the same for equal collections, in whatever
 * pool they lie.
 */
public interface ContentVisitor {
    /** The class of the order of a sorted collection, before its entries; not of a natural one. */
    void order(String comparatorClass);

    /**
     * A key and its value; an element and null; the sum of a counter and null; some bytes of a
     * blob, the next ones, and null.
     */
    void entry(Object key, Object value);
}
