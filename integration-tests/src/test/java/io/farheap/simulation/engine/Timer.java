package io.farheap.simulation.engine;

/** Something that will happen at its time, unless it is cancelled. */
public final class Timer implements Comparable<Timer> {
    private final long time;
    private final long number;
    private final Runnable action;
    private boolean cancelled;

    Timer(long time, long number, Runnable action) {
        this.time = time;
        this.number = number;
        this.action = action;
    }

    long time() {
        return time;
    }

    Runnable action() {
        return action;
    }

    boolean isCancelled() {
        return cancelled;
    }

    /** It will not happen. */
    public void cancel() {
        cancelled = true;
    }

    /** In the order of time; of one time, in the order of making. */
    @Override
    public int compareTo(Timer other) {
        int order = Long.compare(time, other.time);
        return order != 0 ? order : Long.compare(number, other.number);
    }
}
