package io.farheap.objects.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import io.farheap.objects.PersistentHeap;
import io.farheap.objects.type.WellFormed;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

/** What a history is recorded on: a pool in a file, open. */
final class HistoryGround implements AutoCloseable {
    private static final long BYTES = 32 << 20;

    /** Below the typed objects, or by their public API. */
    enum Kind {
        COLLECTIONS,
        TYPED
    }

    private final ObjectPool pool;
    private final RecordedHeap heap;
    private final RecordedCells cells;
    private final Runnable check;
    private final Runnable end;

    private HistoryGround(
            ObjectPool pool, RecordedHeap heap, RecordedCells cells, Runnable check, Runnable end) {
        this.pool = pool;
        this.heap = heap;
        this.cells = cells;
        this.check = check;
        this.end = end;
    }

    /** Opens the pool, or makes it. */
    static HistoryGround open(Kind kind, Path file) {
        return kind == Kind.TYPED ? typed(file) : collections(file);
    }

    private static HistoryGround collections(Path file) {
        ObjectPool pool = ObjectPool.at(file).layout("histories").size(BYTES).openOrCreate();
        Ref unused = pool.root(CollectionCells.ROOT_BYTES);
        HeapTransactions heap = new HeapTransactions(pool);
        CollectionCells cells = new CollectionCells(heap);
        return new HistoryGround(
                pool,
                RecordedHeap.of(heap),
                cells,
                () -> requireAllOwned(pool, cells),
                () -> heap.close(pool::close));
    }

    private static void requireAllOwned(ObjectPool pool, CollectionCells cells) {
        Set<Long> allocated = new HashSet<>();
        for (Ref object : pool.objects()) {
            allocated.add(object.offset());
        }
        assertThat(allocated).isEqualTo(cells.owned());
    }

    private static HistoryGround typed(Path file) {
        PersistentHeap<TypedCells.Root> heap =
                PersistentHeap.openOrCreate(file, BYTES, TypedCells.Root.class);
        TypedCells cells = new TypedCells(heap);
        return new HistoryGround(
                heap.pool(),
                cells,
                cells,
                () ->
                        assertThat(WellFormed.unreached(heap.pool()).keySet())
                                .as("but places of deleted objects")
                                .isSubsetOf("deleted"),
                heap::close);
    }

    /**
     * Records what is done to it.
     *
     * @param name what the names of its transactions begin with
     * @param before tickets and values that were given out before
     */
    HistoryRecorder recorder(String name, HistoryLog log, long before) {
        return new HistoryRecorder(heap, cells, name, log, before);
    }

    /** Requires that what is allocated belongs to something, and the other way. */
    void requireAllOwned() {
        check.run();
    }

    long historyBytes() {
        try (HeapTransactions beside = new HeapTransactions(pool)) {
            return beside.counters().historyBytes();
        }
    }

    @Override
    public void close() {
        end.run();
    }
}
