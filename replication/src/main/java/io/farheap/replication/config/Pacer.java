package io.farheap.replication.config;

import java.util.concurrent.locks.LockSupport;

/**
 * Keeps work that may wait below so many bytes a second: a token bucket. Who works claims its bytes
 * and lets the time pass that they are worth. What was not used is kept for a moment only, or as
 * much as one piece takes, which the work on the last one may have taken: so a pause is not
 * followed by a burst. Several threads share the rate. Allocates nothing. Thread-safe.
 */
public final class Pacer {
    /** The rate that is none. */
    public static final long NO_LIMIT = Long.MAX_VALUE;

    /** Never waits, and does not look at a clock. */
    public static final Pacer UNLIMITED = of(NO_LIMIT);

    /** Of so much time the unused bytes are kept, where no piece is longer. */
    static final long KEPT_NANOS = 100_000_000;

    /** A wait that is not worth to be begun: it is owed. */
    static final long SHORTEST_NANOS = 1_000_000;

    /** So that sums of times stay far from the ends of a long. */
    private static final long LONGEST_NANOS = Long.MAX_VALUE >> 2;

    private final long bytesPerSecond;
    private final Clock clock;

    /** When all bytes that were claimed have had their time; as the clock counts. */
    private long paid;

    /** What time is. */
    interface Clock {
        long nanos();

        /** Returns after so long, or before. */
        void pause(long nanos);
    }

    private static final class SystemClock implements Clock {
        @Override
        public long nanos() {
            return System.nanoTime();
        }

        @Override
        public void pause(long nanos) {
            LockSupport.parkNanos(this, nanos);
        }
    }

    Pacer(long bytesPerSecond, Clock clock) {
        if (bytesPerSecond <= 0) {
            throw new IllegalArgumentException("a rate of " + bytesPerSecond + " bytes a second");
        }
        this.bytesPerSecond = bytesPerSecond;
        this.clock = clock;
        this.paid = isUnlimited() ? 0 : clock.nanos();
    }

    /**
     * @param bytesPerSecond from 1 on; {@link #NO_LIMIT}: none
     */
    public static Pacer of(long bytesPerSecond) {
        return new Pacer(bytesPerSecond, new SystemClock());
    }

    public boolean isUnlimited() {
        return bytesPerSecond == NO_LIMIT;
    }

    /**
     * Takes so many bytes of the rate; does not wait.
     *
     * @return nanoseconds until they and all that were claimed before have had their time; 0: go on
     */
    public long claim(long bytes) {
        if (isUnlimited()) {
            return 0;
        }
        long wait = claimed(bytes);
        return wait < SHORTEST_NANOS ? 0 : wait;
    }

    private synchronized long claimed(long bytes) {
        long now = clock.nanos();
        long worth = (long) Math.min(1e9 * bytes / bytesPerSecond, LONGEST_NANOS);
        long owed = Math.max(paid - now, -Math.max(KEPT_NANOS, worth));
        long wait = Math.min(owed + worth, LONGEST_NANOS);
        paid = now + wait;
        return wait;
    }

    /** Claims so many bytes, and returns when they have had their time. */
    public void take(long bytes) {
        await(claim(bytes));
    }

    /**
     * Returns after what {@link #claim} has said. Whoever is interrupted wants an end of the work:
     * the wait ends, and the thread stays interrupted.
     */
    public void await(long nanos) {
        if (nanos <= 0) {
            return;
        }
        long begin = clock.nanos();
        for (long left = nanos;
                left > 0 && !Thread.currentThread().isInterrupted();
                left = nanos - (clock.nanos() - begin)) {
            clock.pause(left);
        }
    }
}
