package io.farheap.availability.coordinator;

/**
 * Which store answered, and how far it was.
 *
 * @param identity of the store; another one: another store, or one that was made from a backup
 * @param revision grows with every change in the store
 */
public record StoreStamp(String identity, long revision) {
    /** Whether it may be the same store, no earlier than then. */
    public boolean follows(StoreStamp seen) {
        return identity.equals(seen.identity) && revision >= seen.revision;
    }
}
