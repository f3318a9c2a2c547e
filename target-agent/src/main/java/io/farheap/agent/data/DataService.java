package io.farheap.agent.data;

import io.farheap.agent.store.ReplicaStore;
import io.farheap.base.FarheapException;
import io.farheap.replication.fabric.CompletionHandler;
import io.farheap.replication.fabric.Endpoint;
import io.farheap.replication.fabric.TargetListener;
import io.farheap.replication.journal.JournalMessages;
import io.farheap.replication.journal.ReplicaSlot;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.function.Consumer;

/**
 * The data connection of one session: waits for the initiator that knows the secret, then answers
 * its messages in their order until either side ends it. What the initiator writes into the ring
 * the fabric carries out. While a range is read back for its sums, what comes behind the request is
 * stored already, and answered after it.
 *
 * <p>A request that is refused ends the connection, after the reason was sent.
 */
public final class DataService implements AutoCloseable {
    private static final long AWAIT_NANOS = 100_000_000;

    /** While sums are made: not every fabric can be woken when they are. */
    private static final long SUMMING_NANOS = 100_000;

    /** How long an initiator may take to read why it is refused, and to go. */
    private static final long PARTING_NANOS = 1_000_000_000;

    /** Requests that wait for room to answer; more of them are no use to an honest initiator. */
    private static final int MAX_WAITING = 4096;

    private final ReplicaStore store;
    private final TargetListener listener;
    private final Duration acceptBound;
    private final ApplyLoop apply;
    private final Consumer<String> onEnd;
    private final Thread thread = new Thread(this::serve, "data");
    private final MemorySegment answer =
            Arena.ofAuto().allocate(JournalMessages.MAX_BYTES, Long.BYTES);
    private final CompletionHandler handler = this::received;
    private final SumThread sums;
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    private volatile Endpoint endpoint;
    private volatile boolean closing;
    private boolean answered;
    private FarheapException refusal;

    /** A request whose answer has no room yet. */
    private record Waiting(int kind, long first, long second, long third) {}

    /**
     * @param onEnd told why the connection ended, unless {@link #close} ended it
     */
    public DataService(
            ReplicaStore store,
            TargetListener listener,
            Duration acceptBound,
            ApplyLoop apply,
            Consumer<String> onEnd) {
        this.store = store;
        this.sums = new SumThread(store);
        this.listener = listener;
        this.acceptBound = acceptBound;
        this.apply = apply;
        this.onEnd = onEnd;
        thread.setDaemon(true);
    }

    /** Starts its thread, which first waits for the connection; once. */
    public void start() {
        thread.start();
    }

    /** How much has arrived from the initiator; grows. */
    public long received() {
        Endpoint open = endpoint;
        return open == null ? 0 : 1 + open.counters().completions();
    }

    private void serve() {
        String why = "";
        try {
            endpoint = listener.accept(acceptBound);
            if (closing) {
                endpoint.close();
            }
            while (!closing && refusal == null) {
                int unused = endpoint.await(handler, sums.isIdle() ? AWAIT_NANOS : SUMMING_NANOS);
                answerWaiting();
                ring();
            }
            if (refusal != null) {
                why = refusal.getMessage();
                refuse(why);
            }
        } catch (FarheapException | IllegalStateException e) {
            why = e.getMessage();
        } catch (RuntimeException | Error e) {
            why = "The agent failed: " + e;
        } finally {
            end(why);
        }
    }

    private void end(String why) {
        String told = why;
        try {
            closeEndpoint();
        } catch (FarheapException e) {
            told = why.isEmpty() ? e.getMessage() : why + "; " + e.getMessage();
        }
        if (!closing) {
            onEnd.accept(told);
        }
    }

    private void ring() {
        if (answered) {
            answered = false;
            endpoint.post();
            apply.wake();
        }
    }

    private void received(MemorySegment memory, long offset, int length) {
        if (refusal != null) {
            return;
        }
        try {
            handle(memory, offset, JournalMessages.check(memory, offset, length));
        } catch (FarheapException e) {
            refusal = e;
        }
    }

    private void handle(MemorySegment memory, long offset, int kind) {
        if (kind == JournalMessages.FLUSH) {
            answerDurable(
                    store.intake()
                            .flush(
                                    JournalMessages.flushFrom(memory, offset),
                                    JournalMessages.flushTo(memory, offset)));
            return;
        }
        long at = JournalMessages.imageOffset(memory, offset);
        long length = JournalMessages.imageLength(memory, offset);
        switch (kind) {
            case JournalMessages.PUT_IMAGE -> {
                store.switching()
                        .putImage(at, memory, offset + JournalMessages.HEADER_BYTES, length);
                answerOrWait(JournalMessages.STORED, at, length, 0);
            }
            case JournalMessages.PUT_PIECES -> {
                storePieces(memory, offset, length);
                answerOrWait(JournalMessages.STORED, at, length, 0);
            }
            case JournalMessages.GET_IMAGE -> answerOrWait(kind, at, length, 0);
            case JournalMessages.SUM_IMAGE ->
                    answerOrWait(kind, at, length, JournalMessages.chunk(memory, offset));
            default ->
                    throw FarheapException.badData(
                            "A message of kind %s is none of an initiator's.", kind);
        }
    }

    private void storePieces(MemorySegment memory, long offset, long bytes) {
        long piece = JournalMessages.firstPiece(offset);
        long end = piece + bytes;
        while (piece < end) {
            store.switching()
                    .putImage(
                            JournalMessages.pieceOffset(memory, piece),
                            memory,
                            piece + JournalMessages.PIECE_HEADER_BYTES,
                            JournalMessages.pieceLength(memory, piece));
            piece = JournalMessages.nextPiece(memory, piece);
        }
    }

    private void answerDurable(long durable) {
        if (!waiting.isEmpty() || !endpoint.canSend(JournalMessages.HEADER_BYTES)) {
            await(new Waiting(JournalMessages.DURABLE, 0, 0, 0));
            return;
        }
        send(durable(durable));
    }

    private int durable(long sequence) {
        ReplicaSlot slot = store.slot();
        return JournalMessages.durable(
                answer, sequence, slot.appliedSequence(), slot.appliedPosition());
    }

    private void answerOrWait(int kind, long first, long second, long third) {
        await(new Waiting(kind, first, second, third));
        answerWaiting();
    }

    private void await(Waiting request) {
        if (waiting.size() == MAX_WAITING) {
            throw FarheapException.replica(
                    "More than %s requests wait for their answers to be read.", MAX_WAITING);
        }
        waiting.add(request);
    }

    /** Answers in order, as far as there is room. */
    private void answerWaiting() {
        try {
            while (!waiting.isEmpty() && endpoint.canSend(answerBytes(waiting.peek()))) {
                if (waiting.peek().kind() != JournalMessages.SUM_IMAGE) {
                    send(answer(waiting.remove()));
                } else if (areSummed(waiting.peek())) {
                    waiting.remove();
                    sendSums();
                } else {
                    return;
                }
            }
        } catch (FarheapException e) {
            refusal = e;
        }
    }

    private static int answerBytes(Waiting request) {
        return switch (request.kind()) {
            case JournalMessages.GET_IMAGE, JournalMessages.SUM_IMAGE -> JournalMessages.MAX_BYTES;
            default -> JournalMessages.HEADER_BYTES;
        };
    }

    private int answer(Waiting request) {
        return switch (request.kind()) {
            // What is durable now: meanwhile more may have been applied than was durable then.
            case JournalMessages.DURABLE -> durable(store.intake().sequence());
            case JournalMessages.GET_IMAGE ->
                    store.getImage(answer, request.first(), request.second());
            default -> JournalMessages.stored(answer, request.first(), request.second());
        };
    }

    private boolean areSummed(Waiting request) {
        if (sums.isIdle()) {
            sums.begin(request.first(), request.second(), request.third(), endpoint::wake);
        }
        return sums.areMade();
    }

    private void sendSums() {
        endpoint.send(sums.answer(), 0, sums.take());
        answered = true;
    }

    private void send(int length) {
        endpoint.send(answer, 0, length);
        answered = true;
    }

    /** Says why, and lets the initiator read it: closing at once would discard it on its way. */
    private void refuse(String why) {
        if (!endpoint.canSend(JournalMessages.MAX_BYTES)) {
            return;
        }
        send(JournalMessages.refused(answer, why));
        endpoint.post();
        long begin = System.nanoTime();
        while (!closing && System.nanoTime() - begin < PARTING_NANOS) {
            int unused = endpoint.await((memory, offset, length) -> {}, AWAIT_NANOS);
        }
    }

    private void closeEndpoint() {
        listener.close();
        Endpoint open = endpoint;
        if (open != null) {
            open.close();
        }
    }

    /**
     * Ends the connection; when this returns nobody stores to the ring or the image any more, nor
     * reads it.
     */
    @Override
    public void close() throws InterruptedException {
        closing = true;
        try {
            closeEndpoint();
        } finally {
            if (thread.isAlive()) {
                thread.join();
            }
            sums.stop();
            apply.stop();
        }
    }
}
