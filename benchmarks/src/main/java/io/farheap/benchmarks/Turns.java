package io.farheap.benchmarks;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Sides that do the same in turns, each some batches at a time, so that what the machine does
 * besides meets all of them. What counts is the median of a side's batches.
 */
final class Turns {
    private final Map<String, double[]> times = new LinkedHashMap<>();
    private final Map<String, Integer> counts = new LinkedHashMap<>();

    /** Adds the nanoseconds per operation of one batch. */
    void add(String side, double nanos) {
        int count = counts.merge(side, 1, Integer::sum);
        double[] known = times.getOrDefault(side, new double[64]);
        double[] kept = count > known.length ? Arrays.copyOf(known, 2 * known.length) : known;
        kept[count - 1] = nanos;
        times.put(side, kept);
    }

    boolean has(String side) {
        return counts.containsKey(side);
    }

    double median(String side) {
        double[] sorted = Arrays.copyOf(times.get(side), counts.get(side));
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    /** A line for each side. */
    void print(String what) {
        for (String side : times.keySet()) {
            Figures.text("%-46s %9.1f ns", what + ": " + side, median(side));
        }
    }

    /** A line with a ratio that has no aim. */
    void ratio(String what, String ours, String theirs) {
        if (has(ours) && has(theirs)) {
            Figures.text("%-46s %9.2f of %s", what, median(ours) / median(theirs), theirs);
        }
    }

    /** A line with the ratio that the design names, where both were measured. */
    void ratio(String what, String ours, String theirs, double aim) {
        if (has(ours) && has(theirs)) {
            Figures.text(
                    "%-46s %9.2f of %s; aim %.2f",
                    what, median(ours) / median(theirs), theirs, aim);
        }
    }
}
