package io.farheap.live;

import java.util.concurrent.TimeUnit;

/**
 * How long a process that is looked at again and again has been stopped while it was waited for. A
 * debugger or a tool that reads its state stops one for a moment, so one look tells nothing. For
 * one thread; times are of {@link System#nanoTime}.
 */
final class StoppedTime {
    /** Somebody may let it go on again, and its user can type that. */
    static final long LONG = TimeUnit.SECONDS.toNanos(10);

    private boolean stopped;
    private long since;
    private long wait;

    /**
     * Notes one look.
     *
     * @param isStopped what it found
     * @param begin when the wait began that it belongs to: what was seen in another one is of no
     *     account, as the process has said something meanwhile
     */
    void look(boolean isStopped, long begin, long now) {
        if (!isStopped) {
            stopped = false;
        } else if (!stopped || wait != begin) {
            stopped = true;
            since = now;
        }
        wait = begin;
    }

    /** Whether each look found it stopped for longer than it is waited for. */
    boolean isLong(long now) {
        return stopped && now - since >= LONG;
    }
}
