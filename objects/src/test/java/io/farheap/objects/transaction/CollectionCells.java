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
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableSet;
import java.util.Set;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiFunction;
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

    private static final int CELLS_OF_EACH = 5;

    /** Numbers from here on are no cells. */
    private static final long OTHERS = 1000;

    private static final int MOST_OTHERS = 300;
    private static final int VALUE_BITS = 48;

    private final HeapTransactions heap;
    private final List<Part> parts;

    CollectionCells(HeapTransactions heap) {
        this.heap = heap;
        heap.transaction(CollectionCells::create);
        NavigableSet<Long> sortedSet = open(SORTED_SETS);
        this.parts =
                List.of(
                        new InMap(open(MAPS)),
                        new InMap(open(SORTED_MAPS)),
                        new InElements(open(SETS), CollectionCells::firstFrom),
                        new InElements(sortedSet, (all, first) -> sortedSet.ceiling(first)),
                        new InElements(open(DEQUES), CollectionCells::firstFrom),
                        new InList(open(LISTS)));
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
        return parts.size() * CELLS_OF_EACH;
    }

    @Override
    public long get(HeapTransaction tx, int cell) {
        return parts.get(cell / CELLS_OF_EACH).get(cell % CELLS_OF_EACH);
    }

    @Override
    public void set(HeapTransaction tx, int cell, long value, boolean moved) {
        parts.get(cell / CELLS_OF_EACH).set(cell % CELLS_OF_EACH, value, moved);
    }

    @Override
    public boolean setAlone(int cell, LongUnaryOperator next) {
        if (!(parts.get(cell / CELLS_OF_EACH) instanceof InMap part)) {
            return false;
        }
        part.map.compute(
                (long) cell % CELLS_OF_EACH,
                (same, old) -> next.applyAsLong(old == null ? 0 : old));
        return true;
    }

    private static Long firstFrom(Collection<Long> elements, long first) {
        for (Long element : elements) {
            if (element >>> VALUE_BITS == first >>> VALUE_BITS) {
                return element;
            }
        }
        return null;
    }

    // ---- the cells of one collection ----

    private interface Part {
        long get(long cell);

        void set(long cell, long value, boolean moved);
    }

    private record InMap(ConcurrentMap<Long, Long> map) implements Part {
        @Override
        public long get(long cell) {
            return map.getOrDefault(cell, 0L);
        }

        @Override
        public void set(long cell, long value, boolean moved) {
            if (moved) {
                map.remove(cell);
                long other = OTHERS + value % MOST_OTHERS;
                if (map.putIfAbsent(other, value) != null) {
                    map.remove(other);
                }
            }
            map.put(cell, value);
        }
    }

    /** With what finds the element of a cell from the least one that it may have. */
    private record InElements(
            Collection<Long> elements, BiFunction<Collection<Long>, Long, Long> find)
            implements Part {
        @Override
        public long get(long cell) {
            Long element = find.apply(elements, cell << VALUE_BITS);
            boolean isThere = element != null && element >>> VALUE_BITS == cell;
            return isThere ? element & (1L << VALUE_BITS) - 1 : 0;
        }

        @Override
        public void set(long cell, long value, boolean moved) {
            elements.remove(cell << VALUE_BITS | get(cell));
            elements.add(cell << VALUE_BITS | value);
            long other = OTHERS + value % MOST_OTHERS << VALUE_BITS;
            if (moved && !elements.remove(other)) {
                elements.add(other);
            }
        }
    }

    private record InList(List<Long> list) implements Part {
        @Override
        public long get(long cell) {
            return cell < list.size() ? list.get((int) cell) : 0;
        }

        @Override
        public void set(long cell, long value, boolean moved) {
            while (list.size() < CELLS_OF_EACH) {
                list.add(0L);
            }
            if (moved) {
                list.remove((int) cell);
                list.add((int) cell, value);
                trim();
            } else {
                list.set((int) cell, value);
            }
            list.add(value);
        }

        private void trim() {
            if (list.size() > MOST_OTHERS) {
                list.subList(CELLS_OF_EACH, list.size()).clear();
            }
        }
    }
}
