package io.farheap.objects.collection;

import io.farheap.base.FarheapException;
import io.farheap.objects.transaction.HeapTransaction;
import io.farheap.objects.transaction.HeapTransactions;
import io.farheap.objects.value.LongType;
import java.util.function.Function;

/**
 * The operations of a hash map of {@code long} that make no object: each thread has one of these
 * steps, which is given its operands and run, in the place of a function made for each call.
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
    private final HashTable<?, ?> table;
    private final long header;
    private final boolean areKeys;
    private final boolean areValues;
    private final ThreadLocal<Step> steps = ThreadLocal.withInitial(Step::new);

    LongEntries(HeapTransactions heap, HashTable<?, ?> table, long header) {
        this.heap = heap;
        this.table = table;
        this.header = header;
        this.areKeys = table.keyType == LongType.LONG;
        this.areValues = table.valueType == LongType.LONG;
    }

    private final class Step implements Function<HeapTransaction, Boolean> {
        private Operation operation;
        private long key;
        private long value;

        @Override
        public Boolean apply(HeapTransaction tx) {
            long entry = table.findLong(tx, header, key);
            switch (operation) {
                case GET -> {
                    if (entry != 0) {
                        value = table.longValue(tx, entry);
                    }
                }
                case PUT ->
                        table.setLongValue(
                                tx, entry == 0 ? table.insertLong(tx, header, key) : entry, value);
                case ADD -> {
                    if (entry == 0) {
                        table.insertLong(tx, header, key);
                    }
                }
                case REMOVE -> {
                    if (entry != 0) {
                        table.remove(tx, header, entry);
                    }
                }
                case FIND -> {}
            }
            return entry != 0;
        }
    }

    long get(long key, long absent) {
        requireValues();
        Step step = step(Operation.GET, key, absent);
        heap.read(step);
        return step.value;
    }

    boolean contains(long key) {
        return heap.read(step(Operation.FIND, key, 0));
    }

    boolean put(long key, long value) {
        requireValues();
        return !heap.transaction(step(Operation.PUT, key, value));
    }

    /** Inserts a key of a set. */
    boolean add(long key) {
        return !heap.transaction(step(Operation.ADD, key, 0));
    }

    boolean remove(long key) {
        return heap.transaction(step(Operation.REMOVE, key, 0));
    }

    private Step step(Operation operation, long key, long value) {
        if (!areKeys) {
            throw FarheapException.wrongUse(
                    "The keys or elements of this collection are no long; use the methods of objects.");
        }
        Step step = steps.get();
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
