package io.farheap.replication.journal;

import static io.farheap.replication.journal.RecordLayout.LONG;

import java.lang.foreign.MemorySegment;

/**
 * What an agent publishes of its progress, for an initiator that sends no messages: memory of no
 * file, which that can READ at any time, and can't write.
 *
 * <pre>
 *    0  epoch 8
 *    8  applied sequence 8
 *   16  applied position 8
 *   24  check 8           of the three
 * </pre>
 *
 * <p>It says what the durable slot says, never more: it is written after that. A READ may meet it
 * half written; the check tells.
 */
public final class ProgressLayout {
    public static final int BYTES = 32;

    private static final int EPOCH = 0;
    private static final int SEQUENCE = 8;
    private static final int POSITION = 16;
    private static final int CHECK = 24;

    private ProgressLayout() {}

    /** Writes what a slot says, which is durable. */
    public static void write(MemorySegment to, ReplicaSlot slot) {
        to.set(LONG, EPOCH, slot.journalEpoch());
        to.set(LONG, SEQUENCE, slot.appliedSequence());
        to.set(LONG, POSITION, slot.appliedPosition());
        to.set(
                LONG,
                CHECK,
                check(slot.journalEpoch(), slot.appliedSequence(), slot.appliedPosition()));
    }

    private static long check(long epoch, long sequence, long position) {
        long mixed = 0x5052_4f47_5245_5353L;
        for (int i = 0; i < 3; i++) {
            long next = i == 0 ? epoch : i == 1 ? sequence : position;
            mixed = (mixed ^ next) * 0x9E37_79B9_7F4A_7C15L;
            mixed ^= mixed >>> 29;
        }
        return mixed;
    }

    /** Whether it was not being written when it was read. */
    public static boolean isWhole(MemorySegment from, long at) {
        return from.get(LONG, at + CHECK)
                == check(epoch(from, at), appliedSequence(from, at), appliedPosition(from, at));
    }

    public static long epoch(MemorySegment from, long at) {
        return from.get(LONG, at + EPOCH);
    }

    public static long appliedSequence(MemorySegment from, long at) {
        return from.get(LONG, at + SEQUENCE);
    }

    public static long appliedPosition(MemorySegment from, long at) {
        return from.get(LONG, at + POSITION);
    }
}
