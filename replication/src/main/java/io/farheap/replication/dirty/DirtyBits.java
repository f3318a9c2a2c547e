package io.farheap.replication.dirty;

import io.farheap.memory.PoolMemory;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * One set of bits of a {@link DirtyMap}: one for each region of the pool; the last one is for all
 * that lies beyond it, too. A bit is stored, flushed and, after a fence, durable. Where this
 * process made the set, it is known in memory what changed within a region. Thread-safe, but for
 * {@link #clear}.
 */
public final class DirtyBits {
    private final PoolMemory memory;
    private final long at;
    private final long regions;

    /** Bits that are durable: one that is only stored proves nothing yet. */
    private final AtomicLongArray durable;

    /** What was marked, exactly; null where another process marked something, too. */
    private final RegionSet fine;

    /**
     * @param at where the bits are in {@code memory}; what is there counts
     * @param fine empty, as the bits are; null: only regions are known
     */
    DirtyBits(PoolMemory memory, long at, long regions, RegionSet fine) {
        this.memory = memory;
        this.at = at;
        this.regions = regions;
        this.fine = fine;
        this.durable = new AtomicLongArray(RegionSet.words(regions));
        for (int i = 0; i < durable.length(); i++) {
            durable.set(i, memory.getLong(at + 8L * i));
        }
    }

    /** Bytes that the bits of so many regions take, whole pages. */
    static long bytes(long regions) {
        return (RegionSet.words(regions) * 8L + 4095) & -4096L;
    }

    /**
     * Stores the bits of a range, if they are not durable yet, and starts to make them so.
     *
     * @return whether {@link #settle} must follow before anything relies on them
     */
    boolean mark(long offset, long length) {
        if (fine != null) {
            fine.mark(offset, length);
        }
        long first = region(offset);
        long last = region(offset + length - 1);
        boolean news = false;
        for (long word = first >> 6; word <= last >> 6; word++) {
            long mask = RegionSet.mask(word, first, last);
            if ((durable.get((int) word) & mask) != mask) {
                memory.orLong(at + 8 * word, mask);
                memory.flush(at + 8 * word, 8);
                news = true;
            }
        }
        return news;
    }

    /** Waits until what this thread stored is durable. */
    void fence() {
        memory.fence();
    }

    /** The bits of a range are durable: this thread marked them and waited. */
    void settle(long offset, long length) {
        long first = region(offset);
        long last = region(offset + length - 1);
        for (long word = first >> 6; word <= last >> 6; word++) {
            long mask = RegionSet.mask(word, first, last);
            long unused = durable.getAndUpdate((int) word, bits -> bits | mask);
        }
    }

    private long region(long offset) {
        return Math.min(offset >> DirtyMap.REGION_SHIFT, regions - 1);
    }

    /** Whether it is known what changed, not only in which regions. */
    boolean isExact() {
        return fine != null;
    }

    /** Adds what is marked to a set for an image that may have grown since. */
    void addTo(RegionSet set) {
        if (fine != null) {
            fine.addTo(set);
            return;
        }
        long bits = 0;
        for (int word = 0; word < durable.length(); word++) {
            // What is stored and not durable yet may be about to be committed.
            bits = durable.get(word) | memory.getLong(at + 8L * word);
            RegionSet.addTo(set, word, bits, DirtyMap.REGION_SHIFT);
        }
        if ((bits >>> ((regions - 1) & 63) & 1) != 0) {
            set.markFrom((regions - 1) << DirtyMap.REGION_SHIFT);
        }
    }

    /**
     * How many bytes changed, as far as it is known.
     *
     * @param other of the same map; empty where {@code one} is exact
     */
    static long bytes(DirtyBits one, DirtyBits other) {
        if (one.fine != null) {
            return one.fine.bytes();
        }
        long count = 0;
        for (int word = 0; word < one.durable.length(); word++) {
            count += Long.bitCount(one.durable.get(word) | other.durable.get(word));
        }
        return count << DirtyMap.REGION_SHIFT;
    }

    /** Whether no bit is set. */
    boolean isEmpty() {
        for (int word = 0; word < durable.length(); word++) {
            if (durable.get(word) != 0) {
                return false;
            }
        }
        return true;
    }

    /** No bit is set any more, durably. Nobody may mark meanwhile. */
    void clear() {
        for (int word = 0; word < durable.length(); word++) {
            if (durable.get(word) != 0 || memory.getLong(at + 8L * word) != 0) {
                memory.putLong(at + 8L * word, 0);
                memory.flush(at + 8L * word, 8);
                durable.set(word, 0);
            }
        }
        memory.fence();
    }
}
