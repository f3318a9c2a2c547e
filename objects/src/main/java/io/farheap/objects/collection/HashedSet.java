package io.farheap.objects.collection;

import io.farheap.objects.schema.PersistentSet;
import io.farheap.objects.transaction.HeapTransactions;
import java.util.Iterator;

/** The keys of a hash map whose values have no bytes. */
final class HashedSet<E> extends HeapSet<E> implements PersistentSet<E> {
    private final HashedMap<E, Boolean> map;
    private final LongEntries longs;

    HashedSet(HeapTransactions heap, HashTable<E, Boolean> table, long header) {
        super(heap);
        this.map = new HashedMap<>(heap, table, header);
        this.longs = table.longs(heap, header);
    }

    @Override
    public Iterator<E> iterator() {
        return map.keySet().iterator();
    }

    @Override
    Iterator<E> leaving() {
        return map.keys(Handing.LEAVING_KEYS);
    }

    @Override
    public int size() {
        return map.size();
    }

    @Override
    public boolean contains(Object element) {
        return map.containsKey(element);
    }

    @Override
    public boolean add(E element) {
        return map.putIfAbsent(element, Boolean.TRUE) == null;
    }

    @Override
    public boolean remove(Object element) {
        return map.removeKey(element);
    }

    @Override
    public void clear() {
        map.clear();
    }

    @Override
    public boolean addLong(long element) {
        return longs.add(element);
    }

    @Override
    public boolean containsLong(long element) {
        return longs.contains(element);
    }

    @Override
    public boolean removeLong(long element) {
        return longs.remove(element);
    }
}
