package io.farheap.replication.fabric.verbs.disni;

import com.ibm.disni.verbs.RdmaCmEvent;
import io.farheap.FarheapException;
import io.farheap.FarheapException.Category;
import io.farheap.replication.fabric.CompletionHandler;
import io.farheap.replication.fabric.Endpoint;
import io.farheap.replication.fabric.FabricCounters;
import io.farheap.replication.fabric.WaitStrategy;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What both ends over verbs share; as it stands, the target's end.
 *
 * <p>Nobody may use a queue pair that is given back: it would take the process down. So whoever
 * posts holds {@link #sending}, whoever polls holds {@link #polling}, and giving back needs both.
 */
class VerbsEndpoint implements Endpoint {
    private static final int SLICE_MILLIS = 20;
    private static final long EVENTS_EVERY_NANOS = 1_000_000;

    /** What was posted just before the end still leaves. */
    private static final long LINGER_NANOS = 200_000_000;

    private final QueuePair pair;
    private ConnectionEvents events;
    private final WaitStrategy wait;
    private final Completions completions;
    private final Inbox inbox;
    private final WorkQueue work;
    private final Outbox outbox;
    private final ReentrantLock sending = new ReentrantLock();
    private final ReentrantLock polling = new ReentrantLock();

    private final Object breaking = new Object();
    private volatile FarheapException broken;
    private volatile boolean closing;
    private boolean givenBack;
    private CompletionHandler greeting;
    private String peer = "an unknown peer";
    private long eventsLooked = System.nanoTime();
    private String ended;

    private int reported;
    private int next;
    private final Counts counts = new Counts();

    /**
     * Posts its receives; the connection is made afterwards.
     *
     * @param pair whose queues are made; this end's once it is made
     */
    VerbsEndpoint(QueuePair pair, WaitStrategy wait) throws IOException {
        this.pair = pair;
        this.wait = wait;
        this.completions = new Completions(pair);
        this.inbox = new Inbox(pair);
        this.work = new WorkQueue(pair);
        this.outbox = new Outbox(pair, work);
    }

    final QueuePair pair() {
        return pair;
    }

    /** From now on this connection is the only one that these events are about. */
    final void owns(ConnectionEvents channel) {
        events = channel;
    }

    final Region inboxRing() {
        return inbox.ring();
    }

    /** Who takes the peer's greeting; null from then on. */
    final void expectGreeting(CompletionHandler taker) {
        greeting = taker;
    }

    /** The peer has greeted: where it takes long messages. */
    final void greeted(long ringAddress, int ringKey) throws IOException {
        outbox.peerRing(ringAddress, ringKey);
        peer = String.valueOf(pair.id().getDestination());
    }

    final void sendGreeting(MemorySegment message, int length) throws IOException {
        sending.lock();
        try {
            outbox.greeting(message, length);
            int unused = postLocked();
        } finally {
            sending.unlock();
        }
    }

    @Override
    public final boolean canSend(int length) {
        sending.lock();
        try {
            return outbox.hasRoom(length);
        } finally {
            sending.unlock();
        }
    }

    @Override
    public final void send(MemorySegment message, long offset, int length) {
        if (length <= 0 || length > MAX_MESSAGE_BYTES) {
            throw new FarheapException(
                    Category.WRONG_USE, "a message of " + length + " bytes can't be sent");
        }
        sending.lock();
        try {
            checkUsable();
            outbox.message(message, offset, length);
        } finally {
            sending.unlock();
        }
        counts.prepared(length + MessageLayout.HEADER_BYTES);
    }

    final void prepareWrite(long from, int fromKey, int length, long to, int toKey) {
        sending.lock();
        try {
            checkRoom();
            work.write(from, fromKey, length, to, toKey);
        } finally {
            sending.unlock();
        }
        counts.prepared(length);
    }

    final void prepareRead(long into, int intoKey, int length, long from, int fromKey) {
        sending.lock();
        try {
            checkRoom();
            work.read(into, intoKey, length, from, fromKey);
        } finally {
            sending.unlock();
        }
        counts.prepared(MessageLayout.HEADER_BYTES);
    }

    private void checkRoom() {
        checkUsable();
        if (!work.hasRoom(1)) {
            throw Outbox.noRoom();
        }
    }

    @Override
    public final void post() {
        sending.lock();
        try {
            checkUsable();
            counts.rung(postLocked());
        } catch (IOException e) {
            throw breaks(e.getMessage(), e);
        } finally {
            sending.unlock();
        }
    }

    private int postLocked() throws IOException {
        long messages = inbox.taken();
        long ringBytes = inbox.ringTaken();
        outbox.stamp(messages, ringBytes);
        inbox.told(messages, ringBytes);
        return work.post();
    }

    @Override
    public final int poll(CompletionHandler handler) {
        polling.lock();
        try {
            checkUsable();
            return drain(handler);
        } catch (IOException e) {
            throw breaks(e.getMessage(), e);
        } finally {
            leavePolling();
        }
    }

    private void leavePolling() {
        if (closing && polling.getHoldCount() == 1) {
            giveBack();
        }
        polling.unlock();
    }

    private int drain(CompletionHandler handler) throws IOException {
        int done = handOver(handler);
        if (next == reported) { // else a handler threw, and what came with its message is left
            next = 0;
            // what comes after the greeting is for whoever gets this end then
            reported = greeting != null ? completions.pollOne() : completions.poll();
            if (reported == 0) {
                lookForTheEnd();
            }
        }
        while (next < reported && !closing) {
            int index = next++;
            if (completions.failed(index)) {
                FarheapException failure = breaks(whyFailed(index), null);
                if (done == 0) {
                    throw failure;
                }
                return done; // what arrived before is handed over; the next call throws
            }
            done += complete(index, handler);
        }
        tellTaken();
        return done;
    }

    private String whyFailed(int index) {
        return completions.flushed(index) && ended != null ? ended : completions.failure(index);
    }

    private int complete(int index, CompletionHandler handler) throws IOException {
        long id = completions.id(index);
        if (id < 0) {
            inbox.arrive(id, completions.receivedBytes(index), outbox, greeting);
            return handOver(handler);
        }
        boolean read = work.isRead(id - 1);
        long address = work.readAddress(id - 1);
        int length = work.readLength(id - 1);
        work.complete(id);
        if (read) {
            counts.arrived();
            readDone(address, length, handler);
        }
        return read ? 1 : 0;
    }

    private int handOver(CompletionHandler handler) throws IOException {
        int done = 0;
        while (inbox.hasArrived() && !closing && mayAnswer()) {
            counts.arrived();
            inbox.handOver(handler);
            done++;
        }
        return done;
    }

    /** Whether a message may be handed over now; its handler may want to answer at once. */
    boolean mayAnswer() {
        return canSend(MAX_MESSAGE_BYTES);
    }

    /** A READ has arrived. */
    void readDone(long address, int length, CompletionHandler handler) {
        throw new IllegalStateException("the target's end reads nothing");
    }

    /** A peer that goes in order is told of by the connection manager, by nothing else. */
    private void lookForTheEnd() throws IOException {
        if (ended != null) {
            throw new IOException(ended);
        }
        long now = System.nanoTime();
        if (now - eventsLooked < EVENTS_EVERY_NANOS) {
            return;
        }
        eventsLooked = now;
        RdmaCmEvent event = events == null ? null : events.next(0);
        if (event != null
                && event.getConnIdPriv() == pair.id()
                && ConnectionEvents.isEnd(event.getEvent())) {
            end(ConnectionEvents.meaning(event.getEvent()));
        }
    }

    /** The connection is over once what has arrived is handed over. */
    final void end(String why) {
        ended = why;
    }

    private void tellTaken() throws IOException {
        if (inbox.hasMuchToTell() && sending.tryLock()) {
            try {
                if (outbox.mayTellTaken()) {
                    outbox.tellTaken();
                    counts.rung(postLocked());
                }
            } finally {
                sending.unlock();
            }
        }
    }

    @Override
    public final int await(CompletionHandler handler, long nanos, boolean crowded) {
        counts.waited();
        long begin = System.nanoTime();
        while (true) {
            int done = poll(handler);
            long waited = System.nanoTime() - begin;
            if (done > 0 || waited >= nanos) {
                return done;
            }
            if (!wait.pause(waited, crowded)) {
                done = block(handler, nanos - waited);
                if (done > 0) {
                    return done;
                }
            }
        }
    }

    private int block(CompletionHandler handler, long nanos) {
        polling.lock();
        try {
            checkUsable();
            completions.arm();
            int done = poll(handler);
            if (done == 0 && !closing && broken == null) {
                completions.await(Math.clamp(nanos / 1_000_000, 1, SLICE_MILLIS));
            }
            return done;
        } catch (IOException e) {
            throw breaks(e.getMessage(), e);
        } finally {
            leavePolling();
        }
    }

    private void checkUsable() {
        FarheapException cause = broken;
        if (cause != null) {
            throw new FarheapException(Category.REPLICA, cause.getMessage(), cause);
        }
    }

    /**
     * Breaks the connection for good; the first cause is the one told. Needs one of the locks, so
     * that the queue pair is still there to be ended: nothing of the peer is carried out any more.
     */
    private FarheapException breaks(String what, Throwable cause) {
        synchronized (breaking) {
            if (broken == null) {
                broken =
                        new FarheapException(
                                Category.REPLICA,
                                "the data connection with " + peer + " broke: " + what,
                                cause);
                disconnect();
            }
        }
        return broken;
    }

    private void disconnect() {
        try {
            pair.disconnect();
        } catch (IOException e) {
            broken.addSuppressed(e);
        }
    }

    @Override
    public final void close() {
        synchronized (breaking) {
            if (broken == null) {
                broken =
                        new FarheapException(
                                Category.REPLICA,
                                "the data connection with " + peer + " was closed on this side");
            }
        }
        closing = true;
        polling.lock();
        leavePolling(); // when it is a handler that closes, poll gives back at its end
    }

    /** Needs {@link #polling}, held once. */
    private void giveBack() {
        sending.lock();
        try {
            if (givenBack) {
                return;
            }
            givenBack = true;
            linger();
            pair.disconnect();
            completions.free();
            inbox.free();
            work.free();
            pair.close();
            if (events != null) {
                events.close();
            }
        } catch (IOException e) {
            broken.addSuppressed(e);
        } finally {
            sending.unlock();
        }
    }

    private void linger() throws IOException {
        long begin = System.nanoTime();
        while (!work.isIdle() && System.nanoTime() - begin < LINGER_NANOS) {
            int reported = completions.poll();
            for (int i = 0; i < reported; i++) {
                if (completions.failed(i)) {
                    return;
                }
                if (completions.id(i) >= 0) {
                    work.complete(completions.id(i));
                }
            }
            Thread.onSpinWait();
        }
    }

    @Override
    public final FabricCounters counters() {
        return counts.read();
    }

    @Override
    public final String peer() {
        return peer;
    }
}
