package io.farheap.objects.transaction;

import java.util.Collection;
import java.util.List;
import java.util.NavigableSet;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiFunction;
import java.util.function.LongUnaryOperator;

/**
 * The cells in one collection: values of a map's keys, elements of a set or deque that begin with
 * the cell's number, elements at an index. Where a number moves, entries that are no cell come and
 * go with it: the structures grow and shrink.
 */
interface CellPart {
    /** How many there are. */
    int CELLS = 5;

    /** Numbers from here on are no cells. */
    long OTHERS = 1000;

    int MOST_OTHERS = 300;
    int VALUE_BITS = 48;

    long get(long cell);

    void set(long cell, long value, boolean moved);

    default boolean isReadByOneCall() {
        return false;
    }

    /** As {@link RecordedCells#setAlone}. */
    default boolean setAlone(long cell, LongUnaryOperator next) {
        return false;
    }

    /** Values of a map's keys. */
    record InMap(ConcurrentMap<Long, Long> map) implements CellPart {
        @Override
        public long get(long cell) {
            return map.getOrDefault(cell, 0L);
        }

        @Override
        public boolean isReadByOneCall() {
            return true;
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

        @Override
        public boolean setAlone(long cell, LongUnaryOperator next) {
            map.compute(cell, (same, old) -> next.applyAsLong(old == null ? 0 : old));
            return true;
        }
    }

    /** Elements, with what finds the one of a cell from the least that it may have. */
    record InElements(Collection<Long> elements, BiFunction<Collection<Long>, Long, Long> find)
            implements CellPart {
        static InElements of(Collection<Long> elements) {
            return new InElements(elements, InElements::firstFrom);
        }

        static InElements sorted(NavigableSet<Long> set) {
            return new InElements(set, (all, first) -> set.ceiling(first));
        }

        private static Long firstFrom(Collection<Long> elements, long first) {
            for (Long element : elements) {
                if (element >>> VALUE_BITS == first >>> VALUE_BITS) {
                    return element;
                }
            }
            return null;
        }

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

    /** Elements at an index. */
    record InList(List<Long> list) implements CellPart {
        @Override
        public long get(long cell) {
            return cell < list.size() ? list.get((int) cell) : 0;
        }

        @Override
        public void set(long cell, long value, boolean moved) {
            while (list.size() < CELLS) {
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
                list.subList(CELLS, list.size()).clear();
            }
        }
    }
}
