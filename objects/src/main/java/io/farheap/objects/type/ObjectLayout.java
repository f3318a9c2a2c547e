package io.farheap.objects.type;

import io.farheap.objects.transaction.HeapTransaction;

/**
 * A typed object in the pool.
 *
 * <pre>
 *    0  type id, 8 B: which version of which type the fields are of
 *    8  the fields
 *
 *   one that has moved to a newer version of its type, and keeps its place:
 *    0  1               8  image offset of another object with that type id and the fields, 8 B
 *
 *   one that is deleted, until nothing refers to its place any more:
 *    0  0
 * </pre>
 */
public final class ObjectLayout {
    private static final long DELETED = 0;
    private static final long MOVED = 1;
    private static final int WORD_AT = 0;
    private static final int MOVED_TO_AT = 8;

    private ObjectLayout() {}

    /** Its type id, or one of the words below those. */
    public static long word(HeapTransaction tx, long place) {
        return tx.getLong(place, WORD_AT);
    }

    public static boolean isTypeId(long word) {
        return word >= TypeDescriptor.FIRST_ID;
    }

    public static boolean isDeleted(long word) {
        return word == DELETED;
    }

    public static boolean isMoved(long word) {
        return word == MOVED;
    }

    /** Where the fields of a moved object are. */
    public static long movedTo(HeapTransaction tx, long place) {
        return tx.getLong(place, MOVED_TO_AT);
    }

    public static void setTypeId(HeapTransaction tx, long place, long typeId) {
        tx.setLong(place, WORD_AT, typeId);
    }

    public static void setMoved(HeapTransaction tx, long place, long to) {
        tx.setLong(place, WORD_AT, MOVED);
        tx.setLong(place, MOVED_TO_AT, to);
    }

    public static void setDeleted(HeapTransaction tx, long place) {
        tx.setLong(place, WORD_AT, DELETED);
        tx.noteDeleted(place);
    }
}
