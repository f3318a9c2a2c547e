package io.farheap.objects.collection;

import io.farheap.objects.schema.PersistentList;
import io.farheap.objects.transaction.HeapTransaction;
import io.farheap.objects.transaction.HeapTransactions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.ConcurrentModificationException;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** {@link ListTree} as a list of {@code java.util}. */
final class TreeList<E> extends PlacedList<E> implements PersistentList<E> {
    private static final int AT_ONCE = 32;

    private final ListTree<E> tree;
    private final long header;

    TreeList(HeapTransactions heap, ListTree<E> tree, long header) {
        super(heap);
        this.tree = tree;
        this.header = header;
    }

    /** Finds an element, or refuses its index. */
    private TreePlace find(HeapTransaction tx, int index) {
        TreePlace place = new TreePlace();
        if (index < 0 || !tree.find(tx, header, index, place)) {
            throw outside(tx, index);
        }
        return place;
    }

    private IndexOutOfBoundsException outside(HeapTransaction tx, int index) {
        long size = tree.size(tx, header);
        if (index >= 0 && index < size) {
            throw CollectionCheck.damaged(
                    "list", header, "it says that it has " + size + " elements, and has not");
        }
        return new IndexOutOfBoundsException("Index: " + index + ", Size: " + size);
    }

    // ---- reads ----

    @Override
    public int size() {
        long size = heap.glance(tx -> tree.size(tx, header));
        return (int) Math.min(Integer.MAX_VALUE, size);
    }

    @Override
    public E get(int index) {
        return heap.glance(tx -> tree.get(tx, find(tx, index)));
    }

    @Override
    public Iterator<E> iterator() {
        return new Elements(false);
    }

    @Override
    public List<E> subList(int from, int to) {
        return ListRange.of(heap, this, from, to);
    }

    /** An element for whoever may remove or replace it. */
    E leaving(HeapTransaction tx, int index) {
        return tree.taken(tx, find(tx, index));
    }

    /** Gets some elements at a time, each time in one read. */
    private final class Elements implements Iterator<E> {
        private final boolean areLeaving;
        private List<E> found = List.of();
        private int next;

        /** The index in the list of what {@link #next} returns. */
        private int index;

        private boolean isAtEnd;
        private boolean isRemovable;
        private E last;

        /**
         * @param areLeaving for whoever removes some
         */
        Elements(boolean areLeaving) {
            this.areLeaving = areLeaving;
        }

        @Override
        public boolean hasNext() {
            if (next == found.size() && !isAtEnd) {
                int from = index;
                found = heap.glance(tx -> more(tx, from));
                next = 0;
                isAtEnd = found.isEmpty();
            }
            return next < found.size();
        }

        private List<E> more(HeapTransaction tx, int from) {
            List<E> elements = new ArrayList<>();
            TreePlace place = new TreePlace();
            while (elements.size() < AT_ONCE
                    && tree.find(tx, header, from + (long) elements.size(), place)) {
                elements.add(areLeaving ? tree.taken(tx, place) : tree.get(tx, place));
            }
            return elements;
        }

        @Override
        public E next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            isRemovable = true;
            index++;
            last = found.get(next++);
            return last;
        }

        private void keepForAbort() {
            HeapTransaction joined = heap.current();
            if (joined != null) {
                int before = index + 1;
                joined.onAbort(
                        () -> {
                            index = before;
                            isRemovable = true;
                        });
            }
        }

        @Override
        public void remove() {
            if (!isRemovable) {
                throw new IllegalStateException();
            }
            index--;
            if (areLeaving) {
                erase(index);
            } else {
                removeIfThere(index, last);
                keepForAbort();
            }
            isRemovable = false;
        }
    }

    // ---- changes ----

    @Override
    public boolean add(E element) {
        Objects.requireNonNull(element);
        return heap.change(
                tx -> {
                    tree.insert(tx, header, tree.size(tx, header), element);
                    return true;
                });
    }

    @Override
    public void add(int index, E element) {
        Objects.requireNonNull(element);
        heap.change(
                tx -> {
                    if (index < 0 || index > tree.size(tx, header)) {
                        throw outside(tx, index);
                    }
                    tree.insert(tx, header, index, element);
                    return null;
                });
    }

    @Override
    public E set(int index, E element) {
        Objects.requireNonNull(element);
        return change(
                index,
                (tx, place) -> {
                    tree.set(tx, place, element);
                    return null;
                });
    }

    @Override
    public E remove(int index) {
        return change(
                index,
                (tx, place) -> {
                    tree.remove(tx, header, index);
                    return null;
                });
    }

    void erase(int index) {
        heap.change(
                tx -> {
                    TreePlace unused = find(tx, index);
                    tree.remove(tx, header, index);
                    return null;
                });
    }

    @Override
    void removeIfThere(int index, E element) {
        heap.change(
                tx -> {
                    requireThere(tx, index, element);
                    erase(index);
                    return null;
                });
    }

    @Override
    void setIfThere(int index, E element, E next) {
        Objects.requireNonNull(next);
        heap.change(
                tx -> {
                    requireThere(tx, index, element);
                    tree.set(tx, find(tx, index), next);
                    return null;
                });
    }

    /** By its bytes, too: a record with an array is not equal to itself, read again. */
    private void requireThere(HeapTransaction tx, int index, E element) {
        TreePlace place = new TreePlace();
        E there = tree.find(tx, header, index, place) ? tree.taken(tx, place) : null;
        boolean isThere =
                there != null
                        && (Objects.deepEquals(there, element)
                                || Arrays.equals(
                                        tree.elementType.bytes(there),
                                        tree.elementType.bytes(element)));
        if (!isThere) {
            throw new ConcurrentModificationException();
        }
    }

    /** Returns what was there. */
    private E change(int index, BiFunction<HeapTransaction, TreePlace, Void> change) {
        return heap.change(
                tx -> {
                    TreePlace place = find(tx, index);
                    E old = tree.taken(tx, place);
                    Void unused = change.apply(tx, place);
                    return old;
                });
    }

    @Override
    public boolean remove(Object element) {
        return heap.transaction(tx -> Removal.first(new Elements(true), element));
    }

    @Override
    public boolean addAll(Collection<? extends E> elements) {
        return heap.change(tx -> super.addAll(copyOf(elements)));
    }

    @Override
    public boolean addAll(int index, Collection<? extends E> elements) {
        return heap.change(tx -> super.addAll(index, copyOf(elements)));
    }

    /**
     * As of now: what is added may be this list, or a view of it, which grows meanwhile. With no
     * null in it, before anything is changed.
     */
    private static <E> List<E> copyOf(Collection<? extends E> elements) {
        return List.copyOf(elements);
    }

    @Override
    public boolean removeAll(Collection<?> elements) {
        return heap.change(
                tx -> Removal.when(new Elements(true), Removal.still(elements)::contains));
    }

    @Override
    public boolean retainAll(Collection<?> elements) {
        return heap.change(tx -> Removal.unless(new Elements(true), Removal.still(elements)));
    }

    @Override
    public boolean removeIf(Predicate<? super E> condition) {
        return heap.change(tx -> Removal.when(new Elements(true), condition));
    }

    @Override
    public void replaceAll(UnaryOperator<E> operator) {
        heap.change(
                tx -> {
                    Objects.requireNonNull(operator);
                    Elements old = new Elements(true);
                    for (int i = 0; old.hasNext(); i++) {
                        E unused = set(i, operator.apply(old.next()));
                    }
                    return null;
                });
    }

    @Override
    public void clear() {
        heap.change(
                tx -> {
                    tree.clear(tx, header);
                    return null;
                });
    }

    @Override
    protected void removeRange(int from, int to) {
        heap.change(
                tx -> {
                    if (to > tree.size(tx, header)) { // a part of it from before others left
                        throw new ConcurrentModificationException();
                    }
                    for (int i = from; i < to; i++) {
                        tree.remove(tx, header, from);
                    }
                    return null;
                });
    }
}
