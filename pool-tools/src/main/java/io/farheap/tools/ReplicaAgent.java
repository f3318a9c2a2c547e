package io.farheap.tools;

import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.ReplicationSettings;
import io.farheap.replication.control.AgentLauncher;
import io.farheap.replication.control.Blob;
import io.farheap.replication.control.ControlClient;
import io.farheap.replication.control.ControlTimes;
import io.farheap.replication.control.Purpose;
import io.farheap.replication.control.Reply;
import io.farheap.replication.control.Request;

/** Reaches the agent of a remote replica for a tool, which knows nothing of the pool itself. */
final class ReplicaAgent {
    private ReplicaAgent() {}

    /**
     * Starts the agent and says hello.
     *
     * @param index of the replica among the remote ones of its set
     */
    static ControlClient connect(
            ReplicationSettings settings, RemoteReplica replica, int index, Purpose purpose) {
        AgentLauncher launcher =
                new AgentLauncher(settings.remoteShell(), settings.agentCommand(index));
        ControlTimes times =
                new ControlTimes(
                        settings.attachTimeout(), settings.workTimeout(), settings.heartbeat());
        ControlClient agent = ControlClient.connect(launcher, replica, times);
        try {
            Reply.Verdict unused =
                    agent.hello(
                            new Request.Hello(
                                    Reply.VERSION,
                                    purpose,
                                    replica.descriptor(),
                                    "",
                                    "",
                                    0,
                                    Blob.EMPTY,
                                    0,
                                    0,
                                    false,
                                    false,
                                    false,
                                    "farheap, process " + ProcessHandle.current().pid(),
                                    Math.toIntExact(settings.heartbeat().toMillis())));
            return agent;
        } catch (RuntimeException e) {
            agent.abandon();
            throw e;
        }
    }
}
