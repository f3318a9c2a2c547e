package io.farheap.objects.collection;

import io.farheap.objects.transaction.HeapTransaction;

/** The operations without objects of the {@link HashTable} at a header; keys are longs. */
final class HashLongs implements LongEntries.Table {
    private final HashTable<?, ?> table;
    private final long header;

    HashLongs(HashTable<?, ?> table, long header) {
        this.table = table;
        this.header = header;
    }

    @Override
    public void find(HeapTransaction tx, long key, TreePlace place) {
        place.set(table.findLong(tx, header, key), 0);
    }

    @Override
    public long value(HeapTransaction tx, TreePlace place) {
        return tx.getLong(place.leaf, table.layout.value);
    }

    @Override
    public void setValue(HeapTransaction tx, TreePlace place, long value) {
        tx.setLong(place.leaf, table.layout.value, value);
    }

    @Override
    public void insert(HeapTransaction tx, long key, TreePlace place) {
        place.set(table.insertHash(tx, header, HashTable.hashOf(key)), 0);
        tx.setLong(place.leaf, table.layout.key, key);
    }

    @Override
    public void remove(HeapTransaction tx, TreePlace place) {
        table.remove(tx, header, place.leaf);
    }
}
