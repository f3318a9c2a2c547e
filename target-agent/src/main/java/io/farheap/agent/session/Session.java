package io.farheap.agent.session;

import io.farheap.agent.base.Refusal;
import io.farheap.agent.config.AgentConfiguration;
import io.farheap.agent.data.Caller;
import io.farheap.agent.data.TargetMachine;
import io.farheap.agent.log.AgentLog;
import io.farheap.base.FarheapException;
import io.farheap.replication.control.ControlCodec;
import io.farheap.replication.control.HostName;
import io.farheap.replication.control.Limits;
import io.farheap.replication.control.LineChannel;
import io.farheap.replication.control.LineWriter;
import io.farheap.replication.control.Reply;
import io.farheap.replication.control.Reply.Code;
import io.farheap.replication.control.Request;
import io.farheap.replication.control.SpokenVersions;
import java.io.EOFException;
import java.io.IOException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One control connection, from greeting to end: reads requests, has {@link SessionRequests} carry
 * them out, answers in order. The right of its initiator ends with it, whichever way it ends: the
 * data connection is closed and the replica's lock let go before {@link #run} returns.
 *
 * <p>Threads: this one works; a reader takes heartbeats in meanwhile, so that a long request is no
 * silence; a beater sends ours.
 */
public final class Session {
    private static final long PARTING_MILLIS = 500;
    private static final int MAX_QUEUED = 4;

    /** What the reader hands over; one field is set, none at the end of the stream. */
    private record Event(Request request, FarheapException fault) {
        static final Event END = new Event(null, null);
    }

    private final AgentConfiguration configuration;
    private final LineChannel channel;
    private final LineWriter writer;
    private final AgentLog log;
    private final SessionReplica replica;
    private final SessionRequests requests;
    private final BlockingQueue<Event> events = new ArrayBlockingQueue<>(MAX_QUEUED);
    private final AtomicBoolean parted = new AtomicBoolean();
    private volatile long heardNanos = System.nanoTime();
    private volatile String lastWord = "";
    private long receivedThen;
    private volatile boolean ended;
    private boolean beating;
    private volatile boolean stopped;
    private volatile boolean hooked;

    /**
     * A session on this machine, with an initiator that came by a remote shell.
     *
     * @param channel closed by {@link #run}
     */
    public Session(AgentConfiguration configuration, LineChannel channel, AgentLog log) {
        this(configuration, TargetMachine.here(), channel, log);
    }

    Session(
            AgentConfiguration configuration,
            TargetMachine machine,
            LineChannel channel,
            AgentLog log) {
        this(configuration, machine, Caller.BY_SHELL, channel, log);
    }

    /** The same of an initiator that may have come by another way. */
    public Session(
            AgentConfiguration configuration,
            TargetMachine machine,
            Caller caller,
            LineChannel channel,
            AgentLog log) {
        this.configuration = configuration;
        this.channel = channel;
        this.writer = new LineWriter(channel);
        this.log = log;
        this.replica =
                new SessionReplica(
                        configuration, machine, caller, log, this::stopServing, this::takenOver);
        this.requests = new SessionRequests(replica);
    }

    /**
     * Serves until the connection ends.
     *
     * @return whether it ended in good order
     */
    public boolean run() {
        Thread hook = new Thread(this::terminated, "terminated");
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            send(greeting());
            daemon(this::read, "control-reader");
            return serve();
        } catch (IOException e) {
            log.warn("The initiator's control connection broke: " + e.getMessage());
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            ended = true;
            replica.close();
            writer.close();
            if (!hooked) {
                boolean unused = Runtime.getRuntime().removeShutdownHook(hook);
            }
        }
    }

    /** Why it did not end in good order, as far as that is known; else "". */
    public String lastWord() {
        return lastWord;
    }

    private static Reply greeting() {
        return new Reply.Greeting(
                Reply.PROTOCOL,
                SpokenVersions.OURS.highest(),
                ProcessHandle.current().pid(),
                HostName.here(),
                SpokenVersions.OURS.lowest());
    }

    private boolean serve() throws IOException, InterruptedException {
        while (!stopped) {
            Event event = nextEvent();
            if (event == null) {
                part(silence());
                return false;
            }
            if (event == Event.END) {
                log.notice("The initiator ended the control connection without bye.");
                return false;
            }
            if (event.fault() != null) {
                part(new Refusal(Code.BAD_MESSAGE, event.fault().getMessage(), ""));
                return false;
            }
            Request request = event.request();
            if (!answer(request)) {
                return false;
            }
            if (request instanceof Request.Bye) {
                return true;
            }
        }
        return false;
    }

    /** Waits for a request as long as the initiator has a right; null: it was silent too long. */
    private Event nextEvent() throws InterruptedException {
        while (true) {
            long bound = TimeUnit.MILLISECONDS.toNanos(silenceMillis());
            long left = bound - (System.nanoTime() - heardNanos);
            Event event = events.poll(Math.max(left, 0), TimeUnit.NANOSECONDS);
            if (event == null && replica.received() != receivedThen) {
                receivedThen = replica.received();
                heardNanos = System.nanoTime(); // whose data arrives is alive
            }
            if (event != null || System.nanoTime() - heardNanos >= bound) {
                return event;
            }
        }
    }

    private long silenceMillis() {
        Request.Hello hello = replica.hello();
        return hello == null
                ? configuration.attachBound().toMillis()
                : Math.min(
                        configuration.heartbeatMillis(),
                        (long) hello.heartbeatMillis() * Limits.MISSED_HEARTBEATS);
    }

    private Refusal silence() {
        String silent = "The initiator was not heard of for " + silenceMillis() + " ms";
        return replica.hello() == null
                ? new Refusal(
                        Code.BUSY,
                        silent
                                + ", and has no right yet: it may never have got this agent's"
                                + " greeting.",
                        "Connect again.")
                : new Refusal(
                        Code.BUSY, silent + ": its right to write has ended.", "Attach again.");
    }

    /** Carries out one request; false when the session can't go on. */
    private boolean answer(Request request) throws IOException, InterruptedException {
        if (request instanceof Request.Hello first && !beating) {
            // From now on: taking over, flushing and scanning a journal may take their time.
            beating = true;
            daemon(() -> beat(first.heartbeatMillis()), "control-beater");
        }
        try {
            Reply reply = requests.handle(request);
            send(reply);
            return true;
        } catch (FarheapException e) {
            Refusal refusal = Refusal.of(e);
            log.warn("Refused " + request.type() + ": " + refusal.getMessage());
            boolean goesOn = refusal.code() != Code.MEDIUM && refusal.code() != Code.DAMAGED;
            lastWord = goesOn ? lastWord : refusal.getMessage();
            send(refusal.toReply());
            return goesOn;
        } catch (RuntimeException e) {
            log.error("A fault of the agent at " + request.type(), e);
            lastWord = "The agent failed: " + e;
            send(new Refusal(Code.OTHER, "The agent failed: " + e, "See its log.").toReply());
            return false;
        }
    }

    private void send(Reply reply) throws IOException, InterruptedException {
        writer.write(ControlCodec.encode(reply), silenceMillis());
    }

    private void read() {
        try {
            Event event = nextFromStream();
            while (event != null) {
                events.put(event);
                if (event == Event.END || event.fault() != null) {
                    return;
                }
                event = nextFromStream();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Event nextFromStream() {
        try {
            while (true) {
                byte[] line = channel.readLine();
                if (line == null) {
                    return Event.END;
                }
                Request request = ControlCodec.decodeRequest(line);
                heardNanos = System.nanoTime();
                replica.heard();
                if (!(request instanceof Request.Heartbeat)) {
                    return new Event(request, null);
                }
            }
        } catch (EOFException e) {
            return Event.END;
        } catch (FarheapException e) {
            return new Event(null, e);
        } catch (IOException e) {
            if (!ended) { // else this side has closed it
                log.warn("Cannot read the control connection: " + e.getMessage());
            }
            return Event.END;
        }
    }

    private void beat(int millis) {
        long nanos = TimeUnit.MILLISECONDS.toNanos(millis);
        try {
            while (!ended) {
                TimeUnit.NANOSECONDS.sleep(nanos);
                if (!ended) {
                    send(new Reply.Heartbeat());
                }
            }
        } catch (IOException e) {
            log.info("No heartbeat can be sent any more: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A fault of it ends the session, and is told. */
    private void daemon(Runnable task, String name) {
        Thread thread =
                new Thread(
                        () -> {
                            try {
                                task.run();
                            } catch (RuntimeException | Error e) {
                                stopServing(new IllegalStateException("The agent failed: " + e, e));
                            }
                        },
                        name);
        thread.setDaemon(true);
        thread.start();
    }

    /** The replica can't go on: its journal or image failed while records flowed. */
    private void stopServing(RuntimeException why) {
        stopped = true;
        log.error("The replica stops", why);
        Code code = why instanceof FarheapException f ? Refusal.of(f).code() : Code.OTHER;
        part(new Refusal(code, String.valueOf(why.getMessage()), "See the agent's log.", why));
        boolean unused = events.offer(Event.END);
    }

    /** Another session of this process is to have the replica. */
    private void takenOver() {
        stopped = true;
        part(
                new Refusal(
                        Code.BUSY,
                        "The replica was given to another initiator, or to the same one anew.",
                        "See who has it now (farheap status)."));
        boolean unused = events.offer(Event.END);
    }

    private void terminated() {
        hooked = true;
        part(
                new Refusal(
                        Code.BUSY,
                        "The agent was told to end: another initiator took the replica over, or"
                                + " the target goes down.",
                        "See who has the replica now (farheap status)."));
    }

    /** The last word, once, as far as the other side still reads: nobody waits for it for long. */
    private void part(Refusal why) {
        if (!parted.compareAndSet(false, true)) {
            return;
        }
        log.notice(why.getMessage());
        lastWord = why.getMessage();
        try {
            writer.write(ControlCodec.encode(why.toReply()), PARTING_MILLIS);
        } catch (IOException e) {
            log.info("Nobody heard why the session ended: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
