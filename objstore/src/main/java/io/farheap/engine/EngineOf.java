package io.farheap.engine;

import io.farheap.base.FarheapException;
import io.farheap.memory.PoolMemory;
import java.lang.invoke.MethodHandles;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * The engine of an open pool, for the module of typed objects, which works beneath the pool's
 * public face. A program can't name this package.
 */
public final class EngineOf {
    /** Set by the pool's class as it is loaded, before there is any pool. */
    private static volatile Function<Object, PoolEngine> engines;

    private static volatile BiFunction<PoolEngine, Long, Object> pools;

    private static volatile Function<Object, PoolMemory> replicas;

    private EngineOf() {}

    /** For the pool's class alone. */
    public static void grant(
            Function<Object, PoolEngine> of, BiFunction<PoolEngine, Long, Object> over) {
        engines = of;
        pools = over;
    }

    /** The same for replicas. */
    public static void grantReplicas(Function<Object, PoolMemory> of) {
        replicas = of;
    }

    /**
     * The image of a replica that is read: what is loaded counts when a look at the view that
     * allowed it follows.
     *
     * @param pool a {@code ReplicaPool}
     */
    public static PoolMemory replica(Object pool) {
        return replicas.apply(pool);
    }

    /**
     * A pool over an engine whose memory the caller keeps.
     *
     * @param type {@code ObjectPool.class}
     * @param poolId what references in it have; not 0
     */
    public static <T> T poolOver(PoolEngine engine, long poolId, Class<T> type) {
        try {
            MethodHandles.publicLookup().ensureInitialized(type);
        } catch (IllegalAccessException e) {
            throw FarheapException.wrongUse(e, "%s is no pool.", type);
        }
        return type.cast(pools.apply(engine, poolId));
    }

    /**
     * The engine of a pool.
     *
     * @param pool an {@code ObjectPool}
     */
    public static PoolEngine pool(Object pool) {
        if (engines == null) {
            throw FarheapException.wrongUse("%s is not a pool.", pool);
        }
        return engines.apply(pool);
    }
}
