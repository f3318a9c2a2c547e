package io.farheap.replication.control;

import io.farheap.base.FarheapException;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.fabric.Deadline;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The initiator's end of a control connection. Requests go one at a time; heartbeats run beside
 * them once {@link #hello} was sent. Every wait is bounded. Once something failed, everything after
 * it fails with the same reason, and the agent is ended. Thread-safe.
 */
public final class ControlClient implements AutoCloseable {
    private static final Duration BYE = Duration.ofSeconds(5);

    /** How long an agent may take to log that it has no version in common with this program. */
    private static final Duration VERSION_TOLD = Duration.ofSeconds(2);

    /** How long what the agent wrote before its end may be on its way. */
    private static final long LAST_WORD_MILLIS = 500;

    private static final Reply BYE_DONE = new Reply.Done(new Request.Bye().type());

    private final RemoteReplica replica;
    private final ControlTransport transport;
    private final ControlTimes times;
    private final LineWriter writer;
    private final StrayOutput stray;
    private final Object calling = new Object();
    private final Object state = new Object();

    /** Set before anybody else has this. */
    private int version;

    /** Guarded by calling: an agent that only showed its replica hears another hello. */
    private boolean beating;

    // Guarded by state.
    private Reply answer;
    private Deadline limit = Deadline.NONE;
    private boolean awaiting = true; // the greeting is the first
    private boolean greetingTaken;
    private boolean readerEnded;
    private long lastHeardNanos = System.nanoTime();
    private LongSupplier received = () -> 0;
    private long receivedThen;
    private FarheapException failure;
    private boolean closed;
    private Consumer<FarheapException> onLost = reason -> {};

    private ControlClient(RemoteReplica replica, ControlTransport transport, ControlTimes times) {
        this.replica = replica;
        this.transport = transport;
        this.times = times;
        this.writer = new LineWriter(transport.channel());
        this.stray = new StrayOutput(replica.toString());
    }

    /**
     * Waits for the greeting of an agent that was just started.
     *
     * @throws FarheapException category REPLICA when none came in time, with what the remote shell
     *     wrote
     */
    public static ControlClient connect(
            ControlTransport transport, RemoteReplica replica, ControlTimes times) {
        return connect(transport, replica, times, Deadline.NONE);
    }

    /** The same, with a limit from the start ({@link #within}). */
    public static ControlClient connect(
            ControlTransport transport, RemoteReplica replica, ControlTimes times, Deadline limit) {
        ControlClient client = new ControlClient(replica, transport, times);
        boolean greeted = false;
        try {
            client.begin(limit);
            greeted = true;
            return client;
        } finally {
            if (!greeted) {
                client.abandon();
            }
        }
    }

    private void begin(Deadline limit) {
        within(limit);
        Thread.ofPlatform().daemon().name("farheap-control-" + replica.host()).start(this::read);
        Reply.Greeting greeting =
                await(times.connect(), Reply.Greeting.class, "the agent's greeting");
        synchronized (state) {
            greetingTaken = true;
        }
        if (!greeting.protocol().equals(Reply.PROTOCOL)) {
            throw fail(
                    "what was started there speaks "
                            + greeting.protocol()
                            + " "
                            + greeting.version()
                            + ", this program "
                            + SpokenVersions.OURS
                            + ": it is no agent of Farheap; see what is started there (RPMEM_CMD)",
                    null);
        }
        SpokenVersions agents = greeting.spoken();
        version = SpokenVersions.OURS.agreedWith(agents).orElseThrow(() -> noCommonVersion(agents));
    }

    /** The agent's log is to say it, too. */
    private FarheapException noCommonVersion(SpokenVersions agents) {
        String what =
                "the agent speaks "
                        + agents
                        + ", this program "
                        + SpokenVersions.OURS
                        + "; "
                        + SpokenVersions.advice(agents, SpokenVersions.OURS);
        FarheapException said = sayingSo();
        FarheapException unused = fail(what, said);
        return FarheapException.replica(
                said,
                "replica %s: %s; %s: %s",
                replica,
                what,
                said instanceof RefusedException ? "the agent says" : "and instead of a refusal",
                said.getMessage().replace("replica " + replica + ": ", ""));
    }

    /** What the agent makes of a hello that it has to refuse. */
    private FarheapException sayingSo() {
        try {
            Reply answer = call(Request.Hello.toBeRefused(replica), Reply.class, VERSION_TOLD);
            return FarheapException.replica("replica %s: %s, no refusal", replica, answer.type());
        } catch (FarheapException e) {
            return e;
        }
    }

    /** The version of the protocol that both sides use: the highest that both know. */
    public int version() {
        return version;
    }

    /** From now on no answer is waited for beyond this, whatever its own bound; nor one already. */
    public void within(Deadline end) {
        synchronized (state) {
            limit = end;
            state.notifyAll();
        }
    }

    /** The replica at the other end. */
    RemoteReplica replica() {
        return replica;
    }

    /**
     * What else arrives from the agent's machine is a sign of life, too.
     *
     * @param count grows with it
     */
    public void alsoHeardBy(LongSupplier count) {
        synchronized (state) {
            received = count;
        }
    }

    /** Called once, on some thread, when the connection is lost; at once if it is lost already. */
    public void onLost(Consumer<FarheapException> listener) {
        FarheapException lost;
        synchronized (state) {
            onLost = listener;
            lost = failure;
        }
        if (lost != null) {
            listener.accept(lost);
        }
    }

    /** Why the connection is lost, or null while it is not. */
    public FarheapException failure() {
        synchronized (state) {
            return failure;
        }
    }

    /** The same, of a loss that others may have noticed first; waits so long for it. */
    public FarheapException failureWithin(Duration bound) {
        long deadline = System.nanoTime() + bound.toNanos();
        synchronized (state) {
            for (long left = bound.toNanos();
                    failure == null && left > 0;
                    left = deadline - System.nanoTime()) {
                try {
                    state.wait(left / 1_000_000 + 1);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return failure;
                }
            }
            return failure;
        }
    }

    /**
     * Sends the hello, starts the heartbeat, and returns the verdict. Once more only after one for
     * INSPECT.
     */
    public Reply.Verdict hello(Request.Hello hello) {
        synchronized (calling) {
            post(hello);
            if (!beating) {
                beating = true;
                Thread.ofPlatform()
                        .daemon()
                        .name("farheap-heartbeat-" + replica.host())
                        .start(this::beat);
            }
            Reply.Verdict verdict = await(times.work(), Reply.Verdict.class, "the answer to hello");
            if (verdict.version() != null && verdict.version() != version) {
                throw fail(
                        "answered in version "
                                + verdict.version()
                                + " of the protocol where "
                                + version
                                + " is the highest that both know",
                        null);
            }
            return verdict;
        }
    }

    /**
     * Sends a request and waits for its answer.
     *
     * @throws RefusedException when the agent refuses; the connection stays usable
     * @throws FarheapException category REPLICA when the connection is lost
     */
    public <R extends Reply> R call(Request request, Class<R> expected) {
        return call(request, expected, times.work());
    }

    private <R extends Reply> R call(Request request, Class<R> expected, Duration bound) {
        synchronized (calling) {
            post(request);
            R reply = await(bound, expected, "the answer to " + request.type());
            if (reply instanceof Reply.Done
                    && !((Reply.Done) reply).request().equals(request.type())) {
                throw fail("answered " + reply + " to " + request.type(), null);
            }
            return reply;
        }
    }

    /** A request whose answer is only that it was done. */
    public void perform(Request request) {
        Reply.Done unused = call(request, Reply.Done.class);
    }

    private void post(Request request) {
        synchronized (state) {
            throwIfFailed();
            awaiting = true;
        }
        send(request);
    }

    private void send(Request request) {
        try {
            writer.write(ControlCodec.encode(request), times.silence().toMillis());
        } catch (IOException e) {
            if (!isAnsweredAllTheSame()) {
                throw lost(e);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw fail("interrupted while sending " + request.type(), e);
        }
    }

    /** An agent that ends says why, and then nobody takes what is sent to it. */
    private boolean isAnsweredAllTheSame() {
        Deadline end = Deadline.in(Duration.ofMillis(LAST_WORD_MILLIS));
        synchronized (state) {
            try {
                while (answer == null && !readerEnded && !end.isOver()) {
                    state.wait(end.leftMillis());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return answer != null;
        }
    }

    private <R extends Reply> R await(Duration bound, Class<R> expected, String what) {
        Reply reply;
        long begin = System.nanoTime();
        try {
            reply = awaitAnswer(Deadline.in(bound));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw fail("interrupted while waiting for " + what, e);
        }
        if (reply == null) {
            Duration waited = Duration.ofNanos(System.nanoTime() - begin);
            throw fail("no sign of " + what + " within " + text(waited, bound) + lastWords(), null);
        }
        if (reply instanceof Reply.Refused) {
            throw new RefusedException(replica.toString(), (Reply.Refused) reply);
        }
        if (!expected.isInstance(reply)) {
            throw fail("sent " + reply.type() + " where " + what + " was expected", null);
        }
        return expected.cast(reply);
    }

    private Reply awaitAnswer(Deadline end) throws InterruptedException {
        synchronized (state) {
            while (answer == null) {
                throwIfFailed();
                throwIfLetGo();
                long left = Math.min(end.leftNanos(), limit.leftNanos());
                if (left <= 0) {
                    return null;
                }
                state.wait(left / 1_000_000 + 1);
            }
            Reply taken = answer;
            answer = null;
            return taken;
        }
    }

    private void read() {
        try {
            boolean greeted = false;
            for (byte[] line = transport.channel().readLine();
                    line != null;
                    line = transport.channel().readLine()) {
                byte[] message = stray.messageIn(line, greeted);
                if (message != null) {
                    take(ControlCodec.decodeReply(message));
                    greeted = true;
                }
            }
            lost(null);
        } catch (IOException e) {
            lost(e);
        } catch (FarheapException e) {
            fail(e.getMessage() + lastWords(), e);
        } catch (RuntimeException | Error e) {
            fail("its answers can't be read any more, by a fault: " + e, e);
        } finally {
            synchronized (state) {
                readerEnded = true;
                state.notifyAll();
            }
        }
    }

    private void take(Reply reply) {
        synchronized (state) {
            lastHeardNanos = System.nanoTime();
            if (reply instanceof Reply.Heartbeat) {
                return;
            }
            if (awaiting) {
                awaiting = false;
                answer = reply;
                closed = closed || reply.equals(BYE_DONE); // its end is no loss any more
                state.notifyAll();
                return;
            }
        }
        if (reply instanceof Reply.Refused) {
            // the agent ends, and says why
            fail(((Reply.Refused) reply).reason(), null);
        } else {
            fail("sent " + reply.type() + ", which nobody asked for", null);
        }
    }

    private void beat() {
        byte[] heartbeat = ControlCodec.encode(new Request.Heartbeat());
        try {
            while (awaitNextBeat()) {
                writer.write(heartbeat, times.silence().toMillis());
            }
        } catch (IOException e) {
            boolean unused = isAnsweredAllTheSame(); // the reader hears why
            lost(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // nobody does but a JVM that ends
        } catch (RuntimeException | Error e) {
            fail("it can't be told any more that this program lives, by a fault: " + e, e);
        }
    }

    private boolean awaitNextBeat() {
        long next = System.nanoTime() + times.heartbeat().toNanos();
        Duration bound;
        synchronized (state) {
            for (long left = next - System.nanoTime();
                    left > 0 && !closed && failure == null;
                    left = next - System.nanoTime()) {
                try {
                    state.wait(left / 1_000_000 + 1);
                } catch (InterruptedException e) {
                    return false; // nobody interrupts this thread but a JVM that ends
                }
            }
            if (closed || failure != null) {
                return false;
            }
            if (received.getAsLong() != receivedThen) {
                receivedThen = received.getAsLong();
                lastHeardNanos = System.nanoTime();
            }
            bound = awaiting ? times.silenceAtWork() : times.silence();
            if (System.nanoTime() - lastHeardNanos <= bound.toNanos()) {
                return true;
            }
        }
        fail("the agent has been silent for " + text(bound), null);
        return false;
    }

    /** The stream ended or broke. */
    private FarheapException lost(IOException cause) {
        String how = cause == null ? "" : " (" + cause.getMessage() + ")";
        return fail("the control connection was lost" + how + lastWords(), cause);
    }

    private String lastWords() {
        try {
            String words = transport.lastWords();
            boolean greeted;
            synchronized (state) {
                greeted = greetingTaken;
            }
            return (words.isEmpty() ? "" : ": " + words)
                    + stray.clause()
                    + (greeted ? "" : transport.advice());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }

    private FarheapException fail(String what, Throwable cause) {
        FarheapException reason = FarheapException.replica(cause, "replica %s: %s", replica, what);
        Consumer<FarheapException> listener;
        synchronized (state) {
            if (failure != null) {
                return failure;
            }
            failure = reason;
            state.notifyAll();
            if (closed) {
                return reason;
            }
            listener = onLost;
        }
        transport.kill();
        writer.close();
        listener.accept(reason);
        return reason;
    }

    private void throwIfFailed() {
        if (failure != null) {
            throw new FarheapException(failure.category(), failure.getMessage(), failure);
        }
    }

    /**
     * Whoever waits need not: the pipe of a shell that was killed may stay, with an agent that
     * hangs.
     */
    private void throwIfLetGo() {
        if (closed) {
            throw FarheapException.replica(
                    "replica %s: its agent was let go while an answer was waited for", replica);
        }
    }

    /** Says bye, if there still is somebody to say it to, and lets the agent end. */
    @Override
    public void close() {
        boolean sayBye;
        synchronized (state) {
            if (closed) {
                return;
            }
            sayBye = failure == null;
        }
        try {
            if (sayBye) {
                Reply.Done unused = call(new Request.Bye(), Reply.Done.class, BYE);
            }
        } finally {
            end();
            transport.close();
        }
    }

    /** Ends the connection without a word, as a crash would. */
    public void abandon() {
        end();
        transport.kill();
    }

    private void end() {
        synchronized (state) {
            closed = true;
            state.notifyAll();
        }
        writer.close();
    }

    /** What was waited, and that others took the rest of the time where that is so. */
    private static String text(Duration waited, Duration bound) {
        return waited.compareTo(bound) >= 0
                ? text(bound)
                : waited.toMillis() + " ms, which was all that was left while commits wait";
    }

    private static String text(Duration duration) {
        return duration.toMillis() % 1000 == 0
                ? duration.toSeconds() + " s"
                : duration.toMillis() + " ms";
    }
}
