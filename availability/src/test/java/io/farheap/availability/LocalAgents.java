package io.farheap.availability;

import io.farheap.agent.Agent;
import io.farheap.base.FarheapException;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.control.ControlTransport;
import io.farheap.replication.control.LineChannel;
import io.farheap.replication.session.AgentConnector;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
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
        try {
            synchronized (running) {
                if (ended) {
                    throw FarheapException.replica("no route to %s", replica);
                }
                Running agent = new Running(replica.host());
                running.add(agent);
                return agent;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public ControlTransport startTunnel(
            RemoteReplica replica, Path entrance, String host, int port) {
        throw new UnsupportedOperationException();
    }

    private List<Running> of(String node) {
        synchronized (running) {
            return running.stream().filter(one -> node.isEmpty() || one.node.equals(node)).toList();
        }
    }

    /** The node can't be reached from now on. */
    void lose(String node) {
        gone.add(node);
        of(node).forEach(Running::close);
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
        of("").forEach(Running::close);
        awaitEnd("");
    }

    private void awaitEnd(String node) {
        for (Running agent : of(node)) {
            try {
                if (agent.isLeft()) {
                    agent.thread.join(20_000);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw FarheapException.replica(e, "interrupted");
            }
        }
    }

    private final class Running implements ControlTransport {
        private final String node;
        private final Pipe requests = Pipe.open();
        private final Pipe replies = Pipe.open();
        private final LineChannel channel;
        private final Thread thread;
        private volatile boolean left;

        Running(String node) throws IOException {
            this.node = node;
            channel =
                    new LineChannel(
                            Channels.newInputStream(replies.source()),
                            new Requests(Channels.newOutputStream(requests.sink())));
            thread = Thread.ofPlatform().daemon().name("agent-" + node).start(this::serve);
        }

        boolean isLeft() {
            return left;
        }

        private void serve() {
            String[] arguments = {
                "--poolset-dir", directories.apply(node).toString(),
                "--log-file", "/dev/null",
                "--journal-size", "256K",
                "--heartbeat-bound", "20000",
                "--attach-bound", "20000"
            };
            PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
            try {
                int unused =
                        Agent.run(
                                arguments,
                                Channels.newInputStream(requests.source()),
                                Channels.newOutputStream(replies.sink()),
                                nowhere);
            } finally {
                closeAll(requests.source(), replies.sink());
            }
        }

        private final class Requests extends FilterOutputStream {
            Requests(OutputStream to) {
                super(to);
            }

            @Override
            public void write(byte[] line) throws IOException {
                String text = new String(line, StandardCharsets.UTF_8);
                if (!text.contains("\"heartbeat\"")) {
                    try {
                        point.before("a request to " + node);
                    } catch (CrashPoint.Crash e) {
                        Running.this.close();
                        throw new IOException(e);
                    }
                }
                out.write(line);
            }
        }

        private static void closeAll(AutoCloseable one, AutoCloseable other) {
            try (one;
                    other) {
                // both
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public LineChannel channel() {
            return channel;
        }

        @Override
        public String lastWords() {
            return "";
        }

        @Override
        public boolean hasEnded() {
            return !thread.isAlive();
        }

        @Override
        public void close() {
            left = true;
            closeAll(requests.sink(), replies.source());
        }

        @Override
        public void kill() {
            close();
        }
    }
}
