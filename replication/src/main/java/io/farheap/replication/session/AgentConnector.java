package io.farheap.replication.session;

import io.farheap.base.FarheapException;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.control.AgentLauncher;
import io.farheap.replication.control.ControlClient;
import io.farheap.replication.control.ControlTimes;
import io.farheap.replication.control.ControlTransport;
import io.farheap.replication.fabric.Deadline;
import java.nio.file.Path;

/** How the agents of a poolset's remote replicas are started. */
public interface AgentConnector {

    /**
     * Starts the agent.
     *
     * @param index the replica's place among the remote ones of its poolset
     */
    ControlTransport start(RemoteReplica replica, int index);

    /**
     * Starts the agent and waits for its greeting.
     *
     * @param limit of this and of all that follows
     * @throws FarheapException category REPLICA when none came in time
     */
    default ControlClient connect(
            RemoteReplica replica, int index, ControlTimes times, Deadline limit) {
        return ControlClient.connect(start(replica, index), replica, times, limit);
    }

    /** Starts what makes the socket {@code entrance} and forwards it to a port of the target. */
    ControlTransport startTunnel(RemoteReplica replica, Path entrance, String host, int port);

    /** By the remote shell that the settings name. */
    static AgentConnector byRemoteShell(ReplicationSettings settings) {
        return new AgentConnector() {
            @Override
            public ControlTransport start(RemoteReplica replica, int index) {
                return launcher(index).launch(replica);
            }

            @Override
            public ControlTransport startTunnel(
                    RemoteReplica replica, Path entrance, String host, int port) {
                return launcher(0).launchTunnel(replica, entrance, host, port);
            }

            private AgentLauncher launcher(int index) {
                return new AgentLauncher(settings.remoteShell(), settings.agentCommand(index));
            }
        };
    }
}
