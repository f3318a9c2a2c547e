package io.farheap.replication.fabric;

/**
 * How a thread waits for something that is microseconds away when all goes well: it spins, then
 * yields, then blocks. Spinning alone costs a scheduler slice (8 ms) as soon as there are more
 * threads than processors; blocking alone costs a wake-up (13 to 60 µs) on an idle machine.
 *
 * @param spinNanos how long to spin
 * @param yieldNanos how long to yield after that, before blocking
 */
public record WaitStrategy(long spinNanos, long yieldNanos) {
    /** A few round trips of a fast network, then what a slow one needs. */
    public static final WaitStrategy DEFAULT = new WaitStrategy(20_000, 200_000);

    /** For tests and for machines with more waiting threads than processors. */
    public static final WaitStrategy BLOCKING = new WaitStrategy(0, 0);

    /**
     * Passes a moment.
     *
     * @param waitedNanos since the wait began
     * @return false when it is time to block
     */
    public boolean pause(long waitedNanos) {
        return pause(waitedNanos, false);
    }

    /**
     * As {@link #pause(long)}.
     *
     * @param crowded other threads want the processor: it yields as long as it would spin
     */
    public boolean pause(long waitedNanos, boolean crowded) {
        if (waitedNanos < spinNanos && !crowded) {
            Thread.onSpinWait();
            return true;
        }
        if (waitedNanos < spinNanos + yieldNanos) {
            Thread.yield();
            return true;
        }
        return false;
    }
}
