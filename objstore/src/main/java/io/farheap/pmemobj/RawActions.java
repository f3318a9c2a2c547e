package io.farheap.pmemobj;

import io.farheap.base.Ref;
import io.farheap.engine.ActionList;
import io.farheap.engine.PoolEngine;

/**
 * {@link Actions} on objects that are named by their bare offset ({@link Ref#offset}): allocates
 * nothing in the Java heap. The order of arguments is always object, offset in it, value. In all
 * else it is the list it is of: {@link Actions#raw}.
 */
public final class RawActions {
    private final PoolEngine engine;
    private final long poolId;
    private final ActionList list;

    RawActions(PoolEngine engine, long poolId, ActionList list) {
        this.engine = engine;
        this.poolId = poolId;
        this.list = list;
    }

    /** As {@link Actions#deferFree}; the offset must not be 0. */
    public void deferFree(long object) {
        list.free(object);
    }

    /** As {@link Actions#setValue}. */
    public void setValue(long object, long offset, long value) {
        list.set(object, offset, value);
    }

    /** As {@link Actions#setRef}, to the object at an offset; 0 clears it. */
    public void setRef(long object, long offset, long value) {
        engine.checkReadable(object, offset, Ref.BYTES);
        list.set(object, offset, value == 0 ? 0 : poolId);
        list.set(object, offset + Long.BYTES, value);
    }
}
