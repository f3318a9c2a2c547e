package io.farheap.objects.collection;

import io.farheap.objects.transaction.HeapTransaction;
import java.util.ArrayList;
import java.util.List;
import java.util.Map.Entry;

/** Goes through a hash map, some buckets in each read. */
final class HashedIterator<K, V> extends BatchIterator<K, V> {
    private static final int AT_ONCE = 32;

    private final HashedMap<K, V> map;
    private long goOn = HashTable.SCAN_BEGIN;

    HashedIterator(HashedMap<K, V> map) {
        super(map);
        this.map = map;
    }

    @Override
    List<Entry<K, V>> more(HeapTransaction tx, Entry<K, V> last) {
        List<Entry<K, V>> entries = new ArrayList<>();
        long at = goOn;
        while (entries.size() < AT_ONCE && at != HashTable.SCAN_END) {
            at = map.table.scan(tx, map.header, at, entries);
        }
        goOn = at;
        return entries;
    }
}
