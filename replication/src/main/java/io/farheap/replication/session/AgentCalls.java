package io.farheap.replication.session;

import io.farheap.base.FarheapException;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.control.ControlClient;
import io.farheap.replication.control.ControlTimes;
import io.farheap.replication.fabric.Deadline;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reaches an agent. Where a network loses the first word of a connection, both sides wait for each
 * other until their bounds are over, though the network may be whole again at once. So one that
 * does not show itself soon is called again beside the first call, which goes on: on a busy machine
 * it may take its time. Whoever shows itself first is taken, and the other call ends: before its
 * hello an agent has no right and holds nothing (docs/protocol.md#call-again).
 */
final class AgentCalls {
    private static final Logger LOG = LoggerFactory.getLogger(AgentCalls.class);

    /** When another one is called; each later one is given half as long again. */
    private static final Duration SOON = Duration.ofSeconds(2);

    private final AgentConnector connector;
    private final RemoteReplica replica;
    private final int index;
    private final ControlTimes times;
    private final Duration soon;
    private final Object state = new Object();

    // Guarded by state.
    private ControlClient taken;
    private boolean over;

    /** One attempt, on a thread of its own. */
    private final class Call {
        private final Thread thread;

        // Guarded by state.
        private boolean ended;
        private Throwable failure;

        Call(Deadline limit) {
            thread =
                    Thread.ofPlatform()
                            .daemon()
                            .name("farheap-call-" + replica.host())
                            .start(() -> run(limit));
        }

        private void run(Deadline limit) {
            ControlClient shown = null;
            Throwable why = null;
            try {
                shown = connector.connect(replica, index, times, limit);
            } catch (RuntimeException | Error e) {
                why = e;
            }
            boolean late;
            synchronized (state) {
                late = over || taken != null;
                if (!late) {
                    taken = shown;
                }
                failure = why;
                ended = true;
                state.notifyAll();
            }
            if (late && shown != null) {
                shown.abandon();
            }
        }
    }

    private AgentCalls(
            AgentConnector connector,
            RemoteReplica replica,
            int index,
            ControlTimes times,
            Duration soon) {
        this.connector = connector;
        this.replica = replica;
        this.index = index;
        this.times = times;
        this.soon = soon;
    }

    /**
     * An agent of the replica that has shown itself.
     *
     * @param limit of this
     * @throws FarheapException why the first call failed, when none is left
     */
    static ControlClient connect(
            AgentConnector connector,
            RemoteReplica replica,
            int index,
            ControlTimes times,
            Deadline limit)
            throws InterruptedException {
        return connect(connector, replica, index, times, limit, SOON);
    }

    /**
     * The same.
     *
     * @param soon an agent that takes longer to show itself is called again
     */
    static ControlClient connect(
            AgentConnector connector,
            RemoteReplica replica,
            int index,
            ControlTimes times,
            Deadline limit,
            Duration soon)
            throws InterruptedException {
        if (limit.left(times.connect()).compareTo(soon) <= 0) {
            return connector.connect(replica, index, times, limit);
        }
        return new AgentCalls(connector, replica, index, times, soon).connect(limit);
    }

    private ControlClient connect(Deadline limit) throws InterruptedException {
        Deadline end = limit.orIn(times.connect());
        Duration patience = soon;
        Deadline next = next(patience, end);
        Call first = new Call(limit);
        Call beside = first;
        boolean ended = false;
        try {
            while (!await(first, beside, next)) {
                LOG.debug("replica {}: no agent has shown itself yet; called again", replica);
                if (beside != first) {
                    beside.thread.interrupt();
                }
                patience = patience.multipliedBy(3).dividedBy(2);
                next = next(patience, end);
                beside = new Call(next.equals(Deadline.NONE) ? end : next);
            }
            ended = true;
        } finally {
            end(ended);
            first.thread.interrupt();
            beside.thread.interrupt();
        }
        return outcome(first);
    }

    /** Until when there is no other call; the last one is given the rest of the time. */
    private Deadline next(Duration patience, Deadline end) {
        Deadline next = Deadline.in(patience);
        return end.nanos() - next.nanos() < soon.toNanos() ? Deadline.NONE : next;
    }

    /** Whether one was taken, or none is left; false: the time is over. */
    private boolean await(Call first, Call beside, Deadline next) throws InterruptedException {
        synchronized (state) {
            while (taken == null && !(first.ended && beside.ended)) {
                if (!first.ended && next.isOver()) {
                    return false;
                }
                state.wait(first.ended ? 0 : next.leftMillis());
            }
            return true;
        }
    }

    /** No call is taken any more; the one that was is of no use to a caller that gives up. */
    private void end(boolean inGoodOrder) {
        ControlClient unused;
        synchronized (state) {
            over = true;
            unused = inGoodOrder ? null : taken;
        }
        if (unused != null) {
            unused.abandon();
        }
    }

    private ControlClient outcome(Call first) {
        synchronized (state) {
            if (taken != null) {
                return taken;
            }
            if (first.failure instanceof Error fault) {
                throw fault;
            }
            throw (RuntimeException) first.failure;
        }
    }
}
