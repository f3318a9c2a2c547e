package io.farheap.objects.collection;

import io.farheap.objects.transaction.HeapTransaction;
import io.farheap.objects.value.LongType;
import io.farheap.objects.value.ValueType;
import java.util.Comparator;

/**
 * The order of a sorted collection. Keys are told as objects and, of a {@code long} in its natural
 * order, as numbers besides: then the object is not looked at and may be null.
 */
abstract class KeyOrder<K> {
    /** Null of the natural order. */
    final Comparator<? super K> comparator;

    private KeyOrder(Comparator<? super K> comparator) {
        this.comparator = comparator;
    }

    /** The natural order where the comparator is null. */
    @SuppressWarnings("unchecked") // LongType is a ValueType<Long>
    static <K> KeyOrder<K> of(ValueType<K> type, Comparator<? super K> comparator) {
        if (comparator == null && type == LongType.LONG) {
            return (KeyOrder<K>) new OfLong();
        }
        return new OfObjects<>(type, comparator);
    }

    /** One in which every key is greater than all that are there. */
    static <K> KeyOrder<K> atEnd() {
        return new AtEnd<>();
    }

    /** The key in a slot against another one: negative, 0 or positive. */
    abstract int compare(HeapTransaction tx, long object, long offset, K key, long number);

    abstract int compare(K one, K other);

    /** What a key is as a number; 0 where the order does not use numbers. */
    abstract long numberOf(K key);

    private static final class AtEnd<K> extends KeyOrder<K> {
        AtEnd() {
            super(null);
        }

        @Override
        int compare(HeapTransaction tx, long object, long offset, K key, long number) {
            return -1;
        }

        @Override
        int compare(K one, K other) {
            return -1;
        }

        @Override
        long numberOf(K key) {
            return 0;
        }
    }

    private static final class OfLong extends KeyOrder<Long> {
        OfLong() {
            super(null);
        }

        @Override
        int compare(HeapTransaction tx, long object, long offset, Long key, long number) {
            return Long.compare(tx.getLong(object, offset), number);
        }

        @Override
        int compare(Long one, Long other) {
            return Long.compare(one, other);
        }

        @Override
        long numberOf(Long key) {
            return key;
        }
    }

    private static final class OfObjects<K> extends KeyOrder<K> {
        private static final String WHERE = "key of a sorted map or set in the node";

        private final ValueType<K> type;
        private final Comparator<? super K> order;

        @SuppressWarnings("unchecked") // keys without an order of their own are refused by the cast
        OfObjects(ValueType<K> type, Comparator<? super K> comparator) {
            super(comparator);
            this.type = type;
            this.order =
                    comparator == null
                            ? (Comparator<K>) Comparator.<Comparable<Object>>naturalOrder()
                            : comparator;
        }

        @Override
        int compare(HeapTransaction tx, long object, long offset, K key, long number) {
            K there = type.taken(tx, object, offset);
            return order.compare(CollectionCheck.present(there, WHERE, object), key);
        }

        @Override
        int compare(K one, K other) {
            return order.compare(one, other);
        }

        @Override
        long numberOf(K key) {
            return 0;
        }
    }
}
