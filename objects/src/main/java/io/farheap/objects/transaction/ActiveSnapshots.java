package io.farheap.objects.transaction;

import io.farheap.base.FarheapException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What is under way: a slot for each transaction and read, with the snapshot that a read has and
 * whether a transaction is committing. A slot's words, in cache lines of its own:
 *
 * <pre>
 *  0  0: free; a read's snapshot + 1; a transaction: {@link Long#MAX_VALUE};
 *     of a read that is about to begin: -1
 *  1  1 while its transaction commits
 *  2  1 while its read goes through old bytes
 * </pre>
 *
 * Thread-safe.
 */
final class ActiveSnapshots {
    /** No read is active. */
    static final long NONE = Long.MAX_VALUE;

    private static final int SLOTS = 1024;
    private static final int STRIDE = 16;
    private static final long FREE = 0;
    private static final long UNKNOWN = -1;
    private static final long TRANSACTION = Long.MAX_VALUE;

    /** Threads begin their search so far apart that they rarely meet. */
    private static final int SPREAD = 32;

    private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] words = new long[SLOTS * STRIDE];
    private final AtomicInteger hints = new AtomicInteger();

    /** Slots from here on were never used. */
    private final AtomicInteger used = new AtomicInteger();

    /** Where a thread that never had a slot looks first. */
    int hint() {
        return hints.getAndIncrement() % SPREAD & SPREAD - 1;
    }

    /**
     * Takes a slot for a read that will see the watermark of a later moment, and holds all old
     * bytes until it says which by {@link #sees}.
     */
    int claimForRead(int hint) {
        return claim(hint, UNKNOWN);
    }

    /** Takes a slot for a transaction, which needs no old bytes. */
    int claimForTransaction(int hint) {
        return claim(hint, TRANSACTION);
    }

    private int claim(int hint, long value) {
        for (int i = 0; i < SLOTS; i++) {
            int slot = hint + i & SLOTS - 1;
            if ((long) WORDS.getOpaque(words, slot * STRIDE) == FREE) {
                if (slot >= used.get()) {
                    used.accumulateAndGet(slot + 1, Math::max);
                }
                if (WORDS.compareAndSet(words, slot * STRIDE, FREE, value)) {
                    return slot;
                }
            }
        }
        throw FarheapException.environment(
                "%s transactions and reads are under way, and no more can be; let some end first.",
                SLOTS);
    }

    void sees(int slot, long snapshot) {
        WORDS.setRelease(words, slot * STRIDE, snapshot + 1);
    }

    void release(int slot) {
        WORDS.setRelease(words, slot * STRIDE, FREE);
    }

    /**
     * The oldest snapshot of the active reads, {@link #NONE} without one. A read that begins later
     * sees a watermark of a moment after this call's begin.
     *
     * @param floor older ones were given up and do not count
     */
    long oldest(long floor) {
        long oldest = NONE;
        for (int slot = 0; slot < used.get(); slot++) {
            long word = (long) WORDS.getVolatile(words, slot * STRIDE);
            if (word == UNKNOWN) {
                oldest = Math.min(oldest, floor);
            } else if (word != FREE && word != TRANSACTION && word > floor) {
                oldest = Math.min(oldest, word - 1);
            }
        }
        return oldest;
    }

    /** A read is about to go through old bytes; {@link #endWalk} must follow. */
    void beginWalk(int slot) {
        WORDS.setOpaque(words, slot * STRIDE + 2, 1L);
        VarHandle.fullFence(); // before it loads the first: who takes one out asks afterwards
    }

    void endWalk(int slot) {
        WORDS.setRelease(words, slot * STRIDE + 2, 0L);
    }

    /** Whether a read may have old bytes in hand that no chain has any more. */
    boolean isWalking() {
        return isAny(2);
    }

    private boolean isAny(int word) {
        for (int slot = 0; slot < used.get(); slot++) {
            if ((long) WORDS.getVolatile(words, slot * STRIDE + word) != 0) {
                return true;
            }
        }
        return false;
    }

    /** Whether a read may be active whose snapshot is as old as the one version, or in between. */
    boolean isReadBetween(long version, long later) {
        for (int slot = 0; slot < used.get(); slot++) {
            long word = (long) WORDS.getVolatile(words, slot * STRIDE);
            boolean isIn = word != TRANSACTION && word > version && word <= later;
            if (word == UNKNOWN || isIn) {
                return true;
            }
        }
        return false;
    }

    int count() {
        int count = 0;
        for (int slot = 0; slot < used.get(); slot++) {
            count += (long) WORDS.getVolatile(words, slot * STRIDE) == FREE ? 0 : 1;
        }
        return count;
    }

    void setCommitting(int slot, boolean committing) {
        WORDS.setVolatile(words, slot * STRIDE + 1, committing ? 1L : 0L);
    }

    boolean isCommitting() {
        return isAny(1);
    }
}
