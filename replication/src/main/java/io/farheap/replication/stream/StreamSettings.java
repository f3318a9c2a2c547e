package io.farheap.replication.stream;

import io.farheap.base.FarheapException;
import io.farheap.replication.fabric.WaitStrategy;
import java.time.Duration;

/**
 * How a commit stream waits.
 *
 * @param commitTimeout bound for the durability of a record, and for room in the ring
 * @param waiting how committers wait that don't poll the fabric themselves
 * @param batchesInFlight how many unanswered batches there may be; what is appended meanwhile
 *     becomes the next one. More hides latency, fewer makes larger batches
 * @param idle how long a stream is silent before an empty record tells what was committed
 * @param lag how far members may be behind that commits don't wait for
 */
public record StreamSettings(
        Duration commitTimeout,
        WaitStrategy waiting,
        int batchesInFlight,
        Duration idle,
        LagBound lag) {
    public static final StreamSettings DEFAULTS =
            new StreamSettings(
                    Duration.ofSeconds(10),
                    WaitStrategy.DEFAULT,
                    2,
                    Duration.ofMillis(100),
                    LagBound.DEFAULT);

    /**
     * @throws FarheapException WRONG_USE for a number of batches that no replica takes
     */
    public StreamSettings {
        if (batchesInFlight < 1 || batchesInFlight > ApmPoint.SLOTS) {
            throw FarheapException.wrongUse(
                    "A commit stream can have 1 to %s unanswered batches in flight, not %s.",
                    ApmPoint.SLOTS, batchesInFlight);
        }
    }

    /** The same with another bound for commits. */
    StreamSettings withCommitTimeout(Duration bound) {
        return new StreamSettings(bound, waiting, batchesInFlight, idle, lag);
    }
}
