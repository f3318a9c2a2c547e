package io.farheap.replication.fabric.verbs.disni;

import io.farheap.base.FarheapException;
import io.farheap.replication.fabric.Endpoint;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Messages on their way to the peer. Short ones travel in a slot, long ones are written to the
 * peer's ring first. The peer says what it has taken with every message of its own; nothing is sent
 * for which it has no receive posted or no room in its ring, so that the device never has to try
 * again. Guarded by the owner's lock, except that another thread may tell what the peer has taken.
 */
final class Outbox {
    /** A few of the longest messages. */
    static final int RING_BYTES = 4 * (Endpoint.MAX_MESSAGE_BYTES + 32);

    /** Receives of the peer that are kept for {@link MessageLayout#CREDIT}. */
    private static final int RESERVED = 16;

    /** A long message may lie around the ring's end: two WRITEs before the SEND. */
    private static final int REQUESTS = 3;

    private final WorkQueue work;
    private final Region slots;
    private final Region ring;
    private final int[] unpostedSlots = new int[QueuePair.SEND_DEPTH];
    private int unposted;
    private long sent;
    private long ringSent;
    private long peerRing;
    private int peerRingKey;
    private volatile long peerTook;
    private volatile long peerRingTook;

    Outbox(QueuePair pair, WorkQueue work) throws IOException {
        this.work = work;
        this.slots = new Region(pair, memory(slotBytes()), Region.LOCAL);
        this.ring = new Region(pair, memory(RING_BYTES), Region.LOCAL);
    }

    private static long slotBytes() {
        return (long) QueuePair.SEND_DEPTH * MessageLayout.SLOT_BYTES;
    }

    private static MemorySegment memory(long bytes) {
        return Arena.ofAuto().allocate(bytes, 64);
    }

    /** Where the peer takes long messages. */
    void peerRing(long address, int key) {
        peerRing = address;
        peerRingKey = key;
    }

    boolean hasRoom(int length) {
        return work.hasRoom(REQUESTS + 1)
                && sent - peerTook < QueuePair.RECEIVE_DEPTH - RESERVED
                && (length <= MessageLayout.SHORT_BYTES
                        || ringSent + length - peerRingTook <= RING_BYTES);
    }

    void message(MemorySegment message, long offset, int length) {
        if (!hasRoom(length)) {
            throw noRoom();
        }
        if (length <= MessageLayout.SHORT_BYTES) {
            inSlot(MessageLayout.SHORT, message, offset, length);
        } else {
            inRing(message, offset, length);
        }
    }

    static FarheapException noRoom() {
        return FarheapException.wrongUse(
                "too much is on its way that the peer has not read; poll before posting more");
    }

    void greeting(MemorySegment message, int length) {
        inSlot(MessageLayout.GREETING, message, 0, length);
    }

    private void inSlot(int kind, MemorySegment message, long offset, int length) {
        long slot = slot(kind, length, 0);
        MemorySegment.copy(
                message, offset, slots.memory(), slot + MessageLayout.HEADER_BYTES, length);
        send(slot, MessageLayout.HEADER_BYTES + length);
    }

    private void inRing(MemorySegment message, long offset, int length) {
        int first = (int) Math.min(length, RING_BYTES - ringSent % RING_BYTES);
        toRing(message, offset, first, ringSent);
        if (first < length) {
            toRing(message, offset + first, length - first, ringSent + first);
        }
        long slot = slot(MessageLayout.IN_RING, length, ringSent);
        ringSent += length;
        send(slot, MessageLayout.HEADER_BYTES);
    }

    private void toRing(MemorySegment message, long offset, int length, long position) {
        long at = position % RING_BYTES;
        MemorySegment.copy(message, offset, ring.memory(), at, length);
        work.write(ring.address() + at, ring.localKey(), length, peerRing + at, peerRingKey);
    }

    private long slot(int kind, int length, long ringPosition) {
        long slot = (long) work.nextSlot() * MessageLayout.SLOT_BYTES;
        MessageLayout.write(slots.memory(), slot, kind, length, ringPosition);
        unpostedSlots[unposted++] = work.nextSlot();
        return slot;
    }

    private void send(long slot, int bytes) {
        work.send(slots.address() + slot, slots.localKey(), bytes);
        sent++;
    }

    /**
     * Whether a message that tells what was taken can leave, and nothing waits for the doorbell.
     */
    boolean mayTellTaken() {
        return !work.hasUnposted() && work.hasRoom(1) && sent - peerTook < QueuePair.RECEIVE_DEPTH;
    }

    void tellTaken() {
        send(slot(MessageLayout.CREDIT, 0, 0), MessageLayout.HEADER_BYTES);
    }

    /** To be called before the doorbell: every message on its way says what was taken here. */
    void stamp(long messagesTaken, long ringTaken) {
        for (int i = 0; i < unposted; i++) {
            long slot = (long) unpostedSlots[i] * MessageLayout.SLOT_BYTES;
            MessageLayout.writeTaken(slots.memory(), slot, messagesTaken, ringTaken);
        }
        unposted = 0;
    }

    /**
     * What the peer has taken since the beginning.
     *
     * @throws IOException when it can't have
     */
    void peerTook(long messages, long ringBytes) throws IOException {
        if (messages < peerTook
                || ringBytes < peerRingTook
                || ringBytes - peerRingTook > RING_BYTES
                || messages - peerTook > QueuePair.RECEIVE_DEPTH) {
            throw new IOException("it says that it took what was never sent");
        }
        peerTook = messages;
        peerRingTook = ringBytes;
    }
}
