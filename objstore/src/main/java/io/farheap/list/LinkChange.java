package io.farheap.list;

import io.farheap.engine.LaneTransaction;

/**
 * The words that take one element out of a list, put one in, or both in one step: exactly those of
 * libpmemobj (docs/format.md#structures-in-objects), except that an existing element's pool ids go
 * through the redo log too, so that replicas hear of them. Links are read as they will be after the
 * removal. Used again and again, by whoever holds the list's mutex.
 */
final class LinkChange {
    private LaneTransaction operation;

    /** The list that {@link #removed} was taken out through; null before a removal. */
    private ListHead left;

    private long removed;
    private long nextOfRemoved;
    private long previousOfRemoved;
    private long previousOfInserted;

    /** Begins a change that {@code newOperation} will commit. */
    LinkChange begin(LaneTransaction newOperation) {
        operation = newOperation;
        left = null;
        return this;
    }

    /** Takes an element out: its neighbours' links, and the head's if it was the first. */
    void remove(ListHead list, long element) {
        long first = list.first();
        left = list;
        removed = element;
        nextOfRemoved = list.next(element);
        previousOfRemoved = list.previous(element);
        if (nextOfRemoved == element) {
            setTarget(list.head(), 0);
            return;
        }
        setTarget(list.entry(nextOfRemoved) + ListLayout.PREVIOUS, previousOfRemoved);
        setTarget(list.entry(previousOfRemoved) + ListLayout.NEXT, nextOfRemoved);
        if (first == element) {
            setTarget(list.head(), nextOfRemoved);
        }
    }

    /** What an element is left with that was removed and goes nowhere. */
    void clearEntry(ListHead list, long element) {
        setTarget(list.entry(element) + ListLayout.NEXT, 0);
        setTarget(list.entry(element) + ListLayout.PREVIOUS, 0);
    }

    /**
     * Links an element into a list; its own entry is for {@link #setEntry} or, of a new object, for
     * {@link #fillEntry}, before anything is committed.
     *
     * @param neighbour an element of the list; 0: its first or last
     * @param before whether before or behind that
     * @return the element's next
     */
    long insert(ListHead list, long element, long neighbour, boolean before) {
        long first = first(list);
        if (first == 0) {
            setHead(list, element);
            previousOfInserted = element;
            return element;
        }
        long next;
        if (before) {
            next = neighbour == 0 ? first : neighbour;
            previousOfInserted = previous(list, next);
            setTarget(list.entry(next) + ListLayout.PREVIOUS, element);
            setTarget(list.entry(previousOfInserted) + ListLayout.NEXT, element);
            if (next == first) {
                setHead(list, element);
            }
        } else {
            previousOfInserted = neighbour == 0 ? previous(list, first) : neighbour;
            next = next(list, previousOfInserted);
            setTarget(list.entry(previousOfInserted) + ListLayout.NEXT, element);
            setTarget(list.entry(next) + ListLayout.PREVIOUS, element);
        }
        return next;
    }

    /** Points an existing element's entry to its neighbours. */
    void setEntry(ListHead list, long element, long next) {
        setLink(list, list.entry(element) + ListLayout.NEXT, next);
        setLink(list, list.entry(element) + ListLayout.PREVIOUS, previousOfInserted);
    }

    /** As {@link #setEntry}, of an object that this operation allocated: no log for it. */
    void fillEntry(ListHead list, long element, long next) {
        long entry = list.entry(element) - element;
        operation.objects().setLong(element, entry, list.poolId());
        operation.objects().setLong(element, entry + ListLayout.TARGET, next);
        long previous = entry + ListLayout.PREVIOUS;
        operation.objects().setLong(element, previous, list.poolId());
        operation.objects().setLong(element, previous + ListLayout.TARGET, previousOfInserted);
    }

    private void setHead(ListHead list, long element) {
        setLink(list, list.head(), element);
    }

    private void setLink(ListHead list, long field, long target) {
        setTarget(field, target);
        if (list.engine().image().getLong(field + ListLayout.POOL_ID) != list.poolId()) {
            operation.setWord(field + ListLayout.POOL_ID, list.poolId());
        }
    }

    private void setTarget(long field, long target) {
        operation.setWord(field + ListLayout.TARGET, target);
    }

    // ---- links as they are after the removal ----

    /**
     * Whether the removal changed entries of this list. An element can be taken out through the
     * head of another list with entries in the same place, so the head does not tell.
     */
    private boolean hasRemoved(ListHead list) {
        return left != null && left.hasEntriesOf(list);
    }

    private long first(ListHead list) {
        long first = list.first();
        if (!hasRemoved(list) || first != removed) {
            return first;
        }
        return nextOfRemoved == removed ? 0 : nextOfRemoved;
    }

    private long next(ListHead list, long element) {
        return hasRemoved(list) && element == previousOfRemoved
                ? nextOfRemoved
                : list.next(element);
    }

    private long previous(ListHead list, long element) {
        return hasRemoved(list) && element == nextOfRemoved
                ? previousOfRemoved
                : list.previous(element);
    }
}
