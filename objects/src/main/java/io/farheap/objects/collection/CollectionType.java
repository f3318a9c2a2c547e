package io.farheap.objects.collection;

import io.farheap.base.FarheapException;
import io.farheap.objects.schema.PersistentBlob;
import io.farheap.objects.schema.PersistentCounter;
import io.farheap.objects.schema.PersistentDeque;
import io.farheap.objects.schema.PersistentList;
import io.farheap.objects.schema.PersistentMap;
import io.farheap.objects.schema.PersistentSet;
import io.farheap.objects.schema.PersistentSortedMap;
import io.farheap.objects.schema.PersistentSortedSet;
import io.farheap.objects.transaction.HeapTransaction;
import io.farheap.objects.transaction.HeapTransactions;
import io.farheap.objects.value.ValueType;
import java.util.Comparator;

/**
 * A type of collection with the types of what is in it: makes, opens, walks and deletes collections
 * of that type, each known by the image offset of its header object. Thread-safe.
 *
 * @param <C> what programs see of it
 */
public final class CollectionType<C> {
    private interface Opening<C> {
        C open(HeapTransactions heap, long header);
    }

    private final CollectionStructure structure;
    private final Opening<C> opening;

    private CollectionType(CollectionStructure structure, Opening<C> opening) {
        this.structure = structure;
        this.opening = opening;
    }

    public static <K, V> CollectionType<PersistentMap<K, V>> map(
            ValueType<K> keyType, ValueType<V> valueType) {
        HashTable<K, V> table = new HashTable<>(keyType, valueType);
        return new CollectionType<>(table, (heap, header) -> new HashedMap<>(heap, table, header));
    }

    public static <E> CollectionType<PersistentSet<E>> set(ValueType<E> elementType) {
        HashTable<E, Boolean> table = new HashTable<>(elementType, null);
        return new CollectionType<>(table, (heap, header) -> new HashedSet<>(heap, table, header));
    }

    /** The order is the keys' own where the comparator is null; else its class has a name. */
    public static <K, V> CollectionType<PersistentSortedMap<K, V>> sortedMap(
            ValueType<K> keyType, ValueType<V> valueType, Comparator<? super K> comparator) {
        return sortedMap(keyType, valueType, comparator, SortedTree.NODE_BYTES);
    }

    /** With nodes of another size: what lies in the pool is not for others to open. */
    static <K, V> CollectionType<PersistentSortedMap<K, V>> sortedMap(
            ValueType<K> keyType,
            ValueType<V> valueType,
            Comparator<? super K> comparator,
            long nodeBytes) {
        SortedTree<K, V> tree = new SortedTree<>(keyType, valueType, comparator, nodeBytes);
        return new CollectionType<>(
                tree, (heap, header) -> new SortedTreeMap<>(heap, tree, header));
    }

    /** As {@link #sortedMap}. */
    public static <E> CollectionType<PersistentSortedSet<E>> sortedSet(
            ValueType<E> elementType, Comparator<? super E> comparator) {
        return sortedSet(elementType, comparator, SortedTree.NODE_BYTES);
    }

    /** With nodes of another size: what lies in the pool is not for others to open. */
    static <E> CollectionType<PersistentSortedSet<E>> sortedSet(
            ValueType<E> elementType, Comparator<? super E> comparator, long nodeBytes) {
        SortedTree<E, Boolean> tree = new SortedTree<>(elementType, null, comparator, nodeBytes);
        return new CollectionType<>(
                tree, (heap, header) -> new TreeSetView<>(new SortedTreeMap<>(heap, tree, header)));
    }

    public static <E> CollectionType<PersistentList<E>> list(ValueType<E> elementType) {
        return list(elementType, ListTree.NODE_BYTES);
    }

    /** With nodes of another size: what lies in the pool is not for others to open. */
    static <E> CollectionType<PersistentList<E>> list(ValueType<E> elementType, long nodeBytes) {
        ListTree<E> tree = new ListTree<>(elementType, nodeBytes);
        return new CollectionType<>(tree, (heap, header) -> new TreeList<>(heap, tree, header));
    }

    public static <E> CollectionType<PersistentDeque<E>> deque(ValueType<E> elementType) {
        return deque(elementType, DequeChunks.NODE_BYTES);
    }

    /** With nodes of another size: what lies in the pool is not for others to open. */
    static <E> CollectionType<PersistentDeque<E>> deque(ValueType<E> elementType, long nodeBytes) {
        DequeChunks<E> chunks = new DequeChunks<>(elementType, nodeBytes);
        return new CollectionType<>(
                chunks, (heap, header) -> new ChunkedDeque<>(heap, chunks, header));
    }

    public static CollectionType<PersistentCounter> counter() {
        return new CollectionType<>(new CellCounter.Layout(), CellCounter::new);
    }

    public static CollectionType<PersistentBlob> blob() {
        BlobExtents extents = new BlobExtents();
        return new CollectionType<>(
                extents, (heap, header) -> new ExtentsBlob(heap, extents, header));
    }

    /** What libpmemobj's type numbers of collections' parts stand for; null for another number. */
    public static String nameOf(long typeNumber) {
        if (typeNumber == CountCells.TYPE) {
            return "counts";
        } else if (typeNumber == HashLayout.HEADER_TYPE) {
            return "maps and sets";
        } else if (typeNumber == HashLayout.BUCKETS_TYPE) {
            return "maps and sets: buckets";
        } else if (typeNumber == HashLayout.ENTRY_TYPE) {
            return "maps and sets: entries";
        } else if (typeNumber == TreeHeader.TYPE) {
            return "sorted maps and sets, lists";
        } else if (typeNumber == SortedTree.LEAF_TYPE || typeNumber == SortedTree.INNER_TYPE) {
            return "sorted maps and sets: nodes";
        } else if (typeNumber == OrderName.TYPE) {
            return "sorted maps and sets: orders";
        } else if (typeNumber == ListTree.CHUNK_TYPE || typeNumber == ListTree.INNER_TYPE) {
            return "lists: nodes";
        } else if (typeNumber == DequeChunks.HEADER_TYPE) {
            return "deques";
        } else if (typeNumber == DequeChunks.CHUNK_TYPE) {
            return "deques: nodes";
        } else if (typeNumber == CellCounter.Layout.TYPE) {
            return "counters";
        } else if (typeNumber == BlobExtents.HEADER_TYPE) {
            return "blobs";
        }
        return typeNumber == BlobExtents.EXTENT_TYPE ? "blobs: extents" : null;
    }

    /** Whether the parts with that type number are shared: see {@link HeapTransaction}. */
    public static boolean isShared(long typeNumber) {
        return typeNumber == CountCells.TYPE
                || typeNumber == HashLayout.HEADER_TYPE
                || typeNumber == HashLayout.BUCKETS_TYPE
                || typeNumber == DequeChunks.HEADER_TYPE;
    }

    /** Allocates an empty one; returns its header. */
    public long create(HeapTransaction tx) {
        return structure.create(tx);
    }

    /**
     * The collection with that header. What is returned has no state of its own: there may be any
     * number for one header.
     */
    public C open(HeapTransactions heap, long header) {
        return opening.open(heap, header);
    }

    /**
     * Frees all that the collection owns, not what its elements refer to. Its header stays, as an
     * object's place does: whoever still has it is told so, until a reclaim.
     */
    public void delete(HeapTransaction tx, long header) {
        structure.delete(tx, header);
    }

    /**
     * Allocates an empty one that is sorted by a comparator of that class, which nobody needs as
     * long as entries come in their order.
     *
     * @throws FarheapException WRONG_USE where this type is not sorted
     */
    public long create(HeapTransaction tx, String comparatorClass) {
        return structure.create(tx, comparatorClass);
    }

    /**
     * Shows what is in the collection.
     *
     * @param most entries that the pool has room for
     * @throws FarheapException BAD_DATA for one that is damaged
     */
    public void content(HeapTransaction tx, long header, long most, ContentVisitor visitor) {
        structure.content(tx, header, most, visitor);
    }

    /**
     * Adds what {@link #content} showed, in the same order.
     *
     * @return whether it was not there
     */
    public boolean append(HeapTransaction tx, long header, Object key, Object value) {
        return structure.append(tx, header, key, value);
    }

    /** Shows all that the collection owns. */
    public void walk(HeapTransaction tx, long header, CollectionVisitor visitor) {
        structure.walk(tx, header, visitor);
    }
}
