package io.farheap.replication.journal;

import static io.farheap.replication.journal.RecordLayout.LONG;

import java.lang.foreign.MemorySegment;

/**
 * When a slot became what it is, by the target's clock: for people, and an input to no decision.
 * Each copy of the slot has its times behind it, which no checksum covers.
 *
 * @param sinceMillis when it got its state and its current number; since 1970, 0: not known
 * @param writtenMillis when it was written: the last time that anything was applied, or changed
 */
public record SlotTimes(long sinceMillis, long writtenMillis) {
    /** Of a replica that nobody can say it of. */
    static final SlotTimes UNKNOWN = new SlotTimes(0, 0);

    /** Bytes from a slot's beginning to the end of its times. */
    public static final int END = 144;

    private static final int SINCE = 128;
    private static final int WRITTEN = 136;

    /** Those of the copy of that generation. */
    public static SlotTimes read(MemorySegment file, long generation) {
        long at = SlotLayout.offsetFor(generation);
        return new SlotTimes(file.get(LONG, at + SINCE), file.get(LONG, at + WRITTEN));
    }

    /** Writes those of a slot that follows another one. */
    public static void write(MemorySegment file, ReplicaSlot before, ReplicaSlot next, long now) {
        boolean same = before.state() == next.state() && before.cur() == next.cur();
        long since = same ? read(file, before.generation()).sinceMillis() : now;
        write(file, next.generation(), new SlotTimes(since, now));
    }

    /** Writes those of the first slot. */
    public static void write(MemorySegment file, long generation, SlotTimes times) {
        long at = SlotLayout.offsetFor(generation);
        file.set(LONG, at + SINCE, times.sinceMillis);
        file.set(LONG, at + WRITTEN, times.writtenMillis);
    }
}
