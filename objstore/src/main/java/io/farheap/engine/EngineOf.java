package io.farheap.engine;

import io.farheap.base.FarheapException;
import java.util.function.Function;

/**
 * The engine of an open pool, for the module of typed objects, which works beneath the pool's
 * public face. A program can't name this package.
 */
public final class EngineOf {
    /** Set by the pool's class as it is loaded, before there is any pool. */
    private static volatile Function<Object, PoolEngine> engines;

    private EngineOf() {}

    /** For the pool's class alone. */
    public static void grant(Function<Object, PoolEngine> of) {
        engines = of;
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
