package io.farheap.objects.collection;

import io.farheap.objects.transaction.HeapTransactions;
import java.util.AbstractCollection;
import java.util.Collection;
import java.util.Iterator;
import java.util.Map.Entry;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.Predicate;

/** A map's view of its values; what goes over many is one transaction, or one read. */
final class ValuesView<V> extends AbstractCollection<V> {
    private final HeapTransactions heap;
    private final AtomicMap<?, V> map;

    ValuesView(AtomicMap<?, V> map) {
        this.heap = map.heap;
        this.map = map;
    }

    @Override
    public Iterator<V> iterator() {
        return values(map, Handing.ENTRIES);
    }

    /** Of a size that is not known: others may change it. */
    @Override
    public Spliterator<V> spliterator() {
        return Spliterators.spliteratorUnknownSize(iterator(), Spliterator.NONNULL);
    }

    private Iterator<V> leaving() {
        return values(map, Handing.LEAVING_ENTRIES);
    }

    private static <K, V> Iterator<V> values(AtomicMap<K, V> map, Handing handing) {
        return new MappedIterator<>(map.iterator(handing), Entry::getValue);
    }

    @Override
    public int size() {
        return map.size();
    }

    @Override
    public boolean contains(Object value) {
        return map.containsValue(value);
    }

    @Override
    public boolean remove(Object value) {
        return heap.transaction(tx -> Removal.first(leaving(), value));
    }

    @Override
    public boolean removeAll(Collection<?> values) {
        return heap.change(tx -> Removal.when(leaving(), values::contains));
    }

    @Override
    public boolean retainAll(Collection<?> values) {
        return heap.change(tx -> Removal.unless(leaving(), values));
    }

    @Override
    public boolean removeIf(Predicate<? super V> condition) {
        return heap.change(tx -> Removal.when(leaving(), condition));
    }

    @Override
    public void clear() {
        map.clear();
    }

    @Override
    public Object[] toArray() {
        return heap.read(tx -> super.toArray());
    }

    @Override
    public <T> T[] toArray(T[] array) {
        return heap.read(tx -> super.toArray(array));
    }

    @Override
    public String toString() {
        return heap.read(tx -> super.toString());
    }
}
