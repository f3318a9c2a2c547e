package io.farheap.base;

import java.util.List;

/**
 * What a check found.
 *
 * @param inconsistencies at most {@value #MAX_KEPT} of them, in the order in which they were found
 * @param count how many there were in all
 * @param objects allocated objects of the first replica that are not internal
 * @param internalObjects the root and log extensions of the first replica
 */
public record CheckReport(
        List<Inconsistency> inconsistencies, long count, long objects, long internalObjects) {

    /** A pool can be so broken that a report of all of it would not fit into memory. */
    public static final int MAX_KEPT = 10_000;

    public CheckReport {
        inconsistencies = List.copyOf(inconsistencies);
    }

    /** Whether nothing is wrong. */
    public boolean isConsistent() {
        return count == 0;
    }
}
