package io.farheap.pmemobj;

import io.farheap.base.StatisticsMode;
import io.farheap.engine.PoolEngine;
import io.farheap.heap.Heap;
import java.util.Objects;

/**
 * What of libpmemobj's control name space (ctl) an open pool answers beside its {@link
 * io.farheap.ObjectPool#heap()} and its {@link io.farheap.ObjectPool#transactions()}: its
 * statistics. Got by {@link io.farheap.ObjectPool#control()}. Thread-safe.
 */
public final class PoolControl {
    private final PoolEngine engine;
    private volatile StatisticsMode statistics = StatisticsMode.TRANSIENT;

    PoolControl(PoolEngine engine) {
        this.engine = engine;
    }

    /** Which statistics are kept (ctl {@code stats.enabled}). */
    public StatisticsMode statistics() {
        engine.ensureUsable();
        return statistics;
    }

    /** Says which statistics are kept from now on, until the pool is closed. */
    public void setStatistics(StatisticsMode kept) {
        Objects.requireNonNull(kept, "kept");
        heap().countAllocatedBytes(kept.isPersistent());
        statistics = kept;
    }

    /**
     * Bytes of all objects, headers included, that were allocated and not freed while this was kept
     * (ctl {@code stats.heap.curr_allocated}): a number in the pool, which libpmemobj keeps in the
     * same way. It is not logged and durable at close only, so it may drift when a machine loses
     * power, here and on replicas; 0 in a pool that never kept it.
     */
    public long allocatedBytes() {
        return heap().allocatedBytes();
    }

    /**
     * Bytes of the objects in runs, headers included (ctl {@code stats.heap.run_allocated}): 0
     * while {@link #statistics} says that those of this run are not wanted.
     */
    public long runBytesInUse() {
        return statistics().isTransient() ? heap().runBytesInUse() : 0;
    }

    /**
     * Bytes of all runs, free room included (ctl {@code stats.heap.run_active}), as far as the heap
     * was visited in this run; 0 while that is not wanted.
     */
    public long runBytes() {
        return statistics().isTransient() ? heap().runBytes() : 0;
    }

    private Heap heap() {
        engine.ensureUsable();
        return engine.heap();
    }
}
