package io.farheap.availability;

import io.farheap.agent.AgentThread;
import io.farheap.base.FarheapException;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.control.ControlTransport;
import io.farheap.replication.session.AgentConnector;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Agents of the nodes' copies on threads of this process, as one writer starts them: each control
 * message of it is something before which it may stop.
 */
final class LocalAgents implements AgentConnector {
    private final Function<String, Path> directories;
    private final CrashPoint point;
    private final Set<String> gone = ConcurrentHashMap.newKeySet();
    private final List<Running> running = new ArrayList<>();
    private boolean ended;

    LocalAgents(Function<String, Path> directories, CrashPoint point) {
        this.directories = directories;
        this.point = point;
    }

    @Override
    public ControlTransport start(RemoteReplica replica, int index) {
        if (point.isOver() || gone.contains(replica.host())) {
            throw FarheapException.replica("no route to %s", replica);
        }
        awaitEnd(replica.host()); // who has the lock still would be ended as a process
        synchronized (running) {
            if (ended) {
                throw FarheapException.replica("no route to %s", replica);
            }
            Running started = new Running(replica.host(), agentOf(replica.host()));
            running.add(started);
            return started.agent();
        }
    }

    @Override
    public ControlTransport startTunnel(
            RemoteReplica replica, Path entrance, String host, int port) {
        throw new UnsupportedOperationException();
    }

    private List<AgentThread> of(String node) {
        synchronized (running) {
            return running.stream()
                    .filter(one -> node.isEmpty() || one.node().equals(node))
                    .map(Running::agent)
                    .toList();
        }
    }

    /** The node can't be reached from now on. */
    void lose(String node) {
        gone.add(node);
        of(node).forEach(AgentThread::close);
    }

    void findAgain(String node) {
        gone.remove(node);
    }

    /**
     * Takes their initiator away from all of them, and waits for their ends. A thread that was
     * about to start one when its pool was closed starts none.
     */
    void end() {
        synchronized (running) {
            ended = true;
        }
        of("").forEach(AgentThread::close);
        awaitEnd("");
    }

    private void awaitEnd(String node) {
        for (AgentThread agent : of(node)) {
            try {
                if (agent.isLeft()) {
                    boolean unused = agent.awaitEnd(Duration.ofSeconds(20));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw FarheapException.replica(e, "interrupted");
            }
        }
    }

    /** Its agents, and whose they are. */
    private record Running(String node, AgentThread agent) {}

    private AgentThread agentOf(String node) {
        List<String> arguments =
                List.of(
                        "--poolset-dir", directories.apply(node).toString(),
                        "--log-file", "/dev/null",
                        "--journal-size", "256K",
                        "--heartbeat-bound", "20000",
                        "--attach-bound", "20000");
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
        return AgentThread.start(
                arguments,
                nowhere,
                request -> {
                    if (!request.contains("\"heartbeat\"")) {
                        point.before("a request to " + node);
                    }
                });
    }
}
