package io.farheap.pmemobj;

import io.farheap.base.FarheapException;
import io.farheap.engine.PoolEngine;
import io.farheap.lock.VolatileCell;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * A Java object that belongs to a place in the pool for one run, where a C program has a PMEMvlt:
 * made by the first who asks in this run, the same for everybody until the pool is closed or the
 * object freed. A cache, a handle, statistics: what would be wrong after a restart. See {@link
 * PoolLocks}.
 *
 * @param <T> what it is; whoever uses the place must agree
 */
public final class VolatileValue<T> {
    private final PoolEngine engine;
    private final long object;
    private final long place;
    private volatile VolatileCell known;

    VolatileValue(PoolEngine engine, long object, long place) {
        this.engine = engine;
        this.object = object;
        this.place = place;
    }

    /**
     * The value, made here if nobody did in this run; others who ask meanwhile wait, at most the
     * pool's bound ({@code FARHEAP_LOCK_TIMEOUT_MILLIS}).
     *
     * @param constructor what it throws travels on, and the next who asks tries again; must not
     *     return null
     * @throws FarheapException WRONG_USE when the object was freed
     */
    @SuppressWarnings("unchecked")
    public T get(Supplier<? extends T> constructor) {
        Objects.requireNonNull(constructor, "constructor");
        engine.ensureUsable();
        VolatileCell cell = known;
        Object value = cell == null ? null : cell.value();
        while (value == null) {
            cell = engine.runState().values().get(object, place, constructor);
            value = cell.value();
            known = cell;
        }
        return (T) value;
    }
}
