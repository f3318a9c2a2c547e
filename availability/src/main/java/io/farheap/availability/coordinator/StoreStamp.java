package io.farheap.availability.coordinator;

/**
 * Which store answered, and how far it was.
 *
 * @param identity of the store; another one: another store, or one that was made from a backup;
 *     empty: it has none yet
 * @param revision grows with every change in the store
 */
public record StoreStamp(String identity, long revision) {
    /**
     * Of a store whose identity is made with the first change. It follows none that was seen, and
     * nobody keeps it: whatever comes next is another one. With a value it is no store to rest on
     * ({@link Versioned#hasLostItsStore}).
     */
    public static final StoreStamp NONE = new StoreStamp("", 0);

    /** Whether the store has no identity yet. */
    public boolean isNone() {
        return identity.isEmpty();
    }

    /** Whether it may be the same store, no earlier than then. */
    public boolean follows(StoreStamp seen) {
        return identity.equals(seen.identity) && revision >= seen.revision;
    }
}
