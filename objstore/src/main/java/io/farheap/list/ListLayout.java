package io.farheap.list;

/**
 * A list as libpmemobj lays it out (docs/format.md#structures-in-objects): a head somewhere in an
 * object, an entry inside each element; circular, and every link names the element's user offset,
 * not its entry.
 *
 * <pre>
 *  head   0 +----------------------+----------------------+
 *           | pool id of first     | offset of first      |   offset 0: the list is empty
 *        16 +----------------------+----------------------+
 *           | PMEMmutex                                64 |
 *        80 +---------------------------------------------+
 *
 *  entry  0 +----------------------+----------------------+
 *           | pool id of next      | offset of next       |   offset 0: in no list
 *        16 +----------------------+----------------------+
 *           | pool id of previous  | offset of previous   |
 *        32 +----------------------+----------------------+
 * </pre>
 */
public final class ListLayout {
    /** Bytes of a head. */
    public static final int HEAD_BYTES = 80;

    /** Bytes of an entry. */
    public static final int ENTRY_BYTES = 32;

    static final long POOL_ID = 0;

    /** Where in a link the offset is; its pool id comes first. */
    public static final long TARGET = 8;

    /** Where in a head its mutex is. */
    public static final int MUTEX = 16;

    /** Where in an entry the links are. */
    public static final long NEXT = 0;

    public static final long PREVIOUS = 16;

    private ListLayout() {}
}
