package io.farheap.replication.epoch;

import io.farheap.base.FarheapException;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.dirty.Bases;
import io.farheap.replication.session.ReplicaSession;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Who leaves an open pool (docs/protocol.md#leave-by-number): those that the switch under way is to
 * be without, which are replicas until the pool has its number, and those that have left. For the
 * thread that switches.
 */
final class Departures {
    /**
     * What a switch is to be without.
     *
     * @param going those
     * @param least so many others that commits wait for must be reached in it, or nobody leaves
     */
    record Order(List<ReplicaTracker> going, int least) {
        static final Order NONE = new Order(List.of(), 0);

        Order {
            going = List.copyOf(going);
        }

        boolean isNone() {
            return going.isEmpty();
        }
    }

    /**
     * One that has left.
     *
     * @param member its connections if it was a member until then: to be closed; else null
     */
    record Left(ReplicaTracker copy, ReplicaSession member) {}

    private Order order = Order.NONE;

    /** The pool's number when that was ordered. */
    private long number;

    /** Where the content of those that left was the pool's, in which they had no part since. */
    private final Map<RemoteReplica, Bases> departed = new HashMap<>();

    private final List<Left> left = new ArrayList<>();

    /**
     * @param runId the pool's number
     */
    void begin(Order wanted, long runId) {
        order = wanted;
        number = runId;
    }

    /** Those that the switch under way is to be without, if it has not passed yet. */
    List<ReplicaTracker> going() {
        return order.going();
    }

    boolean isGoing(ReplicaTracker copy) {
        return order.going().contains(copy);
    }

    /** How many others there must be. */
    int least() {
        return order.least();
    }

    /** Whether the pool has another number by now than when they were to go. */
    boolean havePassed(long runId) {
        return !order.isNone() && runId != number;
    }

    /** They are replicas no more. */
    void passed(List<Left> gone) {
        gone.forEach(one -> departed.put(one.copy().remote(), one.copy().bases()));
        left.addAll(gone);
        order = Order.NONE;
    }

    /**
     * @param whole others that were reached, and that commits wait for
     * @throws FarheapException when those that are to go are missed
     */
    void requireOthers(Object poolset, long whole) {
        if (whole < order.least()) {
            throw FarheapException.replica(
                    "%s: no replica that stays was reached, so those that the file does not name any"
                            + " more stay, too",
                    poolset);
        }
    }

    /** Where its content was the pool's, of one that left in this run. */
    Bases known(RemoteReplica remote) {
        return departed.getOrDefault(remote, Bases.NONE);
    }

    /** Those that have left since this was asked last. */
    List<Left> takeLeft() {
        List<Left> taken = List.copyOf(left);
        left.clear();
        return taken;
    }
}
