package io.farheap.simulation.net;

import io.farheap.replication.control.ControlTransport;
import io.farheap.replication.control.LineChannel;
import io.farheap.simulation.engine.SimProcess;

/** What ssh is: an agent that was started on a target, and its standard streams. */
public final class ControlLine implements ControlTransport {
    private final Pipe toAgent;
    private final Pipe toInitiator;
    private final LineChannel initiator;
    private String lastWords = "";

    /**
     * @param from who starts the agent
     */
    public ControlLine(Link link, SimProcess from) {
        toAgent = new Pipe(link, true);
        toInitiator = new Pipe(link, false);
        toAgent.writtenBy(from);
        toInitiator.readBy(from);
        initiator = new LineChannel(toInitiator.input(), toAgent.output());
    }

    /** The agent's ends of it. */
    public LineChannel agentsEnd(SimProcess agent) {
        toAgent.readBy(agent);
        toInitiator.writtenBy(agent);
        return new LineChannel(toAgent.input(), toInitiator.output());
    }

    /** Nobody could be started there. */
    public void refuse(String why) {
        lastWords = why;
        toInitiator.closeWriter();
    }

    @Override
    public LineChannel channel() {
        return initiator;
    }

    @Override
    public String lastWords() {
        return lastWords;
    }

    @Override
    public void close() {
        kill();
    }

    @Override
    public void kill() {
        toAgent.closeWriter();
    }
}
