package io.farheap;

import io.farheap.base.FarheapException;
import io.farheap.base.Ref;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The pools that this process has open, to be found by references and by views of their memory:
 * libpmemobj's {@code pmemobj_pool_by_oid}, {@code pmemobj_pool_by_ptr} and {@code pmemobj_oid}.
 * Thread-safe.
 */
public final class OpenPools {
    private static final ConcurrentMap<Long, Place> PLACES = new ConcurrentHashMap<>();

    /** What is open under one id; without a pool while that is being opened. */
    private static final class Place {
        private final Path path;
        private volatile ObjectPool pool;

        Place(Path path) {
            this.path = path;
        }
    }

    private OpenPools() {}

    /**
     * Takes an id for a pool that is about to be opened, until {@link #release}. Two copies of one
     * pool could not be told apart by references; libpmemobj refuses the second, too.
     *
     * @throws FarheapException ENVIRONMENT when a pool with this id is open
     */
    static void claim(long poolId, Path path) {
        Place other = PLACES.putIfAbsent(poolId, new Place(path));
        if (other != null) {
            throw FarheapException.environment(
                    "%s: this process has the pool, or another copy of it, open as %s;"
                            + " close that first, or open one of them in another process.",
                    path, other.path);
        }
    }

    /** From now on the pool is found by its id, which was claimed. */
    static void add(ObjectPool pool) {
        PLACES.get(pool.poolId()).pool = pool;
    }

    /**
     * Gives an id back.
     *
     * @param pool what was opened with it; null when that failed
     */
    static void release(long poolId, ObjectPool pool) {
        Place unused =
                PLACES.computeIfPresent(poolId, (id, place) -> place.pool == pool ? null : place);
    }

    /** The open pool with this id ({@link ObjectPool#poolId}). */
    public static Optional<ObjectPool> ofId(long poolId) {
        Place place = PLACES.get(poolId);
        return place == null ? Optional.empty() : Optional.ofNullable(place.pool);
    }

    /** The open pool that a reference leads into; whether an object is there, the pool knows. */
    public static Optional<ObjectPool> of(Ref object) {
        return Objects.requireNonNull(object, "object").isNull()
                ? Optional.empty()
                : ofId(object.poolId());
    }

    /** The open pool in whose memory a segment starts. */
    public static Optional<ObjectPool> of(MemorySegment view) {
        Objects.requireNonNull(view, "view");
        for (Place place : PLACES.values()) {
            ObjectPool pool = place.pool;
            if (pool != null && pool.imageOffset(view) >= 0) {
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
        return of(view).map(pool -> new Ref(pool.poolId(), pool.imageOffset(view)))
                .orElse(Ref.NULL);
    }
}
