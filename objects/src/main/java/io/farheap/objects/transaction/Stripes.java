package io.farheap.objects.transaction;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Versions of what conflicts: each unit, an object or a line of a shared one, belongs to the stripe
 * that its hash says. A stripe's word:
 *
 * <pre>
 *   63                                    1   0
 *  ┌───────────────────────────────────────┬────────┐
 *  │ version of the last commit in it      │ locked │
 *  └───────────────────────────────────────┴────────┘
 * </pre>
 *
 * Thread-safe. Not final for tests, which take rules away or stop between two steps.
 */
class Stripes {
    static final int COUNT = 1 << 18;

    /** Bytes of a line of a shared object. */
    static final int LINE = 64;

    private static final int LINE_SHIFT = 6;
    private static final int SPAN_SHIFT = 24;

    /** Odd, and far apart on the circle of stripes. */
    private static final int WITHIN_LINE = 0x2_7C15;

    private static final int OF_SPAN = 0x1_E377;
    private static final long LOCKED = 1;
    private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] words = new long[COUNT];

    /** The unit of a line of a shared object: no object has that offset. */
    static long unitOfLine(long offset) {
        return offset & -LINE | 1;
    }

    static boolean isLine(long unit) {
        return (unit & 1) != 0;
    }

    /**
     * The stripe of a unit, an object's offset or what {@link #unitOfLine} says. Objects that lie
     * side by side have words side by side, in few cache lines; those that share a line of the
     * image, and those a whole span of stripes apart, do not share a word.
     */
    static int of(long unit) {
        long spread = (unit & LINE - 1) * WITHIN_LINE + (unit >>> SPAN_SHIFT) * OF_SPAN;
        return (int) ((unit >>> LINE_SHIFT) + spread) & COUNT - 1;
    }

    /** Whether a snapshot sees what a stripe with this word has in place. */
    static boolean isReadable(long word, long snapshot) {
        return (word & LOCKED) == 0 && word >>> 1 <= snapshot;
    }

    static boolean isLocked(long word) {
        return (word & LOCKED) != 0;
    }

    static long version(long word) {
        return word >>> 1;
    }

    long word(int stripe) {
        return (long) WORDS.getAcquire(words, stripe);
    }

    /** The second look: whether bytes loaded after {@code word} was are whole. */
    boolean isUnchanged(int stripe, long word) {
        VarHandle.loadLoadFence();
        return (long) WORDS.getOpaque(words, stripe) == word;
    }

    /** Locks a stripe that still has the unlocked word. */
    boolean tryLock(int stripe, long word) {
        return WORDS.compareAndSet(words, stripe, word, word | LOCKED);
    }

    /** Unlocks a stripe in which nothing was stored. */
    void giveBack(int stripe, long word) {
        WORDS.setRelease(words, stripe, word);
    }

    /** Unlocks a stripe in which the commit with this version stored. */
    void publish(int stripe, long version) {
        WORDS.setRelease(words, stripe, version << 1);
    }
}
