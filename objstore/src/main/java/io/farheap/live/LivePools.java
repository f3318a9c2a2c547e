package io.farheap.live;

import io.farheap.base.FarheapException;
import io.farheap.engine.PoolEngine;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The pools that this process has open and lets others copy and watch: while there is one, it
 * {@link LiveListener listens} for them. Thread-safe.
 */
public final class LivePools {
    private static final Map<Long, OfferedPool> POOLS = new HashMap<>();
    private static LiveListener listener;

    private LivePools() {}

    /**
     * From now on the pool can be copied.
     *
     * @param header 4096 bytes with its features and poolset uuid
     * @param figures what the pool counts, by name; asked until it is withdrawn
     * @param reload reads the poolset file again; told whether this copy may be the only one then
     */
    public static synchronized void offer(
            long poolId,
            PoolEngine engine,
            MemorySegment header,
            Supplier<Map<String, Long>> figures,
            Function<Boolean, ReloadedFile> reload) {
        POOLS.put(poolId, new OfferedPool(engine, header, figures, reload));
        if (listener == null) {
            listener = new LiveListener();
            listener.start();
        }
    }

    /** From now on nobody reads it any more; a copy that is under way fails. */
    public static synchronized void withdraw(long poolId, PoolEngine engine) {
        OfferedPool pool = POOLS.get(poolId);
        if (pool != null && pool.engine() == engine) {
            POOLS.remove(poolId);
            pool.withdraw();
        }
        if (POOLS.isEmpty() && listener != null) {
            listener.close();
            listener = null;
        }
    }

    static synchronized OfferedPool find(long poolId) {
        OfferedPool pool = POOLS.get(poolId);
        if (pool == null) {
            throw FarheapException.environment(
                    "the program that has the pool is opening or closing it; try again");
        }
        return pool;
    }
}
