package io.farheap.replication.fabric.verbs.disni;

import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.IbvSge;
import com.ibm.disni.verbs.SVCPostRecv;
import io.farheap.replication.fabric.CompletionHandler;
import io.farheap.replication.fabric.Endpoint;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.LinkedList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Messages that arrive: slots whose receives are posted, and the ring that the peer writes long
 * messages to. A long message is copied before anybody looks at it: the peer could change it in the
 * ring meanwhile. Used by the polling thread; others may ask what was taken.
 */
final class Inbox {
    /** The peer is told at the latest when so many messages or bytes were taken. */
    private static final int TELL_MESSAGES = QueuePair.RECEIVE_DEPTH / 4;

    private static final int TELL_RING_BYTES = Outbox.RING_BYTES / 4;

    private final Region slots;
    private final Region ring;
    private final MemorySegment longMessage =
            Arena.ofAuto().allocate(Endpoint.MAX_MESSAGE_BYTES, Long.BYTES);
    private final SVCPostRecv[] receives = new SVCPostRecv[QueuePair.RECEIVE_DEPTH];

    /** Slots of messages that were not handed over yet, in their order. */
    private final int[] arrived = new int[QueuePair.RECEIVE_DEPTH];

    private long arrivals;
    private long handedOver;
    private final AtomicLong taken = new AtomicLong();
    private final AtomicLong ringTaken = new AtomicLong();
    private volatile long toldTaken;
    private volatile long toldRingTaken;

    /** Posts all receives: to be made before the connection is. */
    Inbox(QueuePair pair) throws IOException {
        Arena arena = Arena.ofAuto();
        slots =
                new Region(
                        pair,
                        arena.allocate((long) receives.length * MessageLayout.SLOT_BYTES, 64),
                        Region.LOCAL);
        ring = new Region(pair, arena.allocate(Outbox.RING_BYTES, 64), Region.SHARED);
        for (int i = 0; i < receives.length; i++) {
            receives[i] = pair.queues().postRecv(List.of(receive(i)), null);
            SVCPostRecv unused = receives[i].execute();
        }
    }

    private IbvRecvWR receive(int slot) {
        IbvSge part = new IbvSge();
        part.setAddr(slots.address() + offset(slot));
        part.setLength(MessageLayout.SLOT_BYTES);
        part.setLkey(slots.localKey());
        LinkedList<IbvSge> parts = new LinkedList<>();
        parts.add(part);
        IbvRecvWR receive = new IbvRecvWR();
        receive.setSg_list(parts);
        receive.setNum_sge(1);
        receive.setWr_id(-1 - slot);
        return receive;
    }

    private static long offset(int slot) {
        return (long) slot * MessageLayout.SLOT_BYTES;
    }

    /** Where the peer may write long messages. */
    Region ring() {
        return ring;
    }

    /**
     * Learns what a receive brought; a message waits here for {@link #handOver}, but what it says
     * about this side's own messages counts at once.
     *
     * @param id of the receive
     * @param greeting what a greeting is handed to; null when none may come any more
     * @throws IOException when it is none
     */
    void arrive(long id, int received, Outbox outbox, CompletionHandler greeting)
            throws IOException {
        int slot = (int) (-1 - id);
        long at = offset(slot);
        MemorySegment memory = slots.memory();
        int kind = MessageLayout.kind(memory, at, received);
        outbox.peerTook(
                MessageLayout.messagesTaken(memory, at), MessageLayout.ringTaken(memory, at));
        if (kind == MessageLayout.GREETING ? greeting == null : greeting != null) {
            throw new IOException("it greets at the wrong time");
        }
        if (kind == MessageLayout.SHORT || kind == MessageLayout.IN_RING) {
            arrived[(int) (arrivals++ % arrived.length)] = slot;
            return;
        }
        try {
            if (kind == MessageLayout.GREETING) {
                greeting.received(
                        memory, at + MessageLayout.HEADER_BYTES, MessageLayout.length(memory, at));
            }
        } finally {
            receiveAgain(slot);
        }
    }

    /** Whether a message waits to be handed over. */
    boolean hasArrived() {
        return handedOver < arrivals;
    }

    /** Hands over the oldest of those that wait. */
    void handOver(CompletionHandler handler) throws IOException {
        int slot = arrived[(int) (handedOver++ % arrived.length)];
        long at = offset(slot);
        MemorySegment memory = slots.memory();
        int length = MessageLayout.length(memory, at);
        try {
            if (MessageLayout.kind(memory, at) == MessageLayout.SHORT) {
                handler.received(memory, at + MessageLayout.HEADER_BYTES, length);
            } else {
                takeFromRing(MessageLayout.ringPosition(memory, at), length);
                handler.received(longMessage, 0, length);
            }
        } finally {
            receiveAgain(slot);
        }
    }

    private void receiveAgain(int slot) throws IOException {
        SVCPostRecv unused = receives[slot].execute();
        taken.getAndIncrement();
    }

    private void takeFromRing(long position, int length) throws IOException {
        if (position != ringTaken.get() || length > Endpoint.MAX_MESSAGE_BYTES) {
            throw new IOException(
                    "it sent a message of " + length + " bytes at the wrong place of the ring");
        }
        long at = position % Outbox.RING_BYTES;
        long first = Math.min(length, Outbox.RING_BYTES - at);
        MemorySegment.copy(ring.memory(), at, longMessage, 0, first);
        MemorySegment.copy(ring.memory(), 0, longMessage, first, length - first);
        ringTaken.getAndAdd(length);
    }

    long taken() {
        return taken.get();
    }

    long ringTaken() {
        return ringTaken.get();
    }

    /** Whether the peer may soon wait for news of what was taken. */
    boolean hasMuchToTell() {
        return taken.get() - toldTaken >= TELL_MESSAGES
                || ringTaken.get() - toldRingTaken >= TELL_RING_BYTES;
    }

    /** The peer is being told. */
    void told(long messages, long ringBytes) {
        toldTaken = messages;
        toldRingTaken = ringBytes;
    }

    void free() {
        for (SVCPostRecv receive : receives) {
            SVCPostRecv unused = receive.free();
        }
    }
}
