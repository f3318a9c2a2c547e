package io.farheap.list;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.engine.LaneTransaction;
import io.farheap.engine.PoolEngine;
import io.farheap.lock.LockKind;
import io.farheap.lock.LockTable;
import io.farheap.memory.PoolMemory;
import java.util.Arrays;

/**
 * One list: where its head is, where its elements have their entries, and what its links say.
 * Elements are image offsets. Who reads links holds the head's mutex; a link that can't be right is
 * BAD_DATA.
 */
public final class ListHead {
    private final PoolEngine engine;
    private final PoolMemory memory;
    private final LockTable locks;
    private final long poolId;
    private final long object;
    private final long head;
    private final long entry;
    private final LinkChange change = new LinkChange();

    /**
     * A list whose head lies in an object and is zero or a list's head already.
     *
     * @param headOffset offset of the head in {@code object}, a multiple of 8
     * @param entryOffset offset of the entry in each element, a multiple of 8
     * @throws FarheapException WRONG_USE
     */
    public ListHead(
            PoolEngine engine, long poolId, long object, long headOffset, long entryOffset) {
        engine.checkReadable(object, headOffset, ListLayout.HEAD_BYTES);
        if (((object + headOffset | entryOffset) & (Long.BYTES - 1)) != 0 || entryOffset < 0) {
            throw wrong(
                    "A list needs its head and its entries at offsets that are multiples of 8, not "
                            + headOffset
                            + " and "
                            + entryOffset
                            + ".");
        }
        this.engine = engine;
        this.memory = engine.image();
        this.locks = engine.runState().locks();
        this.poolId = poolId;
        this.object = object;
        this.head = object + headOffset;
        this.entry = entryOffset;
    }

    PoolEngine engine() {
        return engine;
    }

    long poolId() {
        return poolId;
    }

    long head() {
        return head;
    }

    /** Where an element has its entry. */
    long entry(long element) {
        return element + entry;
    }

    boolean isSameAs(ListHead other) {
        return head == other.head;
    }

    boolean hasEntriesOf(ListHead other) {
        return entry == other.entry;
    }

    /** Whether an element of both would have entries that overlap and are not the same. */
    boolean hasEntriesAcross(ListHead other) {
        return entry != other.entry
                && overlap(entry, ListLayout.ENTRY_BYTES, other.entry, ListLayout.ENTRY_BYTES);
    }

    /** A change of this list, under its mutex. */
    LinkChange change(LaneTransaction operation) {
        return change.begin(operation);
    }

    // ---- the head's mutex ----

    void lock() {
        locks.lock(object, head + ListLayout.MUTEX, LockKind.MUTEX, false);
    }

    void unlock() {
        locks.unlock(head + ListLayout.MUTEX, LockKind.MUTEX, false);
    }

    /** Takes the mutex to read, unless this thread has it; says whether to give it back. */
    private boolean lockToRead() {
        if (locks.isHeld(head + ListLayout.MUTEX, LockKind.MUTEX, false)) {
            engine.ensureUsable();
            return false;
        }
        lock();
        return true;
    }

    // ---- links, under the mutex ----

    /** The first element, 0 when there is none. */
    long first() {
        return link(head, "the head");
    }

    /** The one behind an element of this list; the first behind the last. */
    long next(long element) {
        return neighbourAt(entry(element) + ListLayout.NEXT, "the next");
    }

    /** The one before an element of this list; the last before the first. */
    long previous(long element) {
        return neighbourAt(entry(element) + ListLayout.PREVIOUS, "the previous");
    }

    /** Where a link of an element leads: never nowhere, since a list is a ring. */
    private long neighbourAt(long field, String name) {
        long target = link(field, name);
        if (target == 0) {
            throw FarheapException.badData(
                    "The list with its head at 0x%s is damaged: %s link, at 0x%s, leads nowhere;"
                            + " perhaps its element was freed, or taken out through the head of"
                            + " another list.",
                    Long.toHexString(head), name, Long.toHexString(field));
        }
        return target;
    }

    private long link(long field, String name) {
        long target = memory.getLongAcquire(field + ListLayout.TARGET);
        if (target == 0) {
            return 0;
        }
        if (memory.getLong(field + ListLayout.POOL_ID) != poolId || !isPossible(target)) {
            throw FarheapException.badData(
                    "The list with its head at 0x%s is damaged: %s link, at 0x%s, leads to"
                            + " 0x%s, where no element is.",
                    Long.toHexString(head),
                    name,
                    Long.toHexString(field),
                    Long.toHexString(target));
        }
        return target;
    }

    private boolean isPossible(long element) {
        return engine.heap().isAllocated(element)
                && !engine.heap().isInternal(element)
                && entry <= engine.heap().usableSize(element) - ListLayout.ENTRY_BYTES;
    }

    /** Refuses what can't be an element because it is no object or too small. */
    void checkElement(long element) {
        engine.checkReadable(element, entry, ListLayout.ENTRY_BYTES);
        if (engine.heap().isInternal(element)) {
            throw wrong(
                    "The object at 0x"
                            + Long.toHexString(element)
                            + " is the root or the pool's own; it can't be an element.");
        }
        if (element == object
                && overlap(head, ListLayout.HEAD_BYTES, entry(object), ListLayout.ENTRY_BYTES)) {
            throw wrong(
                    "The object at 0x"
                            + Long.toHexString(element)
                            + " holds the list's head, at 0x"
                            + Long.toHexString(head)
                            + ", where its entry would be; it can't be an element.");
        }
    }

    /** Refuses what may never exist: links to it would outlive its cancelling. */
    private void checkCommitted(long element) {
        if (!engine.heap().isPublished(element)) {
            throw wrong(
                    "The object at 0x"
                            + Long.toHexString(element)
                            + " is not committed yet; put it into a list once it is, or let the"
                            + " list allocate it.");
        }
    }

    private static boolean overlap(long first, long firstBytes, long second, long secondBytes) {
        return first < second + secondBytes && second < first + firstBytes;
    }

    /**
     * Refuses an element that is in no list, as far as its neighbours tell. That it is in another
     * list with entries in the same place can't be told from one that is in this.
     */
    void requireLinked(long element) {
        checkElement(element);
        checkCommitted(element);
        if (target(head) == 0 || !isLinked(element)) {
            throw notHere(element);
        }
    }

    /**
     * Refuses the first element of another list with entries in the same place. Taken out through
     * this head it would leave the other head leading to what is no element any more. Any other
     * element can be taken out through any head, since only its neighbours lead to it, as long as
     * no other thread changes its list meanwhile: that one's mutex is not taken.
     */
    void requireNotFirstOf(ListHead other, long element) {
        if (element != 0 && hasEntriesOf(other) && other.first() == element) {
            throw notHere(element);
        }
    }

    private FarheapException notHere(long element) {
        return wrong(
                "The object at 0x"
                        + Long.toHexString(element)
                        + " is not in the list with its head at 0x"
                        + Long.toHexString(head)
                        + ".");
    }

    void requireUnlinked(long element) {
        checkElement(element);
        checkCommitted(element);
        if (isLinked(element)) {
            throw wrong(
                    "The object at 0x"
                            + Long.toHexString(element)
                            + " is in a list already; remove it there first, or move it.");
        }
    }

    /** Refuses to change a list whose head leads to what its neighbours do not know. */
    void requireIntactFirst() {
        long first = first();
        if (first != 0 && !isLinked(first)) {
            throw broken(first);
        }
    }

    /**
     * Whether its neighbours know it. What was never in a list may hold anything; what moved to a
     * list with entries elsewhere still has its old links, and out of a list of one they lead to
     * itself.
     */
    private boolean isLinked(long element) {
        long next = target(entry(element) + ListLayout.NEXT);
        long previous = target(entry(element) + ListLayout.PREVIOUS);
        if (next == element || previous == element) {
            return next == previous && target(head) == element;
        }
        return isPossible(next)
                && isPossible(previous)
                && target(entry(next) + ListLayout.PREVIOUS) == element
                && target(entry(previous) + ListLayout.NEXT) == element;
    }

    private long target(long field) {
        long target = memory.getLongAcquire(field + ListLayout.TARGET);
        return memory.getLong(field + ListLayout.POOL_ID) == poolId ? target : 0;
    }

    // ---- reading ----

    /** The first or last element; 0 when the list is empty. */
    public long end(boolean last) {
        boolean locked = lockToRead();
        try {
            long first = first();
            return first == 0 || !last ? first : previous(first);
        } finally {
            unlockIf(locked);
        }
    }

    /** The element after or before another one; 0 at the list's end. */
    public long neighbour(long element, boolean previous) {
        boolean locked = lockToRead();
        try {
            requireLinked(element);
            long first = first();
            if (previous) {
                return element == first ? 0 : previous(element);
            }
            long next = next(element);
            return next == first ? 0 : next;
        } finally {
            unlockIf(locked);
        }
    }

    /** All elements as they are at one moment, from the first or from the last on. */
    public long[] elements(boolean backwards) {
        boolean locked = lockToRead();
        try {
            long[] found = new long[16];
            int count = 0;
            long first = first();
            long element = first == 0 || !backwards ? first : previous(first);
            long start = element;
            while (element != 0) {
                // Neighbours that know each other can only lead back to the start.
                if (!isLinked(element)) {
                    throw broken(element);
                }
                if (count == found.length) {
                    found = Arrays.copyOf(found, 2 * count);
                }
                found[count++] = element;
                long following = backwards ? previous(element) : next(element);
                element = following == start ? 0 : following;
            }
            return Arrays.copyOf(found, count);
        } finally {
            unlockIf(locked);
        }
    }

    private void unlockIf(boolean locked) {
        if (locked) {
            unlock();
        }
    }

    private FarheapException broken(long element) {
        return FarheapException.badData(
                "The list with its head at 0x%s is damaged: the element at 0x%s and"
                        + " its neighbours disagree.",
                Long.toHexString(head), Long.toHexString(element));
    }

    static FarheapException wrong(String message) {
        return new FarheapException(Category.WRONG_USE, message);
    }
}
