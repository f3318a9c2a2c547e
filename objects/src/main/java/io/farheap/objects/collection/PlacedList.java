package io.farheap.objects.collection;

import java.util.AbstractList;
import java.util.ConcurrentModificationException;
import java.util.ListIterator;
import java.util.NoSuchElementException;

/**
 * A list that others may change while somebody goes over it: its iterators remove and replace only
 * what they have returned, where it still has its place.
 */
abstract class PlacedList<E> extends AbstractList<E> {
    /**
     * Removes an element.
     *
     * @throws ConcurrentModificationException when another one has its place now
     */
    abstract void removeIfThere(int index, E element);

    /** Replaces an element, as {@link #removeIfThere} says. */
    abstract void setIfThere(int index, E element, E next);

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
            next -= at < next ? 1 : 0;
            at = -1;
        }

        @Override
        public void set(E element) {
            requireLast();
            setIfThere(at, last, element);
            last = element;
        }

        @Override
        public void add(E element) {
            PlacedList.this.add(next, element);
            next++;
            at = -1;
        }
    }
}
