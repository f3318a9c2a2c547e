package io.farheap.replication.epoch;

/**
 * What a copy had at its end when its node took the pool over, all of which it has replayed. Others
 * of the same epoch may lack some of it.
 *
 * @param epoch whose records these were
 * @param applied the last record before them: every copy has that one
 * @param sequence the last of them
 */
public record TakenTail(long epoch, long applied, long sequence) {
    /** Nothing was replayed. */
    public static final TakenTail NONE = new TakenTail(0, 0, 0);

    /** The same of an earlier attempt: any record up to the last one may be lacking elsewhere. */
    public static TakenTail unknown(long epoch, long sequence) {
        return new TakenTail(epoch, 0, sequence);
    }

    /** Whether no other copy of that epoch can lack a record. */
    public boolean isEmpty() {
        return sequence == applied;
    }
}
