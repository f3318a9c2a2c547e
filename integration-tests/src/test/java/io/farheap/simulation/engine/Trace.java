package io.farheap.simulation.engine;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** What happened in a history: a hash of every step, and the notes where somebody wants them. */
public final class Trace {
    private final List<String> notes;
    private final Map<Happening, Integer> counts = new EnumMap<>(Happening.class);
    private long hash = 1125899906842597L;
    private long steps;

    /**
     * A trace of nothing.
     *
     * @param kept whether notes are kept to be read
     */
    public Trace(boolean kept) {
        notes = kept ? new ArrayList<>() : null;
    }

    boolean isKept() {
        return notes != null;
    }

    void step(long time, int thread) {
        steps++;
        hash = 31 * (31 * hash + time) + thread;
    }

    void add(long time, String who, String what) {
        hash = 31 * (31 * hash + time) + what.hashCode();
        if (notes != null) {
            notes.add(String.format("%,15d us  %-34s %s", time / 1000, who, what));
        }
    }

    void count(Happening what) {
        int unused = counts.merge(what, 1, Integer::sum);
    }

    /** How often each of them happened. */
    public Map<Happening, Integer> counts() {
        return counts;
    }

    /** Two histories with the same one are the same. */
    public long hash() {
        return hash;
    }

    /** How often a thread got its turn. */
    public long steps() {
        return steps;
    }

    /** What was noted. */
    public List<String> notes() {
        return notes == null ? List.of() : notes;
    }
}
