package io.farheap.replication.session;

import io.farheap.base.FarheapException;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.control.AgentLauncher;
import io.farheap.replication.control.ControlClient;
import io.farheap.replication.control.ControlTimes;
import io.farheap.replication.control.ControlTransport;
import io.farheap.replication.control.ListeningAgent;
import io.farheap.replication.fabric.Deadline;
import java.nio.file.Path;

/** How the agents of a poolset's remote replicas are started, or reached. */
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

    /** As the settings say of each: one that listens, or by the remote shell. */
    static AgentConnector of(ReplicationSettings settings) {
        return new AgentConnector() {
            @Override
            public ControlTransport start(RemoteReplica replica, int index) {
                if (settings.tls().isFor(replica)) {
                    return listening(replica);
                }
                return launcher(index).launch(replica);
            }

            private ControlTransport listening(RemoteReplica replica) {
                if (settings.dataThroughSsh()) {
                    throw FarheapException.wrongUse(
                            "replica %s: connect is tls and data is ssh: what goes to an agent that"
                                    + " listens does not go through ssh; set one of them to another"
                                    + " value",
                            replica);
                }
                return new ListeningAgent(
                        replica,
                        settings.tls().portOf(replica),
                        settings.tls().files(),
                        settings.attachTimeout());
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
