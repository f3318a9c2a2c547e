package io.farheap.objects.collection;

import io.farheap.objects.transaction.HeapTransaction;
import io.farheap.objects.value.ValueType;

/**
 * A chain of chunks: what a deque does within a transaction or read. Without state.
 *
 * <pre>
 * header (shared); what is of one end is in no line with what is of the other
 *     0  what it is, 8 bytes "FHDEQU\0\1"; 0 once deleted
 *    64  first chunk, 0 before there was one      72  added less removed at this end
 *   136  last chunk                              144  added less removed at this end
 * chunk   a {@link NodeLayout node} of elements; it is empty only where it is the only one
 * </pre>
 */
final class DequeChunks<E> extends CollectionStructure {
    static final long WHAT = 0x0100_5551_4544_4846L;
    static final long HEADER_TYPE = 0x4648_0040;

    /** In messages. */
    private static final String WHAT_IT_IS = "deque";

    static final long CHUNK_TYPE = 0x4648_0041;
    static final long NODE_BYTES = 1024;

    private static final long FIRST = 64;
    private static final long LAST = 136;
    private static final long COUNT = 8;
    private static final long SIZE = 152;

    private final ValueType<E> elementType;
    private final NodeLayout chunks;

    DequeChunks(ValueType<E> elementType, long nodeBytes) {
        this.elementType = elementType;
        this.chunks =
                new NodeLayout(
                        CHUNK_TYPE, nodeBytes, elementType.size(), elementType.alignment(), 0, 1);
    }

    @Override
    long create(HeapTransaction tx) {
        long header = tx.allocate(SIZE, HEADER_TYPE);
        tx.setSharedLong(header, 0, WHAT);
        return header;
    }

    @Override
    void delete(HeapTransaction tx, long header) {
        clear(tx, header);
        tx.setSharedLong(header, 0, 0);
        tx.afterCommit(DequeWaiters.WAKE_ALL);
    }

    private static long end(boolean first) {
        return first ? FIRST : LAST;
    }

    private static long chunk(HeapTransaction tx, long header, boolean first) {
        if (tx.getSharedLong(header, 0) != WHAT) {
            throw CollectionCheck.notThere("deque", header, tx.getSharedLong(header, 0));
        }
        return tx.getSharedLong(header, end(first));
    }

    private static void count(HeapTransaction tx, long header, boolean first, long amount) {
        long at = end(first) + COUNT;
        tx.setSharedLong(header, at, tx.getSharedLong(header, at) + amount);
    }

    static long size(HeapTransaction tx, long header) {
        long size =
                chunk(tx, header, true) == 0
                        ? 0
                        : tx.getSharedLong(header, FIRST + COUNT)
                                + tx.getSharedLong(header, LAST + COUNT);
        return CollectionCheck.size(tx, WHAT_IT_IS, header, size);
    }

    // ---- ends ----

    void add(HeapTransaction tx, long header, boolean first, E element) {
        long chunk = chunk(tx, header, first);
        if (chunk == 0) {
            chunk = chunks.create(tx);
            tx.setSharedLong(header, FIRST, chunk);
            tx.setSharedLong(header, LAST, chunk);
        } else if (chunks.isFull(tx, chunk)) {
            chunk = addChunk(tx, header, first, chunk);
        }
        int index = first ? 0 : NodeLayout.count(tx, chunk);
        chunks.insert(tx, chunk, index);
        elementType.set(tx, chunk, chunks.first(tx, chunk, index), element);
        count(tx, header, first, 1);
    }

    private long addChunk(HeapTransaction tx, long header, boolean first, long end) {
        long added = chunks.create(tx);
        tx.setLong(end, first ? NodeLayout.BEFORE : NodeLayout.AFTER, added);
        tx.setLong(added, first ? NodeLayout.AFTER : NodeLayout.BEFORE, end);
        tx.setSharedLong(header, end(first), added);
        return added;
    }

    /** The element at an end; null where there is none. */
    E peek(HeapTransaction tx, long header, boolean first) {
        long chunk = chunk(tx, header, first);
        int count = chunk == 0 ? 0 : NodeLayout.count(tx, chunk);
        return count == 0 ? null : get(tx, chunk, first ? 0 : count - 1);
    }

    /** Removes the element at an end; null where there is none. */
    E poll(HeapTransaction tx, long header, boolean first) {
        long chunk = chunk(tx, header, first);
        int count = chunk == 0 ? 0 : NodeLayout.count(tx, chunk);
        if (count == 0) {
            return null;
        }
        int index = first ? 0 : count - 1;
        E element = taken(tx, chunk, index);
        remove(tx, header, chunk, index, first);
        return element;
    }

    private E get(HeapTransaction tx, long chunk, int index) {
        return CollectionCheck.present(
                elementType.get(tx, chunk, chunks.first(tx, chunk, index)),
                "element of a deque in the node",
                chunk);
    }

    /** The element of a slot that is about to lose it. */
    private E taken(HeapTransaction tx, long chunk, int index) {
        return CollectionCheck.present(
                elementType.taken(tx, chunk, chunks.first(tx, chunk, index)),
                "element of a deque in the node",
                chunk);
    }

    private void remove(
            HeapTransaction tx, long header, long chunk, int index, boolean countFirst) {
        elementType.release(tx, chunk, chunks.first(tx, chunk, index));
        chunks.remove(tx, chunk, index);
        count(tx, header, countFirst, -1);
        if (NodeLayout.count(tx, chunk) == 0) {
            removeEmpty(tx, header, chunk);
        }
    }

    private static void removeEmpty(HeapTransaction tx, long header, long chunk) {
        long before = tx.getLong(chunk, NodeLayout.BEFORE);
        long after = tx.getLong(chunk, NodeLayout.AFTER);
        if (before == 0 && after == 0) {
            return;
        }
        NodeLayout.unlink(tx, chunk);
        if (before == 0) {
            tx.setSharedLong(header, FIRST, after);
        }
        if (after == 0) {
            tx.setSharedLong(header, LAST, before);
        }
        tx.free(chunk);
    }

    // ---- all elements ----

    /** Finds the element at an index; none behind the last. */
    void find(HeapTransaction tx, long header, long index, TreePlace place) {
        long rest = index;
        long chunk = chunk(tx, header, true);
        CircleWatch watch = watch(header);
        while (chunk != 0 && rest >= NodeLayout.count(tx, chunk)) {
            watch.pass(chunk);
            rest -= NodeLayout.count(tx, chunk);
            chunk = tx.getLong(chunk, NodeLayout.AFTER);
        }
        place.set(chunk, (int) rest);
    }

    static CircleWatch watch(long header) {
        return new CircleWatch(WHAT_IT_IS, header);
    }

    /** To the next element; none behind the last. */
    void next(HeapTransaction tx, TreePlace place) {
        place.index++;
        if (place.index >= NodeLayout.count(tx, place.leaf)) {
            place.set(tx.getLong(place.leaf, NodeLayout.AFTER), 0);
        }
    }

    E get(HeapTransaction tx, TreePlace place) {
        return get(tx, place.leaf, place.index);
    }

    E taken(HeapTransaction tx, TreePlace place) {
        return taken(tx, place.leaf, place.index);
    }

    void remove(HeapTransaction tx, long header, TreePlace place) {
        remove(tx, header, place.leaf, place.index, true);
    }

    /** Removes an element; the place is the next one's then, none behind the last. */
    void removeAndGoOn(HeapTransaction tx, long header, TreePlace place) {
        boolean isLast = place.index == NodeLayout.count(tx, place.leaf) - 1;
        long after = tx.getLong(place.leaf, NodeLayout.AFTER);
        remove(tx, header, place);
        if (isLast) {
            place.set(after, 0);
        }
    }

    void clear(HeapTransaction tx, long header) {
        long chunk = chunk(tx, header, true);
        while (chunk != 0) {
            NodeLayout.requireOnce(tx, chunk);
            for (int i = NodeLayout.count(tx, chunk) - 1; i >= 0; i--) {
                elementType.release(tx, chunk, chunks.first(tx, chunk, i));
            }
            long after = tx.getLong(chunk, NodeLayout.AFTER);
            tx.free(chunk);
            chunk = after;
        }
        for (boolean first : new boolean[] {true, false}) {
            tx.setSharedLong(header, end(first), 0);
            tx.setSharedLong(header, end(first) + COUNT, 0);
        }
    }

    @Override
    void content(HeapTransaction tx, long header, long most, ContentVisitor visitor) {
        long chunk = chunk(tx, header, true);
        CollectionCheck check = new CollectionCheck("deque", header, size(tx, header), most);
        for (; chunk != 0; chunk = tx.getLong(chunk, NodeLayout.AFTER)) {
            int count = NodeLayout.count(tx, chunk);
            check.require(count > 0 || check.size() == 0, "a chunk of it is empty");
            for (int i = 0; i < count; i++) {
                check.count();
                visitor.entry(get(tx, chunk, i), null);
            }
            if (check.size() == 0) {
                break;
            }
        }
        check.end();
    }

    @Override
    @SuppressWarnings("unchecked") // CollectionType's caller knows the type
    boolean append(HeapTransaction tx, long header, Object key, Object value) {
        add(tx, header, false, (E) key);
        return true;
    }

    @Override
    void walk(HeapTransaction tx, long header, CollectionVisitor visitor) {
        long chunk = chunk(tx, header, true);
        visitor.object(header);
        CircleWatch watch = watch(header);
        for (; chunk != 0; chunk = tx.getLong(chunk, NodeLayout.AFTER)) {
            watch.pass(chunk);
            visitor.object(chunk);
            for (int i = NodeLayout.count(tx, chunk) - 1; i >= 0; i--) {
                visitor.slot(elementType, chunk, chunks.first(tx, chunk, i));
            }
        }
    }
}
