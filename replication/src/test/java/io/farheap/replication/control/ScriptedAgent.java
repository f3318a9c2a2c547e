package io.farheap.replication.control;

import java.io.IOException;

/** The agent's end of a control connection, in this process: what it says is up to the test. */
final class ScriptedAgent implements AutoCloseable {
    private final AgentPipes pipes = new AgentPipes();
    private final LineChannel channel = pipes.agent();
    private volatile boolean killed;
    private volatile String lastWords = "";

    ScriptedAgent greets() throws IOException {
        say(new Reply.Greeting(Reply.PROTOCOL, Reply.VERSION, 1, "target"));
        return this;
    }

    void say(Reply reply) throws IOException {
        channel.writeLine(ControlCodec.encode(reply));
    }

    void sayBytes(String line) throws IOException {
        channel.writeLine(line.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }

    /** The next request that is no heartbeat; null at the end. */
    Request hear() throws IOException {
        for (byte[] line = channel.readLine(); line != null; line = channel.readLine()) {
            Request request = ControlCodec.decodeRequest(line);
            if (!(request instanceof Request.Heartbeat)) {
                return request;
            }
        }
        return null;
    }

    /** The next request, heartbeats too. */
    Request hearAny() throws IOException {
        byte[] line = channel.readLine();
        return line == null ? null : ControlCodec.decodeRequest(line);
    }

    void dies(String words) {
        lastWords = words;
        pipes.closeAgent();
    }

    boolean wasKilled() {
        return killed;
    }

    ControlTransport transport() {
        return new ControlTransport() {
            @Override
            public LineChannel channel() {
                return pipes.initiator();
            }

            @Override
            public String lastWords() {
                return lastWords;
            }

            @Override
            public void close() {
                pipes.closeInitiator();
            }

            @Override
            public void kill() {
                killed = true;
                pipes.closeInitiator();
            }
        };
    }

    @Override
    public void close() {
        dies("");
        pipes.closeInitiator();
    }
}
