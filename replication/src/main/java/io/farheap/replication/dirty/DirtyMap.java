package io.farheap.replication.dirty;

import io.farheap.memory.PoolMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.zip.CRC32C;

/**
 * Which regions of the pool changed since a replica was left out, durably
 * (docs/protocol.md#dirty-maps). It proves that the replica's copy is an ancestor of the pool, and
 * says what is to be copied.
 *
 * <p>A bit is durable before the local commit point of the first commit that touches its region, so
 * that only the first one pays. The process that makes a map knows in memory what changed within
 * its regions; a later one compares them. The last region is all that lies beyond it, so that a
 * pool may grow. There are two sets of bits: of a member that may lag they are marked in turn, and
 * the one not marked any more is cleared once the member has all of it ({@link LagDirtyMaps}). The
 * header says which numbers the replica may have, {@link Bases}, and which the pool must have for
 * the bits to be complete: {@code stamp}, or {@code pending} where a switch to that was about to
 * happen. A program that ignores replicas changes the pool's number and not the map; a map that
 * does not fit is no map.
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
 *            136  of each base the last record that the replica is known to have had, 8 * 8
 *            200  covers lag 8
 *            208  CRC32C of 0..208, 8
 *     8192     one bit per region of 1 MiB, little endian words, whole pages
 *              the same again
 * </pre>
 *
 * <p>A map that can't be made, marked or flushed any more is given up
 * (docs/protocol.md#gap-forgets), and that is safe whatever becomes of its file: until something
 * commits that it does not say, the pool gets a number that is nowhere in it. A number that it may
 * have been told of already is not used any more.
 *
 * <p>For one thread at a time, but for its {@link DirtyBits} and {@link #failure}: while an epoch
 * is under way, for whoever clears bits ({@link LagDirtyMaps}), and once that is closed, for who
 * switches.
 */
public final class DirtyMap {
    /**
     * 1 MiB: of smaller regions more commits would pay for a bit. What a process has marked itself
     * it knows exactly; another one compares, so that a large region costs checksums, and no bytes.
     */
    static final int REGION_SHIFT = 20;

    private static final long MAGIC = 0x3550414D54524944L; // "DIRTMAP5"

    /** All of it but the last letter, which is the release's. */
    private static final int NAME_BITS = 56;

    private static final long NAME = (1L << NAME_BITS) - 1;
    private static final long COPY_STRIDE = 4096;
    private static final long BITS = 2 * COPY_STRIDE;
    private static final long GENERATION = 8;
    private static final long POOL = 16;
    private static final long REGIONS = 40;
    private static final long STAMP = 48;
    private static final long PENDING = 56;
    private static final long BASE_COUNT = 64;
    private static final long BASES = 72;
    private static final long SEQUENCES = BASES + 8 * Bases.MOST;
    private static final long COVERS_LAG = SEQUENCES + 8 * Bases.MOST;
    private static final long CRC = COVERS_LAG + 8;
    private static final long HEADER_BYTES = CRC + 8;

    private final PoolMemory memory;
    private final MemorySegment identity;
    private final long regions;

    private final DirtyBits[] bits;
    private volatile Bases bases = Bases.NONE;

    /** Those of the header that was written last. */
    private Bases written = Bases.NONE;

    private long stamp;
    private long pending;
    private long generation;
    private boolean coversLag;

    /** Why it can't be kept any more; null: it can. */
    private volatile String failure;

    /**
     * @param fine what is marked by this process, exactly; null where it does not begin empty
     */
    private DirtyMap(PoolMemory memory, MemorySegment identity, long regions, RegionSet fine) {
        this.memory = memory;
        this.identity = identity;
        this.regions = regions;
        long each = DirtyBits.bytes(regions);
        this.bits =
                new DirtyBits[] {
                    new DirtyBits(memory, BITS, regions, fine),
                    new DirtyBits(memory, BITS + each, regions, null)
                };
    }

    /** Bytes of a file for an image of that size, whole pages. */
    public static long fileBytes(long imageBytes) {
        return BITS + 2 * DirtyBits.bytes(regions(imageBytes));
    }

    private static long regions(long imageBytes) {
        return RegionSet.regions(imageBytes, REGION_SHIFT);
    }

    /** Who and what a map is for: 24 bytes that every header of it has. */
    public static MemorySegment identity(byte[] poolsetUuid, String replica) {
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
     * @param bases what the replica may have
     * @param number the pool's
     * @param coversLag it begins while the replica has everything that was committed, and not only
     *     while it is said to: {@link #coversLag}
     */
    public static DirtyMap create(
            PoolMemory memory,
            MemorySegment identity,
            long imageBytes,
            Bases bases,
            long number,
            boolean coversLag) {
        // Of one that may lag both sets are marked in turn, and cleared.
        RegionSet fine = coversLag ? null : RegionSet.fine(imageBytes);
        DirtyMap map = new DirtyMap(memory, identity, regions(imageBytes), fine);
        map.bases = bases;
        map.coversLag = coversLag;
        memory.persist(0, memory.size());
        map.switching(number, number);
        return map;
    }

    /**
     * The map that is in {@code memory}; null when it is none, is torn, is of another replica or
     * does not go with the pool's number: a program that ignores replicas may have committed since
     * (docs/protocol.md#map-stamp).
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
        // What a killed process had marked and not flushed: who finds a bit set relies on it.
        memory.persist(0, memory.size());
        DirtyMap map = new DirtyMap(memory, identity, memory.getLong(copy + REGIONS), null);
        map.generation = memory.getLong(copy + GENERATION);
        map.stamp = number;
        map.pending = number;
        Bases bases = Bases.NONE;
        for (long i = 0; i < memory.getLong(copy + BASE_COUNT); i++) {
            bases =
                    bases.with(
                            memory.getLong(copy + BASES + 8 * i),
                            memory.getLong(copy + SEQUENCES + 8 * i));
        }
        map.bases = bases;
        map.coversLag = memory.getLong(copy + COVERS_LAG) != 0;
        return map;
    }

    /**
     * Whether a program of another release has made it, or gone on with it: an older copy of the
     * header does not count then.
     */
    static boolean isOfAnotherRelease(PoolMemory memory) {
        return memory.size() >= BITS
                && (isAnothers(memory.getLong(0)) || isAnothers(memory.getLong(COPY_STRIDE)));
    }

    private static boolean isAnothers(long magic) {
        return magic != MAGIC
                && (magic & NAME) == (MAGIC & NAME)
                && Character.isDigit((int) (magic >>> NAME_BITS));
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
                && regions <= memory.size() * 8
                && 2 * DirtyBits.bytes(regions) <= memory.size() - BITS
                && bases > 0
                && bases <= Bases.MOST;
    }

    private static long checksum(PoolMemory memory, long at) {
        CRC32C crc = new CRC32C();
        crc.update(memory.image().asSlice(at, CRC).asByteBuffer());
        return crc.getValue();
    }

    /** What the replica may have: it was equal to the pool in all of these numbers. */
    public Bases bases() {
        return bases;
    }

    /**
     * The replica is known to have had a record of a number. Durable with the next {@link
     * #switching}.
     */
    public void reached(long number, long sequence) {
        bases = bases.reached(number, sequence);
    }

    /**
     * The replica has a record of the number under way, durably; before bits are cleared that say
     * what that record and earlier ones changed.
     */
    void clearing(long sequence) {
        reached(bases.lastNumber(), sequence);
        if (written != bases) {
            writeHeader();
        }
    }

    /**
     * Whether the bits are also what a replica lacks that lagged before it was lost, or before this
     * machine was: they were kept from when it had everything.
     */
    public boolean coversLag() {
        return coversLag;
    }

    /** The same, of a replica that goes into the new number with everything. */
    public void switching(long number, long next, Bases newBases) {
        bases = newBases;
        switching(number, next);
    }

    /**
     * Durable before the pool's number changes from {@code number} to {@code next}: the map goes
     * with both.
     */
    public void switching(long number, long next) {
        stamp = number;
        pending = next;
        writeHeader();
    }

    private void writeHeader() {
        generation++;
        long at = (generation & 1) * COPY_STRIDE;
        memory.putLong(at, MAGIC);
        memory.putLong(at + GENERATION, generation);
        memory.copyIn(at + POOL, identity, 0, 24);
        memory.putLong(at + REGIONS, regions);
        memory.putLong(at + STAMP, stamp);
        memory.putLong(at + PENDING, pending);
        memory.putLong(at + BASE_COUNT, bases.size());
        for (int i = 0; i < Bases.MOST; i++) {
            boolean used = i < bases.size();
            memory.putLong(at + BASES + 8L * i, used ? bases.number(i) : 0);
            memory.putLong(at + SEQUENCES + 8L * i, used ? bases.sequence(i) : 0);
        }
        memory.putLong(at + COVERS_LAG, coversLag ? 1 : 0);
        memory.putLong(at + CRC, checksum(memory, at));
        memory.persist(at, HEADER_BYTES);
        written = bases;
    }

    /** The bits that are marked for a replica that takes no part. */
    public DirtyBits bits() {
        return bits[0];
    }

    /** Whether these are bits of this map. */
    public boolean has(DirtyBits some) {
        return bits[0] == some || bits[1] == some;
    }

    /**
     * It can't be marked any more. What it says is right until something commits that it does not
     * know of, which is not before the pool has another number.
     */
    public void fail(String why) {
        failure = why;
    }

    /** Why it can't be marked any more; null: it can. */
    public String failure() {
        return failure;
    }

    /** One of the two sets of bits, which together say what may differ. */
    DirtyBits bits(int which) {
        return bits[which];
    }

    /** Adds what is marked to a set for an image that may have grown since. */
    public void addTo(RegionSet set) {
        bits[0].addTo(set);
        bits[1].addTo(set);
    }

    /** Whether {@link #addTo} adds what changed, and not whole regions. */
    public boolean isExact() {
        return bits[0].isExact();
    }

    /** How many bytes changed, as far as it is known. */
    public long bytes() {
        return DirtyBits.bytes(bits[0], bits[1]);
    }
}
