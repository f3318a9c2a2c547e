package io.farheap.pmemobj;

import io.farheap.base.AllocationOptions;
import io.farheap.base.Ref;
import io.farheap.engine.ActionList;
import io.farheap.engine.LaneTransaction;
import io.farheap.engine.PoolEngine;
import io.farheap.engine.PoolReferences;
import java.util.Arrays;
import java.util.Objects;

/**
 * Changes that are prepared one by one, whenever the program likes, and published in one atomic
 * step: a list of libpmemobj's {@code pobj_action}. Until then nothing of it is visible or
 * persistent; a crash, or closing the pool, forgets it.
 *
 * <pre>{@code
 * try (Actions actions = pool.actions()) {
 *     NewObject account = actions.reserve(64, ACCOUNT);
 *     account.setLong(BALANCE, 100);
 *     actions.deferFree(pool.getRef(root, FIRST));
 *     actions.setRef(root, FIRST, account.ref());
 *     actions.publish();
 * }
 * }</pre>
 *
 * <p>Empty after publishing and cancelling, and to be used again; allocates nothing once warm when
 * objects are named by their bare offsets ({@link #raw}). Belongs to one thread at a time, but not
 * always to the same. Exceptions: WRONG_USE for references that are null, freed or of another pool,
 * and ranges outside their object; ENVIRONMENT when the pool is full.
 */
public final class Actions implements AutoCloseable {
    private final ActionList list;
    private final RawActions raw;
    private final long poolId;
    private final NewObjects faces;

    /** Those of the reservations, in their order. */
    private NewObject[] objects = {};

    Actions(PoolEngine engine, long poolId) {
        this.poolId = poolId;
        this.list = new ActionList(engine);
        this.raw = new RawActions(engine, poolId, list);
        this.faces = new NewObjects(engine, poolId, false);
    }

    /** How many actions wait to be published. */
    public int size() {
        return list.size();
    }

    /**
     * Reserves an object that exists when this is published.
     *
     * @return to be filled; what was stored becomes durable with the object. Ends with publishing
     *     and cancelling
     */
    public NewObject reserve(long size, long typeNumber) {
        return reserve(size, typeNumber, AllocationOptions.DEFAULT);
    }

    /** As {@link #reserve(long, long)}, where and how the options say. */
    public NewObject reserve(long size, long typeNumber, AllocationOptions options) {
        Objects.requireNonNull(options, "options");
        int index = list.reservedCount();
        if (index == objects.length) {
            objects = Arrays.copyOf(objects, 2 * index + 4);
        }
        objects[index] = faces.next();
        return objects[index].begin(list.reserve(size, typeNumber, options));
    }

    /** Frees an object when this is published; until then it can be used. Null: WRONG_USE. */
    public void deferFree(Ref object) {
        raw.deferFree(offset(object));
    }

    /**
     * Sets 8 bytes when this is published. The last value for a place counts.
     *
     * @param offset bytes inside the object; the place must be 8-byte aligned
     */
    public void setValue(Ref object, long offset, long value) {
        raw.setValue(offset(object), offset, value);
    }

    /** Sets a reference when this is published: two values. {@link Ref#NULL} clears it. */
    public void setRef(Ref object, long offset, Ref value) {
        raw.setRef(offset(object), offset, PoolReferences.nullable(value, poolId));
    }

    /** The same list for objects that are named by bare offsets; allocates nothing. */
    public RawActions raw() {
        return raw;
    }

    /**
     * Does everything at once; durable here and on every replica when this returns. Independent of
     * a transaction that the thread is in; {@link io.farheap.Transaction#publish} makes it part of
     * one. When it throws, nothing happened and everything is cancelled.
     */
    public void publish() {
        endObjects();
        list.publish();
    }

    /** For a transaction: when this throws, everything is as before. */
    void moveTo(LaneTransaction lane, long intoPool) {
        PoolReferences.checkPool(poolId, intoPool);
        int count = list.reservedCount();
        list.moveTo(lane);
        endObjects(count);
    }

    /** Gives back what was reserved and forgets the rest. Nothing persistent has changed. */
    public void cancel() {
        endObjects();
        list.cancel();
    }

    /** Cancels what was not published. */
    @Override
    public void close() {
        cancel();
    }

    private void endObjects() {
        endObjects(list.reservedCount());
    }

    private void endObjects(int count) {
        for (int i = 0; i < count; i++) {
            objects[i].end();
        }
    }

    private long offset(Ref object) {
        return PoolReferences.offset(object, poolId);
    }
}
