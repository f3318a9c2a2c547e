package io.farheap.availability;

import java.util.ArrayList;
import java.util.List;

/**
 * The instant at which a machine stops: before one of the things that it does to others or to its
 * own media, counted from 0. From then on it does nothing. Thread-safe.
 */
final class CrashPoint {
    static final int NEVER = Integer.MAX_VALUE;

    private final int at;
    private final List<String> events = new ArrayList<>();
    private boolean over;

    CrashPoint(int at) {
        this.at = at;
    }

    /** It has stopped. */
    static final class Crash extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Crash(String before) {
            super("the machine stopped before: " + before);
        }
    }

    /** Is about to be done. */
    synchronized void before(String event) {
        if (!over && events.size() == at) {
            over = true;
        }
        if (over) {
            throw new Crash(event);
        }
        events.add(event);
    }

    synchronized boolean isOver() {
        return over;
    }

    /** Stops it now, if it has not stopped. */
    synchronized void stop() {
        over = true;
    }

    synchronized List<String> events() {
        return List.copyOf(events);
    }
}
