package io.farheap.replication.session;

import io.farheap.base.FarheapException;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.control.ControlClient;
import io.farheap.replication.control.ControlTimes;
import io.farheap.replication.control.ControlTransport;
import io.farheap.replication.fabric.Deadline;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Agents that have shown their replica and stay for what is done with it next: to start one takes
 * as long as to copy some hundred MiB. Meanwhile they have no right, and hold nothing. Thread-safe.
 */
public final class KeptAgents implements AgentConnector, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(KeptAgents.class);

    private final AgentConnector starter;
    private final Map<RemoteReplica, ControlClient> kept = new HashMap<>();

    /**
     * @param starter starts those that are not kept
     */
    public KeptAgents(AgentConnector starter) {
        this.starter = starter;
    }

    /** Takes the agent of a session that only looked at its replica; the session is done with. */
    public void keep(ReplicaSession looked) {
        ControlClient earlier;
        synchronized (kept) {
            earlier = kept.put(looked.replica(), looked.control());
        }
        end(earlier);
    }

    @Override
    public ControlTransport start(RemoteReplica replica, int index) {
        return starter.start(replica, index);
    }

    @Override
    public ControlTransport startTunnel(
            RemoteReplica replica, Path entrance, String host, int port) {
        return starter.startTunnel(replica, entrance, host, port);
    }

    /** One that is kept goes with this; one that was lost meanwhile is started anew. */
    @Override
    public ControlClient connect(
            RemoteReplica replica, int index, ControlTimes times, Deadline limit) {
        ControlClient control;
        synchronized (kept) {
            control = kept.remove(replica);
        }
        if (control == null || control.failure() != null) {
            return starter.connect(replica, index, times, limit);
        }
        control.within(limit);
        return control;
    }

    /** Ends those that nobody took. */
    @Override
    public void close() {
        Map<RemoteReplica, ControlClient> left;
        synchronized (kept) {
            left = Map.copyOf(kept);
            kept.clear();
        }
        left.values().forEach(KeptAgents::end);
    }

    private static void end(ControlClient control) {
        try {
            if (control != null) {
                control.close();
            }
        } catch (FarheapException e) { // it has done nothing, and nobody needs it
            LOG.debug("an agent that was kept did not end in good order: {}", e.getMessage());
        }
    }
}
