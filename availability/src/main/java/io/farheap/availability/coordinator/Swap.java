package io.farheap.availability.coordinator;

/**
 * What became of a compare-and-set.
 *
 * @param version the key has now; 0 unless applied
 * @param stamp of the store that applied it; null unless applied
 */
public record Swap(Outcome outcome, long version, StoreStamp stamp) {
    /** The three answers. */
    public enum Outcome {
        /** The value is set. */
        APPLIED,
        /** The key had another version: nothing was changed, and nothing will be. */
        LOST,
        /** No answer: it may be set, may be set later, or never. */
        UNKNOWN
    }

    /** The value is set. */
    public static Swap applied(long version, StoreStamp stamp) {
        return new Swap(Outcome.APPLIED, version, stamp);
    }

    /** The key had another version. */
    public static Swap lost() {
        return new Swap(Outcome.LOST, 0, null);
    }

    /** No answer. */
    public static Swap unknown() {
        return new Swap(Outcome.UNKNOWN, 0, null);
    }
}
