package io.farheap.engine;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.base.Ref;

/** Whether a reference may be followed in a pool at all; whether an object is there, others ask. */
public final class PoolReferences {
    private PoolReferences() {}

    /** The offset of a reference into the pool with this id. */
    public static long offset(Ref object, long poolId) {
        if (object == null || object.isNull()) {
            throw FarheapException.wrongUse("The reference is null: there is no object to use.");
        }
        checkPool(object.poolId(), poolId);
        return object.offset();
    }

    public static void checkPool(long refPoolId, long poolId) {
        if (refPoolId != poolId) {
            throw new FarheapException(
                    Category.WRONG_USE,
                    String.format(
                            "The reference leads into pool %016x, this is pool %016x; use the pool"
                                    + " it came from.",
                            refPoolId, poolId));
        }
    }

    /** As {@link #offset}, and 0 for {@link Ref#NULL}. */
    public static long nullable(Ref object, long poolId) {
        if (object == null) {
            throw FarheapException.wrongUse("The reference is Java's null; use Ref.NULL for none.");
        }
        return object.isNull() ? 0 : offset(object, poolId);
    }
}
