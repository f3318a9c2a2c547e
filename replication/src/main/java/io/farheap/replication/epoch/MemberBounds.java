package io.farheap.replication.epoch;

import io.farheap.replication.stream.CommitStream;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What the smallest of all members so far has room for: it counts on once that one is lost, for it
 * will be back. Changed by the thread that begins epochs, and read by any.
 */
final class MemberBounds {
    private volatile long maxEntryBytes = Long.MAX_VALUE;

    /** The same, with the least that is possible for those that were no member yet. */
    private volatile long pieceEntryBytes;

    private volatile long imageBytes = Long.MAX_VALUE;

    /** Who was a member since the pool was opened. */
    private final Set<ReplicaTracker> known = new HashSet<>();

    /** The images of those that are about to be members. */
    void takeImages(List<ReplicaTracker> members) {
        for (ReplicaTracker copy : members) {
            imageBytes = Math.min(imageBytes, copy.member().verdict().imageSize());
        }
    }

    /**
     * An epoch begins.
     *
     * @param stream null where it has no members
     * @param copies all replicas of the pool; others have left
     */
    void take(List<ReplicaTracker> members, CommitStream stream, List<ReplicaTracker> copies) {
        if (stream != null) {
            maxEntryBytes = Math.min(maxEntryBytes, stream.maxEntryBytes());
        }
        known.addAll(members);
        boolean unused = known.retainAll(copies);
        boolean allKnown = known.containsAll(copies);
        pieceEntryBytes =
                allKnown ? maxEntryBytes : Math.min(maxEntryBytes, CommitStream.LEAST_ENTRY_BYTES);
    }

    /** Somebody may become a member who was none yet, with a smaller journal than all others. */
    void expectNewcomer() {
        pieceEntryBytes = Math.min(maxEntryBytes, CommitStream.LEAST_ENTRY_BYTES);
    }

    /** Of a record, at most. */
    long maxEntryBytes() {
        return maxEntryBytes;
    }

    /** Of a record that may be divided, at most. */
    long pieceEntryBytes() {
        return pieceEntryBytes;
    }

    /** Of the image. */
    long imageBytes() {
        return imageBytes;
    }
}
