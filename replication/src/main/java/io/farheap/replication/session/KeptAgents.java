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
 * Agents that are started before they are needed, and that stay for what is done next with the
 * replica that they have shown: to start one takes as long as to copy some hundred MiB. Meanwhile
 * they have no right, and hold nothing. Thread-safe.
 */
public final class KeptAgents implements AgentConnector, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(KeptAgents.class);

    private final AgentConnector starter;
    private final Map<RemoteReplica, ControlClient> kept = new HashMap<>();

    /** Nobody has heard their greeting yet. Guarded by kept. */
    private final Map<RemoteReplica, ControlTransport> ahead = new HashMap<>();

    /**
     * @param starter starts those that are not kept
     */
    public KeptAgents(AgentConnector starter) {
        this.starter = starter;
    }

    /**
     * Starts the agent of a replica that is looked at soon, or gets to one that listens, and waits
     * for nothing.
     *
     * @param index the replica's place among the remote ones of its poolset
     */
    public void startAhead(RemoteReplica replica, int index) {
        ControlTransport started;
        try {
            started = starter.start(replica, index);
        } catch (FarheapException e) { // whoever connects tries it again, and hears why
            LOG.debug("an agent could not be started ahead: {}", e.getMessage());
            return;
        }
        ControlTransport earlier;
        synchronized (kept) {
            earlier = ahead.put(replica, started);
        }
        if (earlier != null) {
            earlier.kill();
        }
        Thread unused =
                Thread.ofPlatform()
                        .daemon()
                        .name("farheap-reach-" + replica.host())
                        .start(started::reach);
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

    /** One that is here goes with this; one that was lost meanwhile is started anew. */
    @Override
    public ControlClient connect(
            RemoteReplica replica, int index, ControlTimes times, Deadline limit) {
        ControlClient control;
        ControlTransport started;
        synchronized (kept) {
            control = kept.remove(replica);
            started = ahead.remove(replica);
        }
        boolean lives = control != null && control.failure() == null;
        if (started != null && (lives || started.hasEnded())) {
            started.kill();
            started = null;
        }
        if (lives) {
            control.within(limit);
            return control;
        }
        return started != null
                ? ControlClient.connect(started, replica, times, limit)
                : starter.connect(replica, index, times, limit);
    }

    /** Ends those that nobody took. */
    @Override
    public void close() {
        Map<RemoteReplica, ControlClient> left;
        Map<RemoteReplica, ControlTransport> unheard;
        synchronized (kept) {
            left = Map.copyOf(kept);
            unheard = Map.copyOf(ahead);
            kept.clear();
            ahead.clear();
        }
        left.values().forEach(KeptAgents::end);
        unheard.values().forEach(ControlTransport::kill);
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
