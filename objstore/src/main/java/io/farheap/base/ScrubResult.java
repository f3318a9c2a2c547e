package io.farheap.base;

import java.util.List;

/**
 * What one comparison of an open pool with its remote replicas found ({@link
 * io.farheap.ObjectPool#scrub}).
 *
 * @param comparedBytes that were the same or were found to differ, of all replicas together
 * @param busyBytes that commits changed in every attempt, and that were not compared
 * @param differences bytes that are not the same; the first 1000 of each replica
 * @param notCompared replicas that did not take part, or were lost before the end
 */
public record ScrubResult(
        long comparedBytes,
        long busyBytes,
        List<ReplicaDifference> differences,
        List<String> notCompared) {
    /** Of a pool without remote replicas. */
    public static final ScrubResult NOTHING = new ScrubResult(0, 0, List.of(), List.of());

    public ScrubResult {
        differences = List.copyOf(differences);
        notCompared = List.copyOf(notCompared);
    }
}
