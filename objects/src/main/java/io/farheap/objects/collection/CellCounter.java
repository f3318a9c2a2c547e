package io.farheap.objects.collection;

import io.farheap.objects.schema.PersistentCounter;
import io.farheap.objects.transaction.HeapTransaction;
import io.farheap.objects.transaction.HeapTransactions;
import java.util.function.Function;

/** A counter over its {@link Layout}. */
final class CellCounter implements PersistentCounter {
    private final HeapTransactions heap;
    private final long header;
    private final Function<HeapTransaction, Long> sum;
    private final Function<HeapTransaction, Void> increment;

    CellCounter(HeapTransactions heap, long header) {
        this.heap = heap;
        this.header = header;
        this.sum = tx -> CountCells.sum(tx, cells(tx));
        this.increment = tx -> add(tx, 1);
    }

    private long cells(HeapTransaction tx) {
        Layout.require(tx, header);
        long cells = tx.getLong(header, Layout.CELLS);
        if (cells == 0) {
            throw CollectionCheck.damaged("counter", header, "its cells are missing");
        }
        return cells;
    }

    private Void add(HeapTransaction tx, long amount) {
        CountCells.add(tx, cells(tx), amount);
        return null;
    }

    @Override
    public void add(long amount) {
        heap.transaction(amount == 1 ? increment : tx -> add(tx, amount));
    }

    @Override
    public long get() {
        return heap.glance(sum);
    }

    /**
     * The bytes of a counter.
     *
     * <pre>
     * header     0 what it is, 8 bytes "FHCOUN\0\1"; 0 once deleted     8 offset of its cells
     * </pre>
     */
    static final class Layout extends CollectionStructure {
        static final long WHAT = 0x0100_4E55_4F43_4846L;
        static final long TYPE = 0x4648_0050;

        private static final long CELLS = 8;
        private static final long SIZE = 16;

        static void require(HeapTransaction tx, long header) {
            if (tx.getLong(header, 0) != WHAT) {
                throw CollectionCheck.notThere("counter", header, tx.getLong(header, 0));
            }
        }

        @Override
        long create(HeapTransaction tx) {
            long header = tx.allocate(SIZE, TYPE);
            tx.setLong(header, 0, WHAT);
            tx.setLong(header, CELLS, CountCells.create(tx));
            return header;
        }

        @Override
        void delete(HeapTransaction tx, long header) {
            require(tx, header);
            tx.freeShared(tx.getLong(header, CELLS));
            tx.setLong(header, 0, 0);
        }

        @Override
        void content(HeapTransaction tx, long header, long most, ContentVisitor visitor) {
            require(tx, header);
            visitor.entry(CountCells.sum(tx, tx.getLong(header, CELLS)), null);
        }

        @Override
        boolean append(HeapTransaction tx, long header, Object key, Object value) {
            CountCells.add(tx, tx.getLong(header, CELLS), (Long) key);
            return true;
        }

        @Override
        void walk(HeapTransaction tx, long header, CollectionVisitor visitor) {
            require(tx, header);
            visitor.object(header);
            visitor.object(tx.getLong(header, CELLS));
        }
    }
}
