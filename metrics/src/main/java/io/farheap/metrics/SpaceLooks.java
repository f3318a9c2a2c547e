package io.farheap.metrics;

import io.farheap.base.HeapSpace;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/**
 * The space of a pool for several gauges or attributes that one reader takes one after the other:
 * counted once for all of them, so that they also fit together. A gauge that has seen a count has
 * it made anew, and so has one that comes more than five seconds later. Thread-safe.
 */
final class SpaceLooks {
    private static final long SCRAPE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final LivePool pool;
    private Optional<HeapSpace> last = Optional.empty();
    private long lastNanos;

    /** A bit for each gauge that has seen the last count. */
    private long seen = -1;

    SpaceLooks(LivePool pool) {
        this.pool = pool;
    }

    /** Not a number when the pool is closed. */
    double value(int gauge, ToDoubleFunction<HeapSpace> of) {
        return value(gauge).map(of::applyAsDouble).orElse(Double.NaN);
    }

    /**
     * Empty when the pool is closed.
     *
     * @param gauge its number, 0 to 62
     */
    synchronized Optional<HeapSpace> value(int gauge) {
        long now = System.nanoTime();
        if ((seen & 1L << gauge) != 0 || now - lastNanos > SCRAPE_NANOS || !pool.isOpen()) {
            last = pool.space();
            lastNanos = now;
            seen = 0;
        }
        seen |= 1L << gauge;
        return last;
    }
}
