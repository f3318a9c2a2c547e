package io.farheap.objects.transaction;

import java.util.concurrent.locks.LockSupport;

/** How a thread waits for what another one will do in a moment, or after its replicas answered. */
final class Pause {
    private static final int SPINS = 64;
    private static final int YIELDS = 32;
    private static final long LONGEST_NANOS = 50_000;

    private Pause() {}

    /**
     * Waits a little.
     *
     * @param round how often was waited before
     */
    static void next(int round) {
        if (round < SPINS) {
            Thread.onSpinWait();
        } else if (round < SPINS + YIELDS) {
            Thread.yield();
        } else {
            LockSupport.parkNanos(LONGEST_NANOS);
        }
    }
}
