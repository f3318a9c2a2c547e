package io.farheap.objects.collection;

import io.farheap.objects.transaction.HeapTransaction;
import io.farheap.objects.transaction.HeapTransactions;
import java.util.BitSet;
import java.util.Collection;
import java.util.ConcurrentModificationException;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.RandomAccess;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * A part of a list, as {@link List#subList} describes it. Each of its changes is one transaction.
 * Its size is what it was before where the transaction is rolled back, or runs again.
 */
final class ListRange<E> extends PlacedList<E> implements RandomAccess {
    private final TreeList<E> list;

    /** The part that this is a part of; null for the list itself. */
    private final ListRange<E> above;

    private final int from;
    private int size;

    private ListRange(
            HeapTransactions heap, TreeList<E> list, ListRange<E> above, int from, int size) {
        super(heap);
        this.list = list;
        this.above = above;
        this.from = from;
        this.size = size;
    }

    static <E> ListRange<E> of(HeapTransactions heap, TreeList<E> list, int from, int to) {
        requireRange(from, to, list.size());
        return new ListRange<>(heap, list, null, from, to - from);
    }

    private static void requireRange(int from, int to, int size) {
        if (from < 0 || to > size) {
            throw new IndexOutOfBoundsException(from + " to " + to + ", Size: " + size);
        }
        if (from > to) {
            throw new IllegalArgumentException("from " + from + " > to " + to);
        }
    }

    @Override
    public List<E> subList(int start, int end) {
        requireRange(start, end, size);
        return new ListRange<>(heap, list, this, from + start, end - start);
    }

    private void grow(int by) {
        addSize(by);
        HeapTransaction joined = heap.current();
        if (joined != null) {
            joined.onAbort(() -> addSize(-by));
        }
    }

    private void addSize(int by) {
        for (ListRange<E> range = this; range != null; range = range.above) {
            range.size += by;
        }
    }

    // ---- reads ----

    @Override
    public int size() {
        return size;
    }

    @Override
    public E get(int index) {
        return list.get(from + Objects.checkIndex(index, size));
    }

    @Override
    public Iterator<E> iterator() {
        return listIterator(0);
    }

    // ---- changes ----

    @Override
    public E set(int index, E element) {
        return list.set(from + Objects.checkIndex(index, size), element);
    }

    @Override
    public void add(int index, E element) {
        list.add(from + Objects.checkIndex(index, size + 1), element);
        grow(1);
    }

    @Override
    public E remove(int index) {
        E removed = list.remove(from + Objects.checkIndex(index, size));
        grow(-1);
        return removed;
    }

    @Override
    void removeIfThere(int index, E element) {
        requireIn(index);
        list.removeIfThere(from + index, element);
        grow(-1);
    }

    @Override
    void setIfThere(int index, E element, E next) {
        requireIn(index);
        list.setIfThere(from + index, element, next);
    }

    private void requireIn(int index) {
        if (index >= size) {
            throw new ConcurrentModificationException();
        }
    }

    @Override
    public boolean remove(Object element) {
        boolean isChanged =
                heap.change(
                        tx -> {
                            int at = 0;
                            while (at < size && !Objects.equals(element, leaving(tx, at))) {
                                at++;
                            }
                            if (at < size) {
                                list.erase(from + at);
                            }
                            return at < size;
                        });
        grow(isChanged ? -1 : 0);
        return isChanged;
    }

    /** A reference to a deleted object does not stop who removes it. */
    private E leaving(HeapTransaction tx, int index) {
        return list.leaving(tx, from + index);
    }

    @Override
    public boolean addAll(Collection<? extends E> elements) {
        return addAll(size, elements);
    }

    @Override
    public boolean addAll(int index, Collection<? extends E> elements) {
        int at = from + Objects.checkIndex(index, size + 1);
        int added =
                heap.change(
                        tx -> {
                            List<E> copy = List.copyOf(elements); // it may be this one
                            boolean unused = list.addAll(at, copy);
                            return copy.size();
                        });
        grow(added);
        return added > 0;
    }

    @Override
    public boolean removeIf(Predicate<? super E> condition) {
        Objects.requireNonNull(condition);
        return removeWhere(condition);
    }

    /** The condition sees the whole of it: elements leave when all were asked about. */
    private boolean removeWhere(Predicate<? super E> condition) {
        int removed =
                heap.change(
                        tx -> {
                            BitSet leaving = new BitSet();
                            for (int i = 0; i < size; i++) {
                                leaving.set(i, condition.test(leaving(tx, i)));
                            }
                            for (int i = leaving.length() - 1; i >= 0; i--) {
                                if (leaving.get(i)) {
                                    list.erase(from + i);
                                }
                            }
                            return leaving.cardinality();
                        });
        grow(-removed);
        return removed > 0;
    }

    @Override
    public boolean removeAll(Collection<?> elements) {
        Objects.requireNonNull(elements);
        return removeWhere(elements::contains);
    }

    @Override
    public boolean retainAll(Collection<?> elements) {
        Objects.requireNonNull(elements);
        return removeWhere(element -> !elements.contains(element));
    }

    @Override
    public void replaceAll(UnaryOperator<E> operator) {
        Objects.requireNonNull(operator);
        heap.change(
                tx -> {
                    for (int i = 0; i < size; i++) {
                        E unused = list.set(from + i, operator.apply(leaving(tx, i)));
                    }
                    return null;
                });
    }

    @Override
    protected void removeRange(int start, int end) {
        list.removeRange(from + start, from + end);
        grow(start - end);
    }
}
