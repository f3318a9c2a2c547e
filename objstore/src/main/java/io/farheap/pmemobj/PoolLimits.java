package io.farheap.pmemobj;

import io.farheap.heap.Heap;
import io.farheap.layout.Descriptor;
import io.farheap.poolset.PoolSetRules;

/** The numbers of libpmemobj that programs build on. */
public final class PoolLimits {
    /** The smallest pool, in bytes (PMEMOBJ_MIN_POOL). */
    public static final long MIN_POOL_BYTES = PoolSetRules.MIN_POOL_BYTES;

    /** The smallest part of a poolset, in bytes (PMEMOBJ_MIN_PART). */
    public static final long MIN_PART_BYTES = PoolSetRules.MIN_PART_BYTES;

    /** Bytes for the layout name, its terminating zero included (PMEMOBJ_MAX_LAYOUT). */
    public static final int MAX_LAYOUT_BYTES = Descriptor.LAYOUT_SIZE;

    /** The largest object that can be asked for, in bytes (PMEMOBJ_MAX_ALLOC_SIZE). */
    public static final long MAX_ALLOCATION_BYTES = Heap.MAX_REQUEST;

    /** The type number of root objects (POBJ_ROOT_TYPE_NUM); a program's own begin at 1. */
    public static final long ROOT_TYPE_NUMBER = 0;

    /** The version of the API this is the counterpart of (PMEMOBJ_MAJOR_VERSION). */
    public static final int API_MAJOR_VERSION = 2;

    /** As {@link #API_MAJOR_VERSION} (PMEMOBJ_MINOR_VERSION). */
    public static final int API_MINOR_VERSION = 4;

    private PoolLimits() {}
}
