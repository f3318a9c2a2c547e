package io.farheap.replication;

import io.farheap.memory.PoolMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.zip.CRC32C;

/**
 * Which regions of the pool changed since a replica was left out, durably (protocol, 2 and 8). It
 * proves that the replica's copy is an ancestor of the pool, and says what is to be copied.
 *
 * <p>A bit is durable before the local commit point of the first commit that touches its region,
 * and is never cleared: only the first one pays. The last region is all that lies beyond it, so
 * that a pool may grow. The header says which numbers the replica may have, {@code bases}, and
 * which the pool must have for the bits to be complete: {@code stamp}, or {@code pending} where a
 * switch to that was about to happen. A program that ignores replicas changes the pool's number and
 * not the map; a map that does not fit is no map.
 *
 * <pre>
 *     0, 4096  two copies of the header, written in turn as the replica's slot is
 *              0  magic 8
 *              8  generation 8
 *             16  uuid of the poolset 16
 *             32  CRC32C of the replica's name 8
 *             40  regions 8
 *             48  stamp 8
 *             56  pending 8
 *             64  number of bases 8
 *             72  bases 8 * 8
 *            136  CRC32C of 0..136, 8
 *     8192     one bit per region of 4096 bytes, little endian words
 * </pre>
 *
 * <p>Thread-safe: {@link #mark} by any thread, the others by one.
 */
final class DirtyMap {
    static final int REGION_SHIFT = 12;
    static final int MOST_BASES = 8;

    private static final long MAGIC = 0x50414D5954524944L; // "DIRTYMAP"
    private static final long COPY_STRIDE = 4096;
    private static final long BITS = 2 * COPY_STRIDE;
    private static final long GENERATION = 8;
    private static final long POOL = 16;
    private static final long REGIONS = 40;
    private static final long STAMP = 48;
    private static final long PENDING = 56;
    private static final long BASE_COUNT = 64;
    private static final long BASES = 72;
    private static final long CRC = BASES + 8 * MOST_BASES;
    private static final long HEADER_BYTES = CRC + 8;

    private final PoolMemory memory;
    private final MemorySegment identity;
    private final long regions;

    /** Bits that are durable: one that is only stored proves nothing yet. */
    private final AtomicLongArray durable;

    private List<Long> bases = List.of();
    private long stamp;
    private long generation;

    private DirtyMap(PoolMemory memory, MemorySegment identity, long regions) {
        this.memory = memory;
        this.identity = identity;
        this.regions = regions;
        this.durable = new AtomicLongArray(Math.toIntExact((regions + 63) / 64));
    }

    /** Bytes of a file for an image of that size, whole pages. */
    static long fileBytes(long imageBytes) {
        long words = (regions(imageBytes) + 63) / 64;
        return BITS + ((words * 8 + 4095) & -4096L);
    }

    private static long regions(long imageBytes) {
        return Math.max(1, (imageBytes + (1L << REGION_SHIFT) - 1) >> REGION_SHIFT);
    }

    /** Who and what a map is for: 24 bytes that every header of it has. */
    static MemorySegment identity(byte[] poolsetUuid, String replica) {
        MemorySegment identity = MemorySegment.ofArray(new long[3]);
        MemorySegment.copy(MemorySegment.ofArray(poolsetUuid), 0, identity, 0, 16);
        CRC32C name = new CRC32C();
        name.update(replica.getBytes(java.nio.charset.StandardCharsets.UTF_8));
        identity.set(ValueLayout.JAVA_LONG_UNALIGNED, 16, name.getValue());
        return identity;
    }

    /**
     * A map without a bit, durable when this returns.
     *
     * @param memory all zero, of {@link #fileBytes}
     * @param bases the numbers that the replica may have
     * @param number the pool's
     */
    static DirtyMap create(
            PoolMemory memory,
            MemorySegment identity,
            long imageBytes,
            List<Long> bases,
            long number) {
        DirtyMap map = new DirtyMap(memory, identity, regions(imageBytes));
        map.bases = List.copyOf(bases);
        memory.persist(0, memory.size());
        map.switching(number, number);
        return map;
    }

    /**
     * The map that is in {@code memory}; null when it is none, is torn, is of another replica or
     * does not go with the pool's number.
     */
    static DirtyMap open(PoolMemory memory, MemorySegment identity, long number) {
        long copy = -1;
        for (long at = 0; at <= COPY_STRIDE; at += COPY_STRIDE) {
            boolean later =
                    copy < 0 || memory.getLong(at + GENERATION) > memory.getLong(copy + GENERATION);
            if (isIntact(memory, at, identity) && later) {
                copy = at;
            }
        }
        if (copy < 0
                || number == 0
                || memory.getLong(copy + STAMP) != number
                        && memory.getLong(copy + PENDING) != number) {
            return null;
        }
        DirtyMap map = new DirtyMap(memory, identity, memory.getLong(copy + REGIONS));
        map.generation = memory.getLong(copy + GENERATION);
        map.stamp = number;
        List<Long> bases = new ArrayList<>();
        for (long i = 0; i < memory.getLong(copy + BASE_COUNT); i++) {
            bases.add(memory.getLong(copy + BASES + 8 * i));
        }
        map.bases = List.copyOf(bases);
        for (int i = 0; i < map.durable.length(); i++) {
            map.durable.set(i, memory.getLong(BITS + 8L * i));
        }
        return map;
    }

    private static boolean isIntact(PoolMemory memory, long at, MemorySegment identity) {
        if (memory.size() < BITS || memory.getLong(at) != MAGIC) {
            return false;
        }
        long regions = memory.getLong(at + REGIONS);
        long bases = memory.getLong(at + BASE_COUNT);
        return memory.getLong(at + CRC) == checksum(memory, at)
                && MemorySegment.mismatch(
                                memory.image(), at + POOL, at + POOL + 24, identity, 0, 24)
                        == -1
                && regions > 0
                && (regions + 63) / 64 <= (memory.size() - BITS) / 8
                && bases > 0
                && bases <= MOST_BASES;
    }

    private static long checksum(PoolMemory memory, long at) {
        CRC32C crc = new CRC32C();
        crc.update(memory.image().asSlice(at, CRC).asByteBuffer());
        return crc.getValue();
    }

    /** The numbers that the replica may have: it was equal to the pool in all of them. */
    List<Long> bases() {
        return bases;
    }

    /**
     * Durable before the pool's number changes from {@code number} to {@code next}: the map goes
     * with both.
     */
    void switching(long number, long next) {
        stamp = number;
        generation++;
        long at = (generation & 1) * COPY_STRIDE;
        memory.putLong(at, MAGIC);
        memory.putLong(at + GENERATION, generation);
        memory.copyIn(at + POOL, identity, 0, 24);
        memory.putLong(at + REGIONS, regions);
        memory.putLong(at + STAMP, stamp);
        memory.putLong(at + PENDING, next);
        memory.putLong(at + BASE_COUNT, bases.size());
        for (int i = 0; i < MOST_BASES; i++) {
            memory.putLong(at + BASES + 8L * i, i < bases.size() ? bases.get(i) : 0);
        }
        memory.putLong(at + CRC, checksum(memory, at));
        memory.persist(at, HEADER_BYTES);
    }

    /**
     * Stores the bits of a range, if they are not durable yet, and starts to make them so.
     *
     * @return whether {@link #settle} must follow before anything relies on them
     */
    boolean mark(long offset, long length) {
        long first = region(offset);
        long last = region(offset + length - 1);
        boolean news = false;
        for (long word = first >> 6; word <= last >> 6; word++) {
            long mask = mask(word, first, last);
            if ((durable.get((int) word) & mask) != mask) {
                memory.orLong(BITS + 8 * word, mask);
                memory.flush(BITS + 8 * word, 8);
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
            long mask = mask(word, first, last);
            long unused = durable.getAndUpdate((int) word, bits -> bits | mask);
        }
    }

    private long region(long offset) {
        return Math.min(offset >> REGION_SHIFT, regions - 1);
    }

    private static long mask(long word, long first, long last) {
        long low = word == first >> 6 ? -1L << (first & 63) : -1L;
        long high = word == last >> 6 ? -1L >>> (63 - (last & 63)) : -1L;
        return low & high;
    }

    /** Adds what is marked to a set for an image that may have grown since. */
    void addTo(RegionSet set) {
        long bits = 0;
        for (int word = 0; word < durable.length(); word++) {
            // What is stored and not durable yet may be about to be committed.
            bits = durable.get(word) | memory.getLong(BITS + 8L * word);
            set.addWord(word, bits);
        }
        if ((bits >>> ((regions - 1) & 63) & 1) != 0) {
            set.markFrom((regions - 1) << REGION_SHIFT);
        }
    }

    /** How many bytes the marked regions have. */
    long bytes() {
        long count = 0;
        for (int word = 0; word < durable.length(); word++) {
            count += Long.bitCount(durable.get(word));
        }
        return count << REGION_SHIFT;
    }
}
