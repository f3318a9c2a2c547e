package io.farheap.memory;

import io.farheap.base.FarheapException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;
import java.util.Random;

/**
 * A file of a machine that may lose power: a page cache and a disk. The kernel may write any word
 * back at any time, and has all of them on the disk after a sync. A sync that fails takes for
 * written what it did not write, once: those words reach the disk only when they are written again.
 */
public final class SimulatedDisk implements DiskFile {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    private final MemorySegment cache;
    private final MemorySegment disk;
    private final BitSet unsynced = new BitSet();
    private final BitSet forgotten = new BitSet();
    private Runnable step = () -> {};
    private boolean failing;
    private long syncs;

    SimulatedDisk(long bytes) {
        cache = MemorySegment.ofArray(new long[Math.toIntExact(bytes / Long.BYTES)]);
        disk = MemorySegment.ofArray(new long[Math.toIntExact(bytes / Long.BYTES)]);
    }

    /** Runs {@code action} before each write and sync. */
    void beforeEachStep(Runnable action) {
        step = action;
    }

    /** How often it was synced. */
    long syncs() {
        return syncs;
    }

    /** The next sync fails. */
    void failNextSync() {
        failing = true;
    }

    MemorySegment cache() {
        return cache;
    }

    /** What is on the medium. */
    MemorySegment disk() {
        return disk.asReadOnly();
    }

    @Override
    public long read(MemorySegment buffer, long at, long length, long offset) {
        long there = Math.max(0, Math.min(length, cache.byteSize() - offset));
        if (there > 0) {
            MemorySegment.copy(cache, offset, buffer, at, there);
        }
        return there;
    }

    @Override
    public void write(MemorySegment buffer, long at, long length, long offset) {
        step.run();
        store(buffer, at, length, offset);
    }

    private void store(MemorySegment buffer, long at, long length, long offset) {
        for (long done = 0; done < length; done += Long.BYTES) {
            long value = buffer.get(LONG, at + done);
            int word = (int) ((offset + done) / Long.BYTES);
            if (value == cache.get(LONG, offset + done)
                    && !unsynced.get(word)
                    && !forgotten.get(word)) {
                continue;
            }
            cache.set(LONG, offset + done, value);
            if (forgotten.get(word)) {
                forgotten.clear(word);
            }
            boolean differs = disk.getAtIndex(ValueLayout.JAVA_LONG, word) != value;
            if (unsynced.get(word) != differs) { // a BitSet's change costs even if it is none
                unsynced.set(word, differs);
            }
        }
    }

    @Override
    public void sync() {
        step.run();
        syncs++;
        if (failing) {
            failing = false;
            forgotten.or(unsynced);
            throw FarheapException.environment("the simulated disk could not be synced");
        }
        for (int word = unsynced.nextSetBit(0); word >= 0; word = unsynced.nextSetBit(word + 1)) {
            if (!forgotten.get(word)) {
                writeBack(word);
            }
        }
    }

    private void writeBack(int word) {
        disk.setAtIndex(ValueLayout.JAVA_LONG, word, cache.getAtIndex(ValueLayout.JAVA_LONG, word));
        unsynced.clear(word);
    }

    /** The kernel writes some words back by itself. */
    void writeSomeBack(Random random) {
        double share = random.nextDouble();
        for (int word = unsynced.nextSetBit(0); word >= 0; word = unsynced.nextSetBit(word + 1)) {
            if (!forgotten.get(word) && random.nextDouble() < share) {
                writeBack(word);
            }
        }
    }

    /** What the next life of the machine finds after a power loss now: some words, or blocks. */
    SimulatedDisk afterPowerLoss(Random random) {
        SimulatedDisk after = new SimulatedDisk(cache.byteSize());
        after.disk.copyFrom(disk);
        double kept = random.nextInt(3) / 2.0;
        boolean byBlock = random.nextBoolean();
        int block = -1;
        boolean keep = false;
        for (int word = unsynced.nextSetBit(0); word >= 0; word = unsynced.nextSetBit(word + 1)) {
            if (!byBlock || word / 64 != block) {
                block = word / 64;
                keep = random.nextDouble() < kept;
            }
            if (keep && !forgotten.get(word)) {
                after.disk.setAtIndex(
                        ValueLayout.JAVA_LONG, word, cache.getAtIndex(ValueLayout.JAVA_LONG, word));
            }
        }
        after.cache.copyFrom(after.disk);
        return after;
    }

    /** What the next process finds: the page cache, and what it has and the disk has not. */
    SimulatedDisk afterKill() {
        SimulatedDisk after = new SimulatedDisk(cache.byteSize());
        after.cache.copyFrom(cache);
        after.disk.copyFrom(disk);
        after.unsynced.or(unsynced);
        after.forgotten.or(forgotten);
        return after;
    }

    /** All of it as given, on the disk. */
    void fill(MemorySegment content) {
        MemorySegment.copy(content, 0, cache, 0, content.byteSize());
        MemorySegment.copy(content, 0, disk, 0, content.byteSize());
    }
}
