package io.farheap.objects.value;

import io.farheap.objects.transaction.HeapTransaction;
import java.util.Set;

/** Slots of types that the type table names and the program does not have. */
public final class OwnedSlots {
    private static final Set<String> IN_BLOCKS = Set.of("String", "BigInteger", "BigDecimal");

    private OwnedSlots() {}

    /** Whether values of a type, by its text in the table, lie in slots that may own a block. */
    static boolean mayOwnBlock(String type) {
        return IN_BLOCKS.contains(type)
                || type.endsWith("[]")
                || type.startsWith("record ")
                || type.startsWith("sealed ");
    }

    /** Frees the block that a slot owns, if it is of such a type. */
    public static void release(HeapTransaction tx, String type, long object, long offset) {
        if (mayOwnBlock(type)) {
            ValueSlot.release(tx, object, offset);
        }
    }
}
