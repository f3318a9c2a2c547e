package io.farheap.agent.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.agent.config.AgentConfiguration;
import io.farheap.agent.log.AgentLog;
import io.farheap.base.FarheapException;
import io.farheap.replication.control.ControlCodec;
import io.farheap.replication.control.LineChannel;
import io.farheap.replication.control.Reply;
import io.farheap.replication.control.Request;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** One session of an agent in this process, from bytes to bytes. */
final class HostileSession {
    private final byte[] said;
    private final ByteArrayOutputStream heard = new ByteArrayOutputStream();

    HostileSession(byte[] said) {
        this.said = said;
    }

    /** Returns when the session has ended. */
    void serve(HostileGround ground) {
        LineChannel channel = new LineChannel(new ByteArrayInputStream(said), heard);
        AgentLog log = new AgentLog(AgentConfiguration.LogLevel.DEBUG, new Unread());
        boolean unused = new Session(ground.configuration(), ground.machine(), channel, log).run();
    }

    /**
     * What was answered, heartbeats and the greeting left out; fails when an answer is none to its
     * request, or tells of a fault of the agent.
     */
    List<Reply> replies() throws IOException {
        LineChannel requests = channel(said);
        LineChannel replies = channel(heard.toByteArray());
        assertThat(next(replies)).isInstanceOf(Reply.Greeting.class);
        List<Reply> all = new ArrayList<>();
        for (Reply reply = next(replies); reply != null; reply = next(replies)) {
            Request request = nextRequest(requests);
            if (reply instanceof Reply.Refused refused) {
                assertThat(refused.message()).doesNotContain("The agent failed");
            } else {
                assertThat(request).as("an answer to nothing").isNotNull();
            }
            if (reply instanceof Reply.Done done) {
                assertThat(done.request()).isEqualTo(request.type());
            }
            all.add(reply);
        }
        return all;
    }

    /** Whether the removal of the poolset file was asked for. */
    boolean asksForRemoval() throws IOException {
        LineChannel requests = channel(said);
        for (Request each = nextRequest(requests); each != null; each = nextRequest(requests)) {
            if (each instanceof Request.Remove remove && remove.poolsetFile()) {
                return true;
            }
        }
        return false;
    }

    private static LineChannel channel(byte[] bytes) {
        return new LineChannel(new ByteArrayInputStream(bytes), new ByteArrayOutputStream());
    }

    /** The next request that wants an answer; null where there is none that can be read. */
    private static Request nextRequest(LineChannel requests) throws IOException {
        try {
            Request request = new Request.Heartbeat();
            while (request instanceof Request.Heartbeat) {
                byte[] line = requests.readLine();
                request = line == null ? null : ControlCodec.decodeRequest(line);
            }
            return request;
        } catch (EOFException | FarheapException e) {
            return null;
        }
    }

    private static Reply next(LineChannel replies) throws IOException {
        Reply reply = new Reply.Heartbeat();
        while (reply instanceof Reply.Heartbeat) {
            byte[] line = replies.readLine();
            reply = line == null ? null : ControlCodec.decodeReply(line);
        }
        return reply;
    }

    private static final class Unread implements AgentLog.Sink {
        @Override
        public void write(AgentConfiguration.LogLevel level, String message) {
            // Formatting it was all that could go wrong.
        }

        @Override
        public void close() {}
    }
}
