package io.farheap.agent;

import io.farheap.replication.control.ControlTransport;
import io.farheap.replication.control.LineChannel;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** A real agent on a thread of this process, between two pipes: no fake, whose files are real. */
public final class AgentThread implements ControlTransport {
    private final List<String> arguments;
    private final PrintStream errors;
    private final Pipe requests;
    private final Pipe replies;
    private final LineChannel channel;
    private final Thread thread;
    private volatile boolean left;

    private AgentThread(List<String> arguments, PrintStream errors, Consumer<String> before)
            throws IOException {
        this.arguments = arguments;
        this.errors = errors;
        requests = Pipe.open();
        replies = Pipe.open();
        channel =
                new LineChannel(
                        Channels.newInputStream(replies.source()),
                        new Requests(Channels.newOutputStream(requests.sink()), before));
        thread = Thread.ofPlatform().daemon().name("agent").start(this::serve);
    }

    /** Starts one with these words of its command line. */
    public static AgentThread start(List<String> arguments, PrintStream errors) {
        return start(arguments, errors, request -> {});
    }

    /**
     * The same with a look at what it is asked.
     *
     * @param before is given each request; where it throws, the agent never hears of that one nor
     *     of its initiator again
     */
    public static AgentThread start(
            List<String> arguments, PrintStream errors, Consumer<String> before) {
        try {
            return new AgentThread(arguments, errors, before);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private final class Requests extends FilterOutputStream {
        private final Consumer<String> before;

        Requests(OutputStream to, Consumer<String> before) {
            super(to);
            this.before = before;
        }

        @Override
        public void write(byte[] line) throws IOException {
            try {
                before.accept(new String(line, StandardCharsets.UTF_8));
            } catch (RuntimeException e) {
                AgentThread.this.close();
                throw new IOException(e);
            }
            out.write(line);
        }
    }

    private void serve() {
        try {
            int unused =
                    Agent.run(
                            arguments.toArray(String[]::new),
                            Channels.newInputStream(requests.source()),
                            Channels.newOutputStream(replies.sink()),
                            errors);
        } finally {
            closeAll(requests.source(), replies.sink());
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

    /** Takes its initiator away from it; it ends soon. */
    @Override
    public void close() {
        left = true;
        closeAll(requests.sink(), replies.source());
    }

    @Override
    public void kill() {
        close();
    }

    /** Whether its initiator was taken away from it. */
    public boolean isLeft() {
        return left;
    }

    /** Whether it ends within a bound. */
    public boolean awaitEnd(Duration bound) throws InterruptedException {
        return thread.join(bound);
    }
}
