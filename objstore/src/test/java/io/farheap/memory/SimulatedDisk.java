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

    private final SharedWords cache;
    private final SharedWords disk;
    private final BitSet unsynced = new BitSet();
    private final BitSet forgotten = new BitSet();
    private Runnable step = () -> {};
    private boolean failing;
    private long syncs;

    SimulatedDisk(long bytes) {
        this(new SharedWords(bytes), new SharedWords(bytes));
    }

    private SimulatedDisk(SharedWords cache, SharedWords disk) {
        this.cache = cache;
        this.disk = disk;
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

    long bytes() {
        return cache.bytes();
    }

    /** What whoever reads it finds, to be looked at and changed; it is copied for that once. */
    MemorySegment cache() {
        return cache.whole();
    }

    /** The same, to memory that is zero. */
    void copyToZeros(MemorySegment to) {
        cache.copyToZeros(to);
    }

    /** Whether whoever reads both finds the same. */
    boolean isLike(SimulatedDisk other) {
        return cache.isLike(other.cache);
    }

    /** A word as the medium has it. */
    long onDisk(int word) {
        return disk.get(word);
    }

    @Override
    public long read(MemorySegment buffer, long at, long length, long offset) {
        long there = Math.max(0, Math.min(length, cache.bytes() - offset));
        if (there > 0) {
            cache.read(buffer, at, there, offset);
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
            if (value == cache.get(word) && !unsynced.get(word) && !forgotten.get(word)) {
                continue;
            }
            cache.set(word, value);
            if (forgotten.get(word)) {
                forgotten.clear(word);
            }
            boolean differs = disk.get(word) != value;
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
        disk.set(word, cache.get(word));
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
        SharedWords left = disk.copy();
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
                left.set(word, cache.get(word));
            }
        }
        return new SimulatedDisk(left, left.copy());
    }

    /** What the next process finds: the page cache, and what it has and the disk has not. */
    SimulatedDisk afterKill() {
        SimulatedDisk after = new SimulatedDisk(cache.copy(), disk.copy());
        after.unsynced.or(unsynced);
        after.forgotten.or(forgotten);
        return after;
    }

    /** All of it as given, on the disk. */
    void fill(MemorySegment content) {
        cache.fill(content);
        disk.fill(content);
    }
}
