package io.farheap.replication.control;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;

/** A control connection between an initiator and an agent that is played in its process. */
public final class AgentPipes {
    private final Pipe toAgent;
    private final Pipe toInitiator;
    private final LineChannel agent;
    private final LineChannel initiator;

    /** Both ends are open. */
    public AgentPipes() {
        try {
            toAgent = Pipe.open();
            toInitiator = Pipe.open();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        agent = channel(toAgent, toInitiator);
        initiator = channel(toInitiator, toAgent);
    }

    private static LineChannel channel(Pipe in, Pipe out) {
        return new LineChannel(
                Channels.newInputStream(in.source()), Channels.newOutputStream(out.sink()));
    }

    /** The agent's end. */
    public LineChannel agent() {
        return agent;
    }

    /** The initiator's end. */
    public LineChannel initiator() {
        return initiator;
    }

    /** As an agent's process ends. */
    public void closeAgent() {
        closeBoth(toInitiator.sink(), toAgent.source());
    }

    /** As an initiator lets an agent go. */
    public void closeInitiator() {
        closeBoth(toAgent.sink(), toInitiator.source());
    }

    private static void closeBoth(AutoCloseable one, AutoCloseable other) {
        try (one;
                other) {
            // both are closed
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
