package io.farheap.objects.collection;

import io.farheap.base.FarheapException;
import io.farheap.objects.transaction.HeapTransaction;

/**
 * A node of up to 64 entries, of a sorted map, a list or a deque: an entry lies where there was
 * place when it came and stays there; an array of slots, a byte each, has the order. So an
 * insertion writes its entry and up to 10 words, wherever it is.
 *
 * <pre>
 *    0  link before: the node before / of an inner node its first child
 *    8  link after: the node after
 *   16  used: bit p is set where place p has an entry
 *   24  slots: the place of each entry in their order, a byte each; of those behind the last,
 *       anything. As many bytes as places, rounded up to 8
 *   ..  places: of each, one after the other, two parts (key and value, child and count, …)
 * </pre>
 *
 * <p>Nodes conflict as a whole.
 */
final class NodeLayout {
    static final long BEFORE = 0;
    static final long AFTER = 8;

    private static final long USED = 16;
    private static final long SLOTS = 24;
    static final int MOST = 64;
    private static final int LEAST = 4;

    private final long typeNumber;
    private final int capacity;
    private final long places;
    private final long stride;
    private final long second;

    /**
     * @param bytes that a node is to have at most, where that is room for 4 entries
     * @param firstSize bytes of the first part of an entry, aligned to {@code firstAlignment}
     */
    NodeLayout(
            long typeNumber,
            long bytes,
            int firstSize,
            int firstAlignment,
            int secondSize,
            int secondAlignment) {
        this.typeNumber = typeNumber;
        this.second = aligned(firstSize, secondAlignment);
        this.stride =
                aligned(
                        Math.max(1, second + secondSize),
                        Math.max(firstAlignment, secondAlignment));
        this.capacity = Math.clamp((bytes - SLOTS - Long.BYTES) / (stride + 1), LEAST, MOST);
        this.places = aligned(SLOTS + capacity, Long.BYTES);
    }

    private static long aligned(long offset, int alignment) {
        return (offset + alignment - 1) & -alignment;
    }

    int capacity() {
        return capacity;
    }

    long create(HeapTransaction tx) {
        return tx.allocate(places + capacity * stride, typeNumber);
    }

    static int count(HeapTransaction tx, long node) {
        return Long.bitCount(tx.getLong(node, USED));
    }

    boolean isFull(HeapTransaction tx, long node) {
        return count(tx, node) == capacity;
    }

    /** Where the first part of the entry at an index of the order is. */
    long first(HeapTransaction tx, long node, int index) {
        return firstAt(tx.getByte(node, SLOTS + index));
    }

    /** Where the second part is. */
    long second(HeapTransaction tx, long node, int index) {
        return first(tx, node, index) + second;
    }

    /** The places of all entries in their order; returns how many there are. */
    int order(HeapTransaction tx, long node, byte[] order) {
        int count = count(tx, node);
        for (int index = 0; index < count; index += Long.BYTES) {
            long slots = tx.getLong(node, SLOTS + index);
            for (int i = index; i < Math.min(count, index + Long.BYTES); i++) {
                order[i] = (byte) slots;
                slots >>>= Byte.SIZE;
            }
        }
        return count;
    }

    /** Where the first part of the entry at a place is. */
    long firstAt(int place) {
        return places + place * stride;
    }

    /** Where the second part of the entry at a place is. */
    long secondAt(int place) {
        return firstAt(place) + second;
    }

    /** Inserts an entry, all its bytes 0, before that at an index; there is room. */
    void insert(HeapTransaction tx, long node, int index) {
        long used = tx.getLong(node, USED);
        int place = Long.numberOfTrailingZeros(~used);
        int count = Long.bitCount(used);
        if (place >= capacity || count >= capacity) {
            throw damaged(node, "it has more entries than room");
        }
        tx.setLong(node, USED, used | 1L << place);
        openSlot(tx, node, index, count, place);
        clear(tx, node, firstAt(place));
    }

    private void clear(HeapTransaction tx, long node, long from) {
        long at = from;
        for (; at + Long.BYTES <= from + stride; at += Long.BYTES) {
            if (tx.getLong(node, at) != 0) {
                tx.setLong(node, at, 0);
            }
        }
        for (; at < from + stride; at++) {
            tx.setByte(node, at, (byte) 0);
        }
    }

    /** Shifts the slots from an index on by one, and sets the one at it. */
    private static void openSlot(HeapTransaction tx, long node, int index, int count, int place) {
        long at = wordOf(index);
        long word = tx.getLong(node, at);
        int shift = shiftOf(index);
        long kept = word & (1L << shift) - 1;
        tx.setLong(node, at, kept | (long) place << shift | word - kept << Byte.SIZE);
        long carried = word >>> Long.SIZE - Byte.SIZE;
        for (at += Long.BYTES; at <= wordOf(count); at += Long.BYTES) {
            word = tx.getLong(node, at);
            tx.setLong(node, at, word << Byte.SIZE | carried);
            carried = word >>> Long.SIZE - Byte.SIZE;
        }
    }

    /** Removes the entry at an index; what it owned is another's by now. */
    void remove(HeapTransaction tx, long node, int index) {
        long used = tx.getLong(node, USED);
        long last = wordOf(Long.bitCount(used) - 1);
        long bit = 1L << tx.getByte(node, SLOTS + index);
        if ((used & bit) == 0) {
            throw damaged(node, "a slot of it has no entry");
        }
        tx.setLong(node, USED, used & ~bit);
        int shift = shiftOf(index);
        long at = wordOf(index);
        long word = tx.getLong(node, at);
        long kept = word & (1L << shift) - 1;
        long rest = word >>> shift >>> Byte.SIZE << shift;
        for (; at < last; at += Long.BYTES) {
            long next = tx.getLong(node, at + Long.BYTES);
            tx.setLong(node, at, kept | rest | next << Long.SIZE - Byte.SIZE);
            kept = 0;
            rest = next >>> Byte.SIZE;
        }
        tx.setLong(node, at, kept | rest);
    }

    private static long wordOf(int index) {
        return SLOTS + (index & -Long.BYTES);
    }

    private static int shiftOf(int index) {
        return (index & Long.BYTES - 1) * Byte.SIZE;
    }

    /** Moves the entries from an index on to the end of another node, with what they own. */
    void moveTail(HeapTransaction tx, long node, int index, long target) {
        int count = count(tx, node);
        int at = count(tx, target);
        for (int moved = index; moved < count; moved++) {
            insert(tx, target, at);
            copy(tx, node, first(tx, node, moved), target, first(tx, target, at), stride);
            at++;
        }
        for (int moved = count - 1; moved >= index; moved--) {
            remove(tx, node, moved);
        }
    }

    /** Copies the first {@code length} bytes of an entry: what they own goes with them. */
    static void copy(HeapTransaction tx, long from, long fromAt, long to, long toAt, long length) {
        long done = 0;
        for (; done + Long.BYTES <= length; done += Long.BYTES) {
            tx.setLong(to, toAt + done, tx.getLong(from, fromAt + done));
        }
        for (; done < length; done++) {
            tx.setByte(to, toAt + done, tx.getByte(from, fromAt + done));
        }
    }

    /** Puts a node, fresh, behind another one in their chain; the one behind it is returned. */
    static long linkAfter(HeapTransaction tx, long node, long added) {
        long after = tx.getLong(node, AFTER);
        tx.setLong(added, BEFORE, node);
        tx.setLong(added, AFTER, after);
        tx.setLong(node, AFTER, added);
        if (after != 0) {
            tx.setLong(after, BEFORE, added);
        }
        return after;
    }

    /** A child of a node; an inner node has no place without one. */
    static long child(HeapTransaction tx, long node, long offset) {
        long child = tx.getLong(node, offset);
        if (child == 0) {
            throw damaged(node, "a child of it is missing");
        }
        return child;
    }

    /** Refuses a node that this transaction freed: two others name it. */
    static void requireOnce(HeapTransaction tx, long node) {
        if (tx.isFreed(node)) {
            throw damaged(node, "two other nodes name it");
        }
    }

    static FarheapException damaged(long node, String otherwise) {
        return CollectionCheck.damaged("node of a collection", node, otherwise);
    }

    /** Takes a node out of its chain. */
    static void unlink(HeapTransaction tx, long node) {
        long before = tx.getLong(node, BEFORE);
        long after = tx.getLong(node, AFTER);
        if (before != 0) {
            tx.setLong(before, AFTER, after);
        }
        if (after != 0) {
            tx.setLong(after, BEFORE, before);
        }
    }
}
