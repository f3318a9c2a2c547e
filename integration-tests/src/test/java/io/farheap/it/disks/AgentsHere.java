package io.farheap.it.disks;

import io.farheap.agent.Agent;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channel;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Agents on threads of this process, in place of those that a remote shell would start: not {@link
 * io.farheap.agent.AgentThread}s, because what starts a remote shell wants processes.
 */
final class AgentsHere {
    private static final String[] NO_ROUTE = {};

    private final String[] arguments;
    private final Set<Running> running = ConcurrentHashMap.newKeySet();
    private volatile boolean reachable = true;

    /**
     * @param poolsets the target's directory
     */
    AgentsHere(Path poolsets) {
        arguments =
                new String[] {
                    "--poolset-dir", poolsets.toString(),
                    "--log-file", "/dev/null",
                    "--journal-size", "256K",
                    "--heartbeat-bound", "10000",
                    "--attach-bound", "5000"
                };
    }

    /** What the remote shell's command becomes. */
    Process start(List<String> command) {
        try {
            Running agent = new Running(reachable ? arguments : NO_ROUTE);
            running.add(agent);
            return agent;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether agents that are started from now on are reached. */
    void setReachable(boolean reachable) {
        this.reachable = reachable;
    }

    /** Takes their standard streams away from all of them. */
    void cutOff() {
        running.forEach(Process::destroy);
    }

    /** Whether all have ended within a bound. */
    boolean awaitEnd() throws InterruptedException {
        for (Running agent : running) {
            if (!agent.waitFor(20, TimeUnit.SECONDS)) {
                return false;
            }
        }
        running.clear();
        return true;
    }

    private static final class Running extends Process {
        private final Pipe in = Pipe.open();
        private final Pipe out = Pipe.open();
        private final Pipe err = Pipe.open();
        private final CompletableFuture<Integer> exit;

        Running(String[] arguments) throws IOException {
            exit =
                    CompletableFuture.supplyAsync(
                            () -> run(arguments),
                            task -> Thread.ofPlatform().daemon().name("agent").start(task));
        }

        private int run(String[] arguments) {
            PrintStream errors =
                    new PrintStream(
                            Channels.newOutputStream(err.sink()), true, StandardCharsets.UTF_8);
            try {
                if (arguments == NO_ROUTE) {
                    errors.println("No route to host");
                    return 255;
                }
                InputStream requests = Channels.newInputStream(in.source());
                OutputStream replies = Channels.newOutputStream(out.sink());
                return Agent.run(arguments, requests, replies, errors);
            } finally {
                close(in.source());
                close(out.sink());
                close(err.sink());
            }
        }

        private static void close(Channel channel) {
            try {
                channel.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public OutputStream getOutputStream() {
            return Channels.newOutputStream(in.sink());
        }

        @Override
        public InputStream getInputStream() {
            return Channels.newInputStream(out.source());
        }

        @Override
        public InputStream getErrorStream() {
            return Channels.newInputStream(err.source());
        }

        @Override
        public int waitFor() throws InterruptedException {
            try {
                return exit.get();
            } catch (ExecutionException e) {
                throw new IllegalStateException("an agent died", e.getCause());
            }
        }

        @Override
        public boolean waitFor(long timeout, TimeUnit unit) throws InterruptedException {
            try {
                int unused = exit.get(timeout, unit);
                return true;
            } catch (TimeoutException e) {
                return false;
            } catch (ExecutionException e) {
                throw new IllegalStateException("an agent died", e.getCause());
            }
        }

        @Override
        public int exitValue() {
            if (!exit.isDone()) {
                throw new IllegalThreadStateException("it runs");
            }
            return exit.join();
        }

        @Override
        public void destroy() {
            close(in.sink());
            close(out.source());
        }

        @Override
        public Process destroyForcibly() {
            destroy();
            return this;
        }
    }
}
