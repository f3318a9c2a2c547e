package io.farheap.replication.fabric.verbs.disni;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * One message as it is sent: a slot of memory that a receive of the other side takes up.
 *
 * <pre>
 *    0  kind 4 | bytes of the message 4
 *    8  messages that the sender has taken, since the beginning 8
 *   16  bytes of its ring that the sender has emptied, since the beginning 8
 *   24  where in the receiver's ring the message begins, counted since the beginning 8
 *   32  the message, where it is short: the others were written to the ring before
 * </pre>
 */
final class MessageLayout {
    static final int SLOT_BYTES = 512;
    static final int HEADER_BYTES = 32;

    /** The longest message that travels in its slot. */
    static final int SHORT_BYTES = SLOT_BYTES - HEADER_BYTES;

    static final int GREETING = 1;
    static final int SHORT = 2;
    static final int IN_RING = 3;

    /** Tells what was taken, nothing else. */
    static final int CREDIT = 4;

    private static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);

    private MessageLayout() {}

    static void write(MemorySegment slots, long slot, int kind, int length, long ringPosition) {
        slots.set(INT, slot, kind);
        slots.set(INT, slot + 4, length);
        slots.set(LONG, slot + 24, ringPosition);
    }

    static void writeTaken(MemorySegment slots, long slot, long messages, long ringBytes) {
        slots.set(LONG, slot + 8, messages);
        slots.set(LONG, slot + 16, ringBytes);
    }

    /**
     * @param received bytes that arrived
     * @throws IOException when they are no message
     */
    static int kind(MemorySegment slots, long slot, int received) throws IOException {
        int kind = received < HEADER_BYTES ? 0 : slots.get(INT, slot);
        if (kind < GREETING || kind > CREDIT) {
            throw new IOException("what it sent is no message");
        }
        int length = length(slots, slot);
        boolean fits = kind == IN_RING || length <= received - HEADER_BYTES;
        if (length < 0 || !fits) {
            throw new IOException("it sent a message of " + length + " bytes in " + received);
        }
        return kind;
    }

    /** Of a message that was found to be one. */
    static int kind(MemorySegment slots, long slot) {
        return slots.get(INT, slot);
    }

    static int length(MemorySegment slots, long slot) {
        return slots.get(INT, slot + 4);
    }

    static long messagesTaken(MemorySegment slots, long slot) {
        return slots.get(LONG, slot + 8);
    }

    static long ringTaken(MemorySegment slots, long slot) {
        return slots.get(LONG, slot + 16);
    }

    static long ringPosition(MemorySegment slots, long slot) {
        return slots.get(LONG, slot + 24);
    }
}
