package io.farheap.model.heap;

import java.util.Locale;

/**
 * What the two writers do. A read looks at X, then at Y. Sets of objects are bits: 1 is X, 2 is Y.
 */
enum Script {
    /** Both replace X and Y; the first one's commit may fail when it has stored. */
    BOTH(3, 3, 3, 3, 0, 0),

    /** Each reads both and replaces one. */
    SKEW(3, 1, 3, 2, 0, 0),

    /** The first one replaces X by what it read of Y, the second one replaces Y. */
    CHAIN(2, 1, 2, 2, 0, 0),

    /**
     * X refers to Y. The first writer frees Y; the second one gets Y's place for a new object, and
     * lets X refer to it.
     */
    REUSE(1, 3, 1, 1, 1, 1);

    private final int[] reads;
    private final int[] writes;
    private final int[] initially;

    Script(int reads0, int writes0, int reads1, int writes1, int x, int y) {
        reads = new int[] {reads0, reads1};
        writes = new int[] {writes0, writes1};
        initially = new int[] {x, y};
    }

    /** As the command names it. */
    String title() {
        return name().toLowerCase(Locale.ROOT);
    }

    boolean reads(int writer, int object) {
        return (reads[writer] >> object & 1) != 0;
    }

    boolean writes(int writer, int object) {
        return (writes[writer] >> object & 1) != 0;
    }

    int initially(int object) {
        return initially[object];
    }

    /** What a writer stores: who frees clears. */
    int value(int writer, int object) {
        if (this != REUSE) {
            return writer + 1;
        }
        return writer == 0 ? 2 * object : 2;
    }

    /** In {@link #REUSE} what the new object in Y's place holds. */
    static final int NEW_OBJECT = 3;
}
