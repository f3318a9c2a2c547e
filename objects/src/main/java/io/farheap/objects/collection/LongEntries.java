package io.farheap.objects.collection;

import io.farheap.base.FarheapException;
import io.farheap.objects.transaction.HeapTransaction;
import io.farheap.objects.transaction.HeapTransactions;
import java.util.function.Function;

/**
 * The operations of a map of {@code long} that make no object: the transaction of each thread has
 * one of these steps, which is given its table and operands and run, in the place of a function
 * made for each call. The thread itself keeps none: collections are made by each getter, and a
 * thread would hold one for each of them, and its heap, for as long as it lives.
 */
final class LongEntries {
    private enum Operation {
        FIND,
        GET,
        PUT,
        ADD,
        REMOVE
    }

    private final HeapTransactions heap;
    private final Table table;
    private final boolean areKeys;
    private final boolean areValues;

    LongEntries(HeapTransactions heap, Table table, boolean areKeys, boolean areValues) {
        this.heap = heap;
        this.table = table;
        this.areKeys = areKeys;
        this.areValues = areValues;
    }

    /** The map within a transaction or read. It is asked for values only where they are longs. */
    interface Table {
        /** The object with the entry of a key, noted in the place with its index; none: 0. */
        void find(HeapTransaction tx, long key, TreePlace place);

        long value(HeapTransaction tx, TreePlace place);

        void setValue(HeapTransaction tx, TreePlace place, long value);

        /** Inserts a key that is not there. */
        void insert(HeapTransaction tx, long key, TreePlace place);

        void remove(HeapTransaction tx, TreePlace place);
    }

    private static final class Step implements Function<HeapTransaction, Boolean> {
        private final TreePlace place = new TreePlace();
        private Table table;
        private Operation operation;
        private long key;
        private long value;

        @Override
        public Boolean apply(HeapTransaction tx) {
            table.find(tx, key, place);
            boolean isThere = !place.isNone();
            switch (operation) {
                case FIND -> {}
                case GET -> {
                    if (isThere) {
                        value = table.value(tx, place);
                    }
                }
                case PUT -> {
                    if (!isThere) {
                        table.insert(tx, key, place);
                    }
                    table.setValue(tx, place, value);
                }
                case ADD -> {
                    if (!isThere) {
                        table.insert(tx, key, place);
                    }
                }
                case REMOVE -> {
                    if (isThere) {
                        table.remove(tx, place);
                    }
                }
            }
            return isThere;
        }
    }

    long get(long key, long absent) {
        requireValues();
        Step step = step(Operation.GET, key, 0);
        return heap.glance(step) ? step.value : absent;
    }

    boolean contains(long key) {
        return heap.glance(step(Operation.FIND, key, 0));
    }

    boolean put(long key, long value) {
        requireValues();
        return !heap.change(step(Operation.PUT, key, value));
    }

    /** Inserts a key of a set. */
    boolean add(long key) {
        return !heap.change(step(Operation.ADD, key, 0));
    }

    boolean remove(long key) {
        return heap.change(step(Operation.REMOVE, key, 0));
    }

    private Step step(Operation operation, long key, long value) {
        if (!areKeys) {
            throw FarheapException.wrongUse(
                    "The keys or elements of this collection are no long; use the methods of objects.");
        }
        HeapTransaction tx = heap.ofThread();
        Step step = (Step) tx.kept();
        if (step == null) {
            step = new Step();
            tx.keep(step);
        }
        step.table = table;
        step.operation = operation;
        step.key = key;
        step.value = value;
        return step;
    }

    private void requireValues() {
        if (!areValues) {
            throw FarheapException.wrongUse(
                    "The values of this collection are no long; use the methods of objects.");
        }
    }
}
