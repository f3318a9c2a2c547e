package io.farheap.objects.collection;

import io.farheap.objects.transaction.HeapTransaction;
import io.farheap.objects.transaction.HeapTransactions;
import java.util.AbstractList;
import java.util.Collection;
import java.util.Comparator;
import java.util.ConcurrentModificationException;
import java.util.ListIterator;
import java.util.NoSuchElementException;
import java.util.Spliterator;
import java.util.Spliterators;

/**
 * A list that others may change while somebody goes over it: what goes over many elements is one
 * read or one change, and its iterators remove and replace only what they have returned, where it
 * still has its place.
 */
abstract class PlacedList<E> extends AbstractList<E> {
    final HeapTransactions heap;

    PlacedList(HeapTransactions heap) {
        this.heap = heap;
    }

    /**
     * Removes an element.
     *
     * @throws ConcurrentModificationException when another one has its place now
     */
    abstract void removeIfThere(int index, E element);

    /** Replaces an element, as {@link #removeIfThere} says. */
    abstract void setIfThere(int index, E element, E next);

    // ---- what looks at many, or at an end, is one read ----

    @Override
    public E getFirst() {
        return heap.read(tx -> super.getFirst());
    }

    @Override
    public E getLast() {
        return heap.read(tx -> super.getLast());
    }

    @Override
    public boolean contains(Object element) {
        return indexOf(element) >= 0;
    }

    @Override
    public int indexOf(Object element) {
        return heap.read(tx -> super.indexOf(element));
    }

    @Override
    public int lastIndexOf(Object element) {
        return heap.read(tx -> super.lastIndexOf(element));
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

    /** Of a size that is not known: others may change it. */
    @Override
    public Spliterator<E> spliterator() {
        return Spliterators.spliteratorUnknownSize(
                iterator(), Spliterator.ORDERED | Spliterator.NONNULL);
    }

    // ---- and one change ----

    @Override
    public void sort(Comparator<? super E> order) {
        heap.change(
                tx -> {
                    super.sort(order);
                    return null;
                });
    }

    @Override
    public E removeFirst() {
        return heap.change(tx -> super.removeFirst());
    }

    @Override
    public E removeLast() {
        return heap.change(tx -> super.removeLast());
    }

    @Override
    public ListIterator<E> listIterator(int index) {
        if (index < 0 || index > size()) {
            throw new IndexOutOfBoundsException("Index: " + index + ", Size: " + size());
        }
        return new Places(index);
    }

    private final class Places implements ListIterator<E> {
        private int next;

        /** Where the element lies that was returned last; -1: none that may be changed. */
        private int at = -1;

        private E last;

        Places(int next) {
            this.next = next;
        }

        private E returned(int index) {
            try {
                last = get(index);
            } catch (IndexOutOfBoundsException gone) {
                throw new NoSuchElementException();
            }
            at = index;
            return last;
        }

        /** Where the transaction is rolled back, or runs again, it stands where it stood. */
        private void keepForAbort() {
            HeapTransaction joined = heap.current();
            if (joined != null) {
                int nextBefore = next;
                int atBefore = at;
                E lastBefore = last;
                joined.onAbort(
                        () -> {
                            next = nextBefore;
                            at = atBefore;
                            last = lastBefore;
                        });
            }
        }

        private void requireLast() {
            if (at < 0) {
                throw new IllegalStateException();
            }
        }

        @Override
        public boolean hasNext() {
            return next < size();
        }

        @Override
        public E next() {
            E element = returned(next);
            next++;
            return element;
        }

        @Override
        public boolean hasPrevious() {
            return next > 0;
        }

        @Override
        public E previous() {
            E element = returned(next - 1);
            next--;
            return element;
        }

        @Override
        public int nextIndex() {
            return next;
        }

        @Override
        public int previousIndex() {
            return next - 1;
        }

        @Override
        public void remove() {
            requireLast();
            removeIfThere(at, last);
            keepForAbort();
            next -= at < next ? 1 : 0;
            at = -1;
        }

        @Override
        public void set(E element) {
            requireLast();
            setIfThere(at, last, element);
            keepForAbort();
            last = element;
        }

        @Override
        public void add(E element) {
            try {
                PlacedList.this.add(next, element);
            } catch (IndexOutOfBoundsException shorter) {
                throw new ConcurrentModificationException(shorter);
            }
            keepForAbort();
            next++;
            at = -1;
        }
    }
}
