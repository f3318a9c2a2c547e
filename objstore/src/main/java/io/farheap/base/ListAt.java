package io.farheap.base;

import java.util.Objects;

/**
 * A list to be checked, which a pool does not know of by itself (POBJ_LIST_HEAD in libpmemobj;
 * docs/format.md#structures-in-objects).
 *
 * @param object holds the list's head; {@link Ref#NULL} stands for the root object
 * @param headOffset of the head in that object, in bytes
 * @param entryOffset of the list's entry in each element, in bytes
 */
public record ListAt(Ref object, long headOffset, long entryOffset) {
    public ListAt {
        Objects.requireNonNull(object, "object");
    }

    /** A list whose head is in the root object. */
    public static ListAt inRoot(long headOffset, long entryOffset) {
        return new ListAt(Ref.NULL, headOffset, entryOffset);
    }
}
