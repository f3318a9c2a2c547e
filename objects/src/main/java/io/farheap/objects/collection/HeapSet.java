package io.farheap.objects.collection;

import io.farheap.objects.transaction.HeapTransactions;
import java.util.AbstractSet;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.Predicate;

/** A set in which what goes over many elements is one transaction, or one read. */
abstract class HeapSet<E> extends AbstractSet<E> {
    private final HeapTransactions heap;

    HeapSet(HeapTransactions heap) {
        this.heap = heap;
    }

    /** Goes over the elements as they leave the set, for whoever removes some. */
    abstract Iterator<E> leaving();

    /** Of a size that is not known: others may change it. */
    @Override
    public Spliterator<E> spliterator() {
        return Spliterators.spliteratorUnknownSize(
                iterator(), Spliterator.DISTINCT | Spliterator.NONNULL);
    }

    @Override
    public boolean addAll(Collection<? extends E> elements) {
        // With no null in it, before anything is changed.
        return heap.change(tx -> super.addAll(List.copyOf(elements)));
    }

    @Override
    public boolean removeAll(Collection<?> elements) {
        return heap.change(
                tx ->
                        size() > elements.size()
                                ? removeEach(elements)
                                : removeIf(elements::contains));
    }

    private boolean removeEach(Collection<?> elements) {
        boolean isChanged = false;
        for (Object element : elements) {
            isChanged |= remove(element);
        }
        return isChanged;
    }

    @Override
    public boolean retainAll(Collection<?> elements) {
        return heap.change(tx -> Removal.unless(leaving(), elements));
    }

    @Override
    public boolean removeIf(Predicate<? super E> condition) {
        return heap.change(tx -> Removal.when(leaving(), condition));
    }

    @Override
    public boolean containsAll(Collection<?> elements) {
        return heap.read(tx -> super.containsAll(elements));
    }

    @Override
    public boolean equals(Object other) {
        return other == this || heap.read(tx -> super.equals(other));
    }

    @Override
    public int hashCode() {
        return heap.read(tx -> super.hashCode());
    }

    @Override
    public String toString() {
        return heap.read(tx -> super.toString());
    }

    @Override
    public Object[] toArray() {
        return heap.read(tx -> super.toArray());
    }

    @Override
    public <T> T[] toArray(T[] array) {
        return heap.read(tx -> super.toArray(array));
    }
}
