package io.farheap.objects.transaction;

import static io.farheap.objects.value.LongType.LONG;

import io.farheap.objects.collection.CollectionType;
import io.farheap.objects.collection.CollectionVisitor;
import io.farheap.objects.schema.PersistentDeque;
import io.farheap.objects.schema.PersistentList;
import io.farheap.objects.schema.PersistentMap;
import io.farheap.objects.schema.PersistentSet;
import io.farheap.objects.schema.PersistentSortedMap;
import io.farheap.objects.schema.PersistentSortedSet;
import io.farheap.objects.value.ValueType;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongUnaryOperator;

/**
 * Cells in collections of every kind, found from the pool's root object: values of maps' keys,
 * elements of sets and of a deque that begin with the cell's number, elements at an index. Where a
 * number moves, entries that are no cell come and go with it: the structures grow and shrink.
 */
final class CollectionCells implements RecordedCells {
    /** The pool's root object: the header of the collection of each kind; 0 at first. */
    static final long ROOT_BYTES = 64;

    private static final CollectionType<PersistentMap<Long, Long>> MAPS =
            CollectionType.map(LONG, LONG);
    private static final CollectionType<PersistentSortedMap<Long, Long>> SORTED_MAPS =
            CollectionType.sortedMap(LONG, LONG, null);
    private static final CollectionType<PersistentSet<Long>> SETS = CollectionType.set(LONG);
    private static final CollectionType<PersistentSortedSet<Long>> SORTED_SETS =
            CollectionType.sortedSet(LONG, null);
    private static final CollectionType<PersistentList<Long>> LISTS = CollectionType.list(LONG);
    private static final CollectionType<PersistentDeque<Long>> DEQUES = CollectionType.deque(LONG);
    private static final List<CollectionType<?>> TYPES =
            List.of(MAPS, SORTED_MAPS, SETS, SORTED_SETS, LISTS, DEQUES);

    private final HeapTransactions heap;
    private final List<CellPart> parts;

    CollectionCells(HeapTransactions heap) {
        this.heap = heap;
        heap.transaction(CollectionCells::create);
        this.parts =
                List.of(
                        new CellPart.InMap(open(MAPS)),
                        new CellPart.InMap(open(SORTED_MAPS)),
                        CellPart.InElements.of(open(SETS)),
                        CellPart.InElements.sorted(open(SORTED_SETS)),
                        CellPart.InElements.of(open(DEQUES)),
                        new CellPart.InList(open(LISTS)));
    }

    private static Void create(HeapTransaction tx) {
        for (int i = 0; i < TYPES.size(); i++) {
            if (tx.getLong(tx.root(), i * 8L) == 0) {
                tx.setLong(tx.root(), i * 8L, TYPES.get(i).create(tx));
            }
        }
        return null;
    }

    private <C> C open(CollectionType<C> type) {
        long offset = TYPES.indexOf(type) * 8L;
        return type.open(heap, heap.read(tx -> tx.getLong(tx.root(), offset)));
    }

    /** All objects of the pool that belong to a collection. */
    Set<Long> owned() {
        Set<Long> owned = new HashSet<>();
        CollectionVisitor visitor =
                new CollectionVisitor() {
                    @Override
                    public void object(long offset) {
                        owned.add(offset);
                    }

                    @Override
                    public void slot(ValueType<?> type, long object, long offset) {}
                };
        heap.read(
                tx -> {
                    for (int i = 0; i < TYPES.size(); i++) {
                        TYPES.get(i).walk(tx, tx.getLong(tx.root(), i * 8L), visitor);
                    }
                    return null;
                });
        return owned;
    }

    @Override
    public int count() {
        return parts.size() * CellPart.CELLS;
    }

    @Override
    public long get(int cell) {
        return parts.get(cell / CellPart.CELLS).get(cell % CellPart.CELLS);
    }

    @Override
    public void set(int cell, long value, boolean moved) {
        parts.get(cell / CellPart.CELLS).set(cell % CellPart.CELLS, value, moved);
    }

    @Override
    public boolean isReadByOneCall(int cell) {
        return parts.get(cell / CellPart.CELLS).isReadByOneCall();
    }

    @Override
    public boolean setAlone(int cell, LongUnaryOperator next) {
        return parts.get(cell / CellPart.CELLS).setAlone(cell % CellPart.CELLS, next);
    }
}
