package io.farheap.pmemobj;

import io.farheap.base.FarheapException;
import io.farheap.base.Ref;
import io.farheap.engine.PoolEngine;
import io.farheap.engine.PoolReferences;
import io.farheap.list.ListHead;
import io.farheap.list.ListLayout;
import io.farheap.list.ListOperations;
import io.farheap.memory.PoolMemory;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Objects;

/**
 * A doubly linked list of objects in libpmemobj's layout (POBJ_LIST): C programs read and change
 * it, and it theirs. The head takes {@value #HEAD_BYTES} bytes in some object, zero for an empty
 * list; each element has an entry of {@value #ENTRY_BYTES} bytes, at the same offset in all.
 *
 * <p>Each call that changes something happens whole or not at all, and is durable, here and on
 * every replica, when it returns. Inside a transaction of the same thread it is independent of
 * that, as in libpmemobj: an abort does not take it back. Lists are not for objects that a
 * transaction under way allocated or freed.
 *
 * <p>Thread-safe: every call takes the mutex in the head for its time, reading ones unless the
 * thread holds it (two lists: in the order of their addresses). A thread that holds it ({@link
 * PoolLocks#mutex} at the head's offset plus {@value #MUTEX_OFFSET}) can't change the list, as in
 * C, and should not begin a transaction or operation of the pool, either: who waits for the mutex
 * to change the list has a lane meanwhile, for which {@code check} and {@code close} wait.
 *
 * <p>An element is in one list per entry. Inserting one that is in a list, or removing one that is
 * in none, is a {@link FarheapException} WRONG_USE; which of several lists with entries in the same
 * place it is in, only the caller can know, and the only element of another such list is taken for
 * one that is in none; of the two lists of a move, the first element of one is refused as an
 * element of the other. Taking an element out through the head of a list that it is not in is not
 * refused where nobody can tell, and not ordered with changes of the list that it is in: threads
 * that share lists take elements out by {@link #removeFirst} and {@link #removeLast}, or make sure
 * that none takes out, or moves, what another may have moved. Links that can't be right are
 * BAD_DATA: also those of a list whose first element was freed, or taken out through the head of
 * another list.
 */
public final class ObjectList implements Iterable<Ref> {

    /** Bytes that the head takes. */
    public static final int HEAD_BYTES = ListLayout.HEAD_BYTES;

    /** Bytes that an entry takes in each element. */
    public static final int ENTRY_BYTES = ListLayout.ENTRY_BYTES;

    /** Where in the head its mutex is. */
    public static final int MUTEX_OFFSET = ListLayout.MUTEX;

    private final PoolFaces pool;
    private final long poolId;
    private final PoolMemory memory;
    private final ListHead list;

    ObjectList(
            PoolFaces pool,
            PoolEngine engine,
            long poolId,
            Ref head,
            long headOffset,
            long entryOffset) {
        this.pool = pool;
        this.poolId = poolId;
        this.memory = engine.image();
        long object = PoolReferences.offset(head, poolId);
        try {
            this.list = new ListHead(engine, poolId, object, headOffset, entryOffset);
        } catch (InternalError error) {
            throw memory.lost(error);
        }
    }

    // ---- insert ----

    /** Puts an object that is in no list at the begin. */
    public void insertFirst(Ref element) {
        insert(element, 0, true);
    }

    /** Puts an object that is in no list at the end. */
    public void insertLast(Ref element) {
        insert(element, 0, false);
    }

    /** Puts an object that is in no list before an element of this one. */
    public void insertBefore(Ref neighbour, Ref element) {
        insert(element, offset(neighbour), true);
    }

    /** Puts an object that is in no list behind an element of this one. */
    public void insertAfter(Ref neighbour, Ref element) {
        insert(element, offset(neighbour), false);
    }

    private void insert(Ref element, long neighbour, boolean before) {
        try {
            ListOperations.insert(list, offset(element), neighbour, before);
        } catch (InternalError error) {
            throw memory.lost(error);
        }
    }

    /**
     * Allocates an object and puts it at the begin, in one step.
     *
     * @param size usable bytes wanted, entry included
     * @param constructor fills it; the entry is written afterwards. Runs before the list is locked.
     *     What it throws cancels everything
     * @throws FarheapException ENVIRONMENT when the pool is full
     */
    public Ref insertNewFirst(long size, long typeNumber, ObjectConstructor constructor) {
        Objects.requireNonNull(constructor, "constructor");
        return insertNew(0, true, size, typeNumber, constructor);
    }

    /** As {@link #insertNewFirst}, at the end. */
    public Ref insertNewLast(long size, long typeNumber, ObjectConstructor constructor) {
        Objects.requireNonNull(constructor, "constructor");
        return insertNew(0, false, size, typeNumber, constructor);
    }

    /** As {@link #insertNewFirst}, before an element. */
    public Ref insertNewBefore(
            Ref neighbour, long size, long typeNumber, ObjectConstructor constructor) {
        Objects.requireNonNull(constructor, "constructor");
        return insertNew(offset(neighbour), true, size, typeNumber, constructor);
    }

    /** As {@link #insertNewFirst}, behind an element. */
    public Ref insertNewAfter(
            Ref neighbour, long size, long typeNumber, ObjectConstructor constructor) {
        Objects.requireNonNull(constructor, "constructor");
        return insertNew(offset(neighbour), false, size, typeNumber, constructor);
    }

    private Ref insertNew(
            long neighbour,
            boolean before,
            long size,
            long typeNumber,
            ObjectConstructor constructor) {
        return ref(
                ListOperations.insertNew(
                        list,
                        neighbour,
                        before,
                        size,
                        typeNumber,
                        (operation, object) ->
                                pool.atomic().construct(operation, object, constructor)));
    }

    // ---- remove and move ----

    /** Takes an element out; it stays an object. */
    public void remove(Ref element) {
        remove(offset(element), false);
    }

    /**
     * Takes the first element out, whichever it is; it stays an object. No other thread gets it,
     * too, as it might where {@link #first} and {@link #remove} follow each other.
     *
     * @return {@link Ref#NULL} when the list is empty
     */
    public Ref removeFirst() {
        return removeEnd(false);
    }

    /** As {@link #removeFirst}, the last. */
    public Ref removeLast() {
        return removeEnd(true);
    }

    /** Takes an element out and frees it, in one step. */
    public void removeAndFree(Ref element) {
        remove(offset(element), true);
    }

    /**
     * Moves an element of {@code source} to the begin of this list, in one step.
     *
     * @param source this list or another of this pool, also with entries elsewhere in the elements
     */
    public void moveFirst(ObjectList source, Ref element) {
        Objects.requireNonNull(source, "source");
        move(source, element, 0, true);
    }

    /** As {@link #moveFirst}, to the end. */
    public void moveLast(ObjectList source, Ref element) {
        Objects.requireNonNull(source, "source");
        move(source, element, 0, false);
    }

    /** As {@link #moveFirst}, before an element of this list. */
    public void moveBefore(Ref neighbour, ObjectList source, Ref element) {
        Objects.requireNonNull(source, "source");
        move(source, element, offset(neighbour), true);
    }

    /** As {@link #moveFirst}, behind an element of this list. */
    public void moveAfter(Ref neighbour, ObjectList source, Ref element) {
        Objects.requireNonNull(source, "source");
        move(source, element, offset(neighbour), false);
    }

    private void remove(long element, boolean free) {
        try {
            ListOperations.remove(list, element, free);
        } catch (InternalError error) {
            throw memory.lost(error);
        }
    }

    private Ref removeEnd(boolean last) {
        try {
            return ref(ListOperations.removeEnd(list, last));
        } catch (InternalError error) {
            throw memory.lost(error);
        }
    }

    private void move(ObjectList source, Ref element, long neighbour, boolean before) {
        try {
            ListOperations.move(source.list, list, offset(element), neighbour, before);
        } catch (InternalError error) {
            throw memory.lost(error);
        }
    }

    // ---- read ----

    /** Whether it has no element. */
    public boolean isEmpty() {
        return end(false) == 0;
    }

    /** The first element; {@link Ref#NULL} when the list is empty. */
    public Ref first() {
        return ref(end(false));
    }

    /** The last element; {@link Ref#NULL} when the list is empty. */
    public Ref last() {
        return ref(end(true));
    }

    /** The element behind another; {@link Ref#NULL} behind the last. */
    public Ref next(Ref element) {
        return neighbour(element, false);
    }

    /** The element before another; {@link Ref#NULL} before the first. */
    public Ref previous(Ref element) {
        return neighbour(element, true);
    }

    /**
     * The elements from first to last, as they are at the moment this is called; each iterator
     * keeps 8 bytes for each. What it comes to may have been removed meanwhile. {@link
     * Iterator#remove} removes, and does not free.
     */
    @Override
    public Iterator<Ref> iterator() {
        return new Elements(elements(false));
    }

    /** The elements from last to first; each of its iterators as {@link #iterator}'s. */
    public Iterable<Ref> reversed() {
        return () -> new Elements(elements(true));
    }

    private long end(boolean last) {
        try {
            return list.end(last);
        } catch (InternalError error) {
            throw memory.lost(error);
        }
    }

    private Ref neighbour(Ref element, boolean previous) {
        try {
            return ref(list.neighbour(offset(element), previous));
        } catch (InternalError error) {
            throw memory.lost(error);
        }
    }

    private long[] elements(boolean backwards) {
        try {
            return list.elements(backwards);
        } catch (InternalError error) {
            throw memory.lost(error);
        }
    }

    private Ref ref(long offset) {
        return offset == 0 ? Ref.NULL : new Ref(poolId, offset);
    }

    private long offset(Ref object) {
        return PoolReferences.offset(object, poolId);
    }

    private final class Elements implements Iterator<Ref> {
        private final long[] elements;
        private int at;
        private boolean removable;

        Elements(long[] elements) {
            this.elements = elements;
        }

        @Override
        public boolean hasNext() {
            return at < elements.length;
        }

        @Override
        public Ref next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            removable = true;
            return ref(elements[at++]);
        }

        @Override
        public void remove() {
            if (!removable) {
                throw new IllegalStateException("next() was not called, or remove() twice");
            }
            removable = false;
            ObjectList.this.remove(elements[at - 1], false);
        }
    }
}
