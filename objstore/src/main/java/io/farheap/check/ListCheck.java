package io.farheap.check;

import io.farheap.base.Structure;
import io.farheap.heap.HeapWalk.HeapObject;
import io.farheap.heap.ObjectFinder;
import io.farheap.list.ListLayout;
import io.farheap.memory.PoolMemory;

/**
 * Follows one list (docs/format.md#structures-in-objects): every element is an allocated object
 * with room for its entry, every reference is of this pool, and each element's successor knows it
 * as its predecessor, all the way round.
 *
 * <p>It ends at the first element that does not: what lies behind a wrong link means nothing. It
 * also ends, without another bound, because no two elements can be the predecessor that a third one
 * names.
 */
final class ListCheck {
    private final PoolMemory memory;
    private final ObjectFinder objects;
    private final long poolId;
    private final InconsistencyList findings;

    ListCheck(PoolMemory memory, ObjectFinder objects, long poolId, InconsistencyList findings) {
        this.memory = memory;
        this.objects = objects;
        this.poolId = poolId;
        this.findings = findings;
    }

    /**
     * Follows the list whose head lies in the object at {@code holder}.
     *
     * @param holder image offset, 0: there is no such object
     */
    void check(long holder, long headOffset, long entryOffset) {
        HeapObject object = holder == 0 ? null : objects.find(holder);
        if (object == null || !fits(object, headOffset, ListLayout.HEAD_BYTES)) {
            findings.at(
                    Structure.LIST,
                    holder,
                    object == null
                            ? "list: no allocated object holds its head"
                            : "list: its head at " + headOffset + " reaches past its object");
            return;
        }
        long head = holder + headOffset;
        long first = memory.getLong(head + ListLayout.TARGET);
        if (first != 0 && isElement(head, first, entryOffset)) {
            ring(first, entryOffset);
        }
    }

    private void ring(long first, long entryOffset) {
        long element = first;
        do {
            long link = element + entryOffset + ListLayout.NEXT;
            long next = memory.getLong(link + ListLayout.TARGET);
            if (!isElement(link, next, entryOffset)) {
                return;
            }
            long back = next + entryOffset + ListLayout.PREVIOUS;
            if (memory.getLong(back + ListLayout.TARGET) != element) {
                findings.at(
                        Structure.LIST,
                        back,
                        "list: the element at "
                                + next
                                + " has "
                                + Long.toUnsignedString(memory.getLong(back + ListLayout.TARGET))
                                + " before it, and is the next of "
                                + element);
                return;
            }
            ofThisPool(back);
            element = next;
        } while (element != first);
    }

    /** Whether the reference at {@code link} leads to an object that can be an element. */
    private boolean isElement(long link, long target, long entryOffset) {
        ofThisPool(link);
        HeapObject object = target == 0 ? null : objects.find(target);
        if (object == null || object.internal()) {
            findings.at(
                    Structure.LIST,
                    link,
                    "list: no allocated object starts at "
                            + Long.toUnsignedString(target)
                            + ", where a link leads");
            return false;
        }
        if (!fits(object, entryOffset, ListLayout.ENTRY_BYTES)) {
            findings.at(
                    Structure.LIST,
                    link,
                    "list: the element at " + target + " has no room for an entry");
            return false;
        }
        return true;
    }

    private void ofThisPool(long link) {
        if (memory.getLong(link) != poolId) {
            findings.at(
                    Structure.LIST,
                    link,
                    String.format(
                            "list: a link leads into pool %016x, this is pool %016x",
                            memory.getLong(link), poolId));
        }
    }

    private static boolean fits(HeapObject object, long offset, long bytes) {
        return offset >= 0
                && offset <= object.usableSize()
                && bytes <= object.usableSize() - offset;
    }
}
