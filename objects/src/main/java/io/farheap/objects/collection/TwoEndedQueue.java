package io.farheap.objects.collection;

import io.farheap.base.FarheapException;
import io.farheap.objects.schema.PersistentDeque;
import java.util.AbstractQueue;
import java.util.NoSuchElementException;
import java.util.concurrent.TimeUnit;

/** The names that {@link PersistentDeque} has for what is done at either end. */
abstract class TwoEndedQueue<E> extends AbstractQueue<E> implements PersistentDeque<E> {
    /** Adds at the first end or the last; always true. */
    abstract boolean add(boolean first, E element);

    /** Takes the element at an end; null for none. */
    abstract E poll(boolean first);

    /** The element at an end; null for none. */
    abstract E peek(boolean first);

    /** As {@link #poll(boolean)}; outside of transactions and reads it waits for an element. */
    abstract E pollWithin(boolean first, long nanos) throws InterruptedException;

    private E take(boolean first) throws InterruptedException {
        E element = pollWithin(first, DequeWaiters.NO_BOUND);
        if (element == null) {
            throw FarheapException.wrongUse(
                    "The deque is empty, and nothing can come into it while this transaction or"
                            + " read waits; call take() outside, or poll().");
        }
        return element;
    }

    private static <E> E there(E element) {
        if (element == null) {
            throw new NoSuchElementException();
        }
        return element;
    }

    @Override
    public void addFirst(E element) {
        boolean unused = add(true, element);
    }

    @Override
    public void addLast(E element) {
        boolean unused = add(false, element);
    }

    @Override
    public boolean offerFirst(E element) {
        return add(true, element);
    }

    @Override
    public boolean offerLast(E element) {
        return add(false, element);
    }

    @Override
    public void putFirst(E element) {
        addFirst(element);
    }

    @Override
    public void putLast(E element) {
        addLast(element);
    }

    @Override
    public boolean offerFirst(E element, long timeout, TimeUnit unit) {
        return add(true, element);
    }

    @Override
    public boolean offerLast(E element, long timeout, TimeUnit unit) {
        return add(false, element);
    }

    @Override
    public E removeFirst() {
        return there(poll(true));
    }

    @Override
    public E removeLast() {
        return there(poll(false));
    }

    @Override
    public E pollFirst() {
        return poll(true);
    }

    @Override
    public E pollLast() {
        return poll(false);
    }

    @Override
    public E takeFirst() throws InterruptedException {
        return take(true);
    }

    @Override
    public E takeLast() throws InterruptedException {
        return take(false);
    }

    @Override
    public E pollFirst(long timeout, TimeUnit unit) throws InterruptedException {
        return pollWithin(true, Math.min(unit.toNanos(timeout), DequeWaiters.NO_BOUND));
    }

    @Override
    public E pollLast(long timeout, TimeUnit unit) throws InterruptedException {
        return pollWithin(false, Math.min(unit.toNanos(timeout), DequeWaiters.NO_BOUND));
    }

    @Override
    public E getFirst() {
        return there(peek(true));
    }

    @Override
    public E getLast() {
        return there(peek(false));
    }

    @Override
    public E peekFirst() {
        return peek(true);
    }

    @Override
    public E peekLast() {
        return peek(false);
    }

    // ---- as a queue and a stack ----

    @Override
    public boolean add(E element) {
        return add(false, element);
    }

    @Override
    public boolean offer(E element) {
        return add(false, element);
    }

    @Override
    public void put(E element) {
        addLast(element);
    }

    @Override
    public boolean offer(E element, long timeout, TimeUnit unit) {
        return add(false, element);
    }

    @Override
    public E remove() {
        return removeFirst();
    }

    @Override
    public E poll() {
        return poll(true);
    }

    @Override
    public E take() throws InterruptedException {
        return take(true);
    }

    @Override
    public E poll(long timeout, TimeUnit unit) throws InterruptedException {
        return pollFirst(timeout, unit);
    }

    @Override
    public E element() {
        return getFirst();
    }

    @Override
    public E peek() {
        return peek(true);
    }

    @Override
    public void push(E element) {
        addFirst(element);
    }

    @Override
    public E pop() {
        return removeFirst();
    }

    @Override
    public int remainingCapacity() {
        return Integer.MAX_VALUE;
    }
}
