package io.farheap.objects.collection;

import io.farheap.objects.transaction.HeapTransaction;
import java.util.ArrayList;
import java.util.List;
import java.util.Map.Entry;

/** Goes through a hash map, some buckets in each read. */
final class HashedIterator<K, V> extends BatchIterator<K, V> {
    private final HashedMap<K, V> map;
    private final Handing handing;
    private long goOn = HashTable.SCAN_BEGIN;
    private long reached;

    HashedIterator(HashedMap<K, V> map, Handing handing) {
        super(map);
        this.map = map;
        this.handing = handing;
    }

    @Override
    List<Entry<K, V>> more(HeapTransaction tx, Entry<K, V> last) {
        List<Entry<K, V>> entries = new ArrayList<>(atOnce());
        reached = goOn;
        while (entries.size() < atOnce() && reached != HashTable.SCAN_END) {
            reached =
                    map.table.scan(
                            tx,
                            map.header,
                            reached,
                            handing,
                            (key, value) -> entries.add(entry(key, value)));
        }
        return entries;
    }

    @Override
    void taken() {
        goOn = reached;
    }
}
