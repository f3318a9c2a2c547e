package io.farheap.list;

import io.farheap.engine.LaneTransaction;

/**
 * The operations on lists, each one atomic step: the words of a redo log, under the mutexes of the
 * heads until it is durable everywhere. Each has its lane before it waits for a mutex, as in
 * libpmemobj: a new element has one anyway, and two orders would wait for each other. Elements are
 * image offsets.
 */
public final class ListOperations {

    /** Gives a new element its content. Nothing happens where it throws. */
    @FunctionalInterface
    public interface Filling {
        /** Stores into {@code object}, which {@code operation} allocated. */
        void fill(LaneTransaction operation, long object);
    }

    private ListOperations() {}

    /**
     * Puts an object that is in no list into one.
     *
     * @param neighbour an element of the list; 0: its first or last
     * @param before whether before or behind that; for 0: at the list's begin or end
     */
    public static void insert(ListHead list, long element, long neighbour, boolean before) {
        LaneTransaction operation = list.engine().operation();
        boolean locked = false;
        try {
            try {
                list.lock();
                locked = true;
                list.requireUnlinked(element);
                checkPlace(list, neighbour);
                LinkChange change = list.change(operation);
                long next = change.insert(list, element, neighbour, before);
                change.setEntry(list, element, next);
                operation.commit();
            } catch (Throwable failure) {
                operation.abort(failure);
                throw failure;
            }
        } finally {
            if (locked) {
                list.unlock();
            }
        }
    }

    /** Allocates an object, has it filled, and puts it into a list. */
    public static long insertNew(
            ListHead list,
            long neighbour,
            boolean before,
            long size,
            long typeNumber,
            Filling filling) {
        LaneTransaction operation = list.engine().operation();
        boolean locked = false;
        try {
            long element;
            try {
                element = operation.allocate(size, typeNumber, false);
                list.checkElement(element);
                filling.fill(operation, element);
                list.lock();
                locked = true;
                checkPlace(list, neighbour);
                LinkChange change = list.change(operation);
                long next = change.insert(list, element, neighbour, before);
                change.fillEntry(list, element, next);
                operation.commit();
            } catch (Throwable failure) {
                operation.abort(failure);
                throw failure;
            }
            return element;
        } finally {
            if (locked) {
                list.unlock();
            }
        }
    }

    /** Takes an element out of its list, and frees it if asked to. */
    public static void remove(ListHead list, long element, boolean free) {
        long unused = remove(list, element, false, free);
    }

    /** Takes the first or last element out, whichever that is; returns it, 0 when there is none. */
    public static long removeEnd(ListHead list, boolean last) {
        return remove(list, 0, last, false);
    }

    /**
     * @param given 0: the first or last
     */
    private static long remove(ListHead list, long given, boolean last, boolean free) {
        LaneTransaction operation = list.engine().operation();
        boolean locked = false;
        try {
            try {
                list.lock();
                locked = true;
                long element = given == 0 ? intactEnd(list, last) : given;
                if (element != 0) {
                    list.requireLinked(element);
                    LinkChange change = list.change(operation);
                    change.remove(list, element);
                    if (free) {
                        operation.free(element);
                    } else {
                        change.clearEntry(list, element);
                    }
                }
                operation.commit();
                return element;
            } catch (Throwable failure) {
                operation.abort(failure);
                throw failure;
            }
        } finally {
            if (locked) {
                list.unlock();
            }
        }
    }

    private static long intactEnd(ListHead list, boolean last) {
        list.requireIntactFirst();
        return list.end(last);
    }

    /**
     * Moves an element inside its list or into another, whose entries may lie elsewhere.
     *
     * @param neighbour an element of {@code to}; 0: its first or last
     */
    public static void move(
            ListHead from, ListHead to, long element, long neighbour, boolean before) {
        checkLists(from, to);
        checkNotBesideItself(from, to, element, neighbour);
        ListHead lower = from.head() < to.head() ? from : to;
        ListHead upper = from.isSameAs(to) ? null : lower == from ? to : from;
        ListHead lockedLower = null;
        ListHead lockedUpper = null;
        LaneTransaction operation = from.engine().operation();
        try {
            try {
                lower.lock();
                lockedLower = lower;
                if (upper != null) {
                    upper.lock();
                    lockedUpper = upper;
                }
                moveLocked(operation, from, to, element, neighbour, before);
                operation.commit();
            } catch (Throwable failure) {
                operation.abort(failure);
                throw failure;
            }
        } finally {
            unlock(lockedUpper, lockedLower);
        }
    }

    private static void unlock(ListHead first, ListHead second) {
        try {
            if (first != null) {
                first.unlock();
            }
        } finally {
            if (second != null) {
                second.unlock();
            }
        }
    }

    private static void moveLocked(
            LaneTransaction operation,
            ListHead from,
            ListHead to,
            long element,
            long neighbour,
            boolean before) {
        from.requireLinked(element);
        if (from.hasEntriesOf(to)) {
            to.checkElement(element);
        } else {
            to.requireUnlinked(element);
        }
        checkPlace(to, neighbour);
        if (!from.isSameAs(to)) {
            from.requireNotFirstOf(to, element);
            to.requireNotFirstOf(from, neighbour);
        }
        if (neighbour == element) {
            return; // it is where it shall be
        }
        LinkChange change = to.change(operation);
        change.remove(from, element);
        long next = change.insert(to, element, neighbour, before);
        change.setEntry(to, element, next);
    }

    /** What is in the one list is not in the other, and has no place beside itself there. */
    private static void checkNotBesideItself(
            ListHead from, ListHead to, long element, long neighbour) {
        if (neighbour == element && !from.isSameAs(to)) {
            throw ListHead.wrong(
                    "The object at 0x"
                            + Long.toHexString(element)
                            + " can't move next to itself out of another list.");
        }
    }

    private static void checkLists(ListHead from, ListHead to) {
        if (from.engine() != to.engine()) {
            throw ListHead.wrong("An element can't move into a list of another pool; copy it.");
        }
        if (from.isSameAs(to) && !from.hasEntriesOf(to)) {
            throw ListHead.wrong(
                    "The two lists have one head but entries in different places; one list has one"
                            + " place for its entries.");
        }
        if (from.hasEntriesAcross(to)) {
            throw ListHead.wrong("The entries of the two lists overlap; no element can be in one.");
        }
    }

    private static void checkPlace(ListHead list, long neighbour) {
        list.requireIntactFirst();
        if (neighbour != 0) {
            list.requireLinked(neighbour);
        }
    }
}
