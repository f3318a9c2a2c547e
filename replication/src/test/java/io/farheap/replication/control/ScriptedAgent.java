package io.farheap.replication.control;

import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;

/** The agent's end of a control connection, in this process: what it says is up to the test. */
final class ScriptedAgent implements AutoCloseable {
    private final Pipe toAgent = Pipe.open();
    private final Pipe toInitiator = Pipe.open();
    private final LineChannel channel =
            new LineChannel(
                    Channels.newInputStream(toAgent.source()),
                    Channels.newOutputStream(toInitiator.sink()));
    private volatile boolean killed;
    private volatile String lastWords = "";

    ScriptedAgent() throws IOException {}

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

    void dies(String words) throws IOException {
        lastWords = words;
        toInitiator.sink().close();
        toAgent.source().close();
    }

    boolean wasKilled() {
        return killed;
    }

    ControlTransport transport() {
        LineChannel initiator =
                new LineChannel(
                        Channels.newInputStream(toInitiator.source()),
                        Channels.newOutputStream(toAgent.sink()));
        return new ControlTransport() {
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
                closeInitiator();
            }

            @Override
            public void kill() {
                killed = true;
                closeInitiator();
            }
        };
    }

    private void closeInitiator() {
        try {
            toAgent.sink().close();
            toInitiator.source().close();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() throws IOException {
        dies("");
        closeInitiator();
    }
}
