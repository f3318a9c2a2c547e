package io.farheap.replication.epoch;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * What a copy had at its end when its node took the pool over, all of which it has replayed. Others
 * of the same epoch may lack some of it.
 *
 * @param epoch whose records these were
 * @param applied the record before the first of them: every copy of the epoch has what it and those
 *     before it say; one that says nothing may have gone to this copy alone
 * @param position where that one ends
 * @param sequence the last of them; as {@code applied}: there was none
 * @param ring a copy of the journal's ring, with these records in it; nobody changes it
 */
public record TakenTail(
        long epoch, long applied, long position, long sequence, MemorySegment ring) {
    /** Nothing was replayed. */
    public static final TakenTail NONE = new TakenTail(0, 0, 0, 0, MemorySegment.NULL);

    /** Copies the ring. */
    public static TakenTail of(
            long epoch, long applied, long position, long sequence, MemorySegment ring) {
        return new TakenTail(
                epoch,
                applied,
                position,
                sequence,
                Arena.ofAuto().allocate(ring.byteSize()).copyFrom(ring));
    }

    /** Whether no other copy of that epoch can lack a record. */
    public boolean isEmpty() {
        return sequence == applied;
    }
}
