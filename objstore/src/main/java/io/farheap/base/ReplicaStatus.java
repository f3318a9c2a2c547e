package io.farheap.base;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * How a remote replica of an open pool is at one instant.
 *
 * @param replica as written in the poolset file: {@code [user@]host[:port] name.set}
 * @param policy what happens while it can't be reached
 * @param state whether it has everything that was committed
 * @param epoch the last epoch that it was a member of, a value of the pool's run_id; 0 where that
 *     is not known
 * @param sequence the last record of that epoch that it is known to have
 * @param lagBytes at most so many bytes of the pool differ from it, -1 where that is not known;
 *     when it is attached, bytes of records that it does not have yet: 0 but under {@link
 *     ReplicaPolicy#ASYNC}
 * @param lag how long it has been without what was committed; when it is attached, the age of the
 *     oldest record that it does not have yet: zero but under ASYNC
 * @param since when it came into this state
 * @param reason why it is in this state, one sentence
 * @param nextStep what an operator can do; empty: nothing needs to be done
 * @param differences bytes that are not the pool's, as far as they were compared since the pool was
 *     opened; empty: none were found
 */
public record ReplicaStatus(
        String replica,
        ReplicaPolicy policy,
        State state,
        long epoch,
        long sequence,
        long lagBytes,
        Duration lag,
        Instant since,
        String reason,
        String nextStep,
        List<ReplicaDifference> differences) {

    public ReplicaStatus {
        differences = List.copyOf(differences);
    }

    /** Whether it has everything that was committed. */
    public enum State {
        /** It has every commit that returned; under {@link ReplicaPolicy#ASYNC} it may lag. */
        ATTACHED,
        /** It can't be reached, and is looked for. Its copy is whole, and older. */
        LOST,
        /** It is being brought up to date; its copy can't be used until that is done. */
        SYNCING,
        /** It can be reached, and must not be overwritten without an order. */
        REFUSED
    }
}
