package io.farheap;

import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The pools that this process has open, to be found by references and by views of their memory:
 * libpmemobj's {@code pmemobj_pool_by_oid}, {@code pmemobj_pool_by_ptr} and {@code pmemobj_oid}.
 * Thread-safe.
 */
public final class OpenPools {
    private static final ConcurrentMap<Long, ObjectPool> POOLS = new ConcurrentHashMap<>();

    private OpenPools() {}

    /** Of two copies of one pool, the one opened first counts. */
    static void add(ObjectPool pool) {
        ObjectPool unused = POOLS.putIfAbsent(pool.poolId(), pool);
    }

    static void remove(ObjectPool pool) {
        POOLS.remove(pool.poolId(), pool);
    }

    /** The open pool with this id ({@link ObjectPool#poolId}). */
    public static Optional<ObjectPool> ofId(long poolId) {
        return Optional.ofNullable(POOLS.get(poolId));
    }

    /** The open pool that a reference leads into; whether an object is there, the pool knows. */
    public static Optional<ObjectPool> of(Ref object) {
        return object.isNull() ? Optional.empty() : ofId(object.poolId());
    }

    /** The open pool in whose memory a segment starts. */
    public static Optional<ObjectPool> of(MemorySegment view) {
        for (ObjectPool pool : POOLS.values()) {
            if (pool.imageOffset(view) >= 0) {
                return Optional.of(pool);
            }
        }
        return Optional.empty();
    }

    /**
     * What refers to the place where a segment starts: the object's reference when it is a view of
     * the whole object ({@link ObjectPool#segment}); {@link Ref#NULL} outside open pools.
     */
    public static Ref refTo(MemorySegment view) {
        for (ObjectPool pool : POOLS.values()) {
            long offset = pool.imageOffset(view);
            if (offset >= 0) {
                return new Ref(pool.poolId(), offset);
            }
        }
        return Ref.NULL;
    }
}
