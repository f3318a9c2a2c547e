package io.farheap.engine;

import io.farheap.base.FarheapException;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Which lanes are in use. A thread comes back to the lane it had last, so lanes stay in its cache;
 * claiming one is a single compare-and-set when nobody else took it. Every wait is bounded and
 * leaves the interrupt flag as it is.
 */
final class LanePool {
    /** One cache line per lane. */
    private static final int STRIDE = 16;

    private static final int SPINS = 64;
    private static final long LONGEST_PARK_NANOS = 1_000_000;

    private final AtomicIntegerArray busy;
    private final int lanes;
    private final int all;

    /**
     * @param lanes how many may be in use by threads that have none
     * @param all how many there are: a thread that has a lane and needs one more must not wait for
     *     others that do the same
     */
    LanePool(int lanes, int all) {
        this.lanes = lanes;
        this.all = all;
        this.busy = new AtomicIntegerArray(all * STRIDE);
    }

    /** How many lanes threads begin with. */
    int size() {
        return lanes;
    }

    /**
     * Claims a lane, {@code preferred} if it is free.
     *
     * @throws FarheapException ENVIRONMENT when all are in use for longer than the bound
     */
    int claim(int preferred, long timeoutNanos) {
        return claim(preferred, lanes, timeoutNanos);
    }

    /** As {@link #claim}, for a thread that has a lane already: out of all there are. */
    int claimAnother(int preferred, long timeoutNanos) {
        return claim(preferred, all, timeoutNanos);
    }

    private int claim(int preferred, int among, long timeoutNanos) {
        if (busy.compareAndSet(preferred * STRIDE, 0, 1)) {
            return preferred;
        }
        long start = System.nanoTime();
        for (int round = 0; ; round++) {
            for (int i = 1; i <= among; i++) {
                int lane = (preferred + i) % among;
                if (busy.getPlain(lane * STRIDE) == 0 && busy.compareAndSet(lane * STRIDE, 0, 1)) {
                    return lane;
                }
            }
            if (System.nanoTime() - start > timeoutNanos) {
                throw FarheapException.environment(
                        "All %s lanes of the pool were in use for %s ms; run fewer"
                                + " transactions at once or raise PMEMOBJ_NLANES (at most 1024).",
                        among, timeoutNanos / 1_000_000);
            }
            pause(round);
        }
    }

    void release(int lane) {
        busy.setRelease(lane * STRIDE, 0);
    }

    /** Waits until something is so; false when it still is not after the bound. */
    boolean await(BooleanSupplier condition, long timeoutNanos) {
        long start = System.nanoTime();
        for (int round = 0; !condition.getAsBoolean(); round++) {
            if (System.nanoTime() - start > timeoutNanos) {
                return false;
            }
            pause(round);
        }
        return true;
    }

    int inUse() {
        int count = 0;
        for (int i = 0; i < all; i++) {
            count += busy.get(i * STRIDE);
        }
        return count;
    }

    private static void pause(int round) {
        if (round < SPINS) {
            Thread.onSpinWait();
        } else if (round < 2 * SPINS) {
            Thread.yield();
        } else {
            parkKeepingInterrupt(Math.min(LONGEST_PARK_NANOS, 10_000L * (round - 2 * SPINS + 1)));
        }
    }

    /** Parks although the thread may be interrupted: the flag is put back afterwards. */
    private static void parkKeepingInterrupt(long nanos) {
        boolean interrupted = Thread.interrupted();
        LockSupport.parkNanos(nanos);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
