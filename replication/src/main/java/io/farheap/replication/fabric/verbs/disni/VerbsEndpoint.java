package io.farheap.replication.fabric.verbs.disni;

import io.farheap.base.FarheapException;
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
 * posts holds the lock of {@link #sender}, whoever polls holds {@link #polling}, and giving back
 * needs both.
 */
class VerbsEndpoint implements Endpoint {
    private static final int SLICE_MILLIS = 20;

    /** What was posted just before the end still leaves. */
    private static final long LINGER_NANOS = 200_000_000;

    private final QueuePair pair;
    private final WaitStrategy wait;
    private final Completions completions;
    private final Inbox inbox;
    private final WorkQueue work;
    private final Outbox outbox;
    private final EndpointCounters counts = new EndpointCounters();
    private final ConnectionFailure breakage;
    private final DisconnectWatch watch;
    private final Sender sender;
    private final ReentrantLock polling = new ReentrantLock();

    private volatile boolean closing;
    private boolean givenBack;
    private CompletionHandler greeting;
    private int reported;
    private int next;

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
        this.breakage = new ConnectionFailure(pair);
        this.watch = new DisconnectWatch(pair.id());
        this.sender = new Sender(work, outbox, inbox, counts, breakage);
    }

    final QueuePair pair() {
        return pair;
    }

    /** From now on this connection is the only one that these events are about. */
    final void owns(ConnectionEvents channel) {
        watch.owns(channel);
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
        breakage.peer(String.valueOf(pair.id().getDestination()));
    }

    final void sendGreeting(MemorySegment message, int length) throws IOException {
        sender.greeting(message, length);
    }

    @Override
    public final boolean canSend(int length) {
        return sender.canSend(length);
    }

    @Override
    public final void send(MemorySegment message, long offset, int length) {
        sender.message(message, offset, length);
    }

    final void prepareWrite(long from, int fromKey, int length, long to, int toKey) {
        sender.write(from, fromKey, length, to, toKey);
    }

    final void prepareRead(long into, int intoKey, int length, long from, int fromKey) {
        sender.read(into, intoKey, length, from, fromKey);
    }

    @Override
    public final void post() {
        sender.post();
    }

    @Override
    public final int poll(CompletionHandler handler) {
        polling.lock();
        try {
            breakage.check();
            return drain(handler);
        } catch (IOException e) {
            throw breakage.by(e.getMessage(), e);
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
                watch.look();
            }
        }
        while (next < reported && !closing) {
            int index = next++;
            if (completions.failed(index)) {
                FarheapException failure = breakage.by(whyFailed(index), null);
                if (done == 0) {
                    throw failure;
                }
                return done; // what arrived before is handed over; the next call throws
            }
            done += complete(index, handler);
        }
        sender.tellTaken();
        return done;
    }

    private String whyFailed(int index) {
        return completions.flushed(index) && watch.ended() != null
                ? watch.ended()
                : completions.failure(index);
    }

    private int complete(int index, CompletionHandler handler) throws IOException {
        long id = completions.id(index);
        if (id < 0) {
            inbox.arrive(id, completions.receivedBytes(index), outbox, greeting);
            return handOver(handler);
        }
        int reads = 0;
        for (long request = work.completed(); request < id; request++) {
            boolean read = work.isRead(request);
            long address = work.readAddress(request);
            int length = work.readLength(request);
            work.complete(request + 1); // its slot may be used again from here on
            if (read) {
                counts.arrived();
                readDone(address, length, handler);
                reads++;
            }
        }
        return reads;
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

    /** The connection is over once what has arrived is handed over. */
    final void end(String why) {
        watch.end(why);
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
            breakage.check();
            completions.arm();
            int done = poll(handler);
            if (done == 0 && !closing && !breakage.isThere()) {
                completions.await(Math.clamp(nanos / 1_000_000, 1, SLICE_MILLIS));
            }
            return done;
        } catch (IOException e) {
            throw breakage.by(e.getMessage(), e);
        } finally {
            leavePolling();
        }
    }

    /**
     * @throws FarheapException category ENVIRONMENT when the device does not give back the queue
     *     pair: the other side may go on reading and writing until this process ends
     */
    @Override
    public final void close() {
        breakage.closed();
        closing = true;
        polling.lock();
        leavePolling(); // when it is a handler that closes, poll gives back at its end
        if (givenBack && pair.isThere()) {
            throw breakage.notEnded();
        }
    }

    /** Needs {@link #polling}, held once. Whatever fails, the queue pair is to go. */
    private void giveBack() {
        if (givenBack) {
            return;
        }
        givenBack = true;
        attempt(
                () ->
                        sender.alone(
                                () -> {
                                    attempt(this::linger);
                                    attempt(pair::disconnect);
                                    attempt(completions::free);
                                    attempt(inbox::free);
                                    attempt(work::free);
                                    attempt(pair::close);
                                    attempt(watch::close);
                                }));
    }

    private void attempt(Sender.Work step) {
        try {
            step.run();
        } catch (IOException | RuntimeException e) {
            breakage.alsoFailed(e);
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
        return breakage.peer();
    }
}
