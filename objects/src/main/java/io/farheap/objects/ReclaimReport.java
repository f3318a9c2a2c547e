package io.farheap.objects;

import java.util.List;

/**
 * What a heap's root does not reach.
 *
 * @param types by type, the one with the most bytes first
 * @param isDone whether it was freed, or only counted
 */
public record ReclaimReport(List<OfType> types, boolean isDone) {
    /**
     * @param type the name of the type in the pool; of what no object owns, its type number
     * @param objects how many
     * @param bytes that they take in the pool
     */
    public record OfType(String type, long objects, long bytes) {}

    public ReclaimReport {
        types = List.copyOf(types);
    }

    /** Of all types together. */
    public long objects() {
        return types.stream().mapToLong(OfType::objects).sum();
    }

    /** Of all types together. */
    public long bytes() {
        return types.stream().mapToLong(OfType::bytes).sum();
    }
}
