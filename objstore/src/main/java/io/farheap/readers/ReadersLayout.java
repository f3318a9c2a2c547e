package io.farheap.readers;

/**
 * Where things lie in {@code PART.readers}, which the agent of a replica makes beside its first
 * part, and which it and all processes that read the replica have mapped:
 *
 * <pre>
 *    0 +----------------------+----------------------+
 *      | magic "FHREADRS"   8 | version 4, slots 4   |
 *   16 +----------------------+----------------------+
 *      | uuid of the pool set                     16 |
 *   32 +----------------------+----------------------+
 *      | agent's pid        8 | its start          8 |
 *   48 +----------------------+----------------------+
 *      | agent's boot       8 | CRC32C of 0..31  4+4 |
 *   64 +----------------------+----------------------+
 *      | state              8 | admission          8 |
 *   80 +----------------------+----------------------+
 *      | evicted            8 | number             8 |
 *   96 +----------------------+----------------------+
 *      | sequence           8 | fresh              8 |
 *  112 +----------------------+----------------------+
 *      | 0                                        16 |
 *  128 +----------------------+----------------------+
 *      | slot 0: holder     8 | start              8 |
 *      | 0                                        48 |
 *  192 +---------------------------------------------+
 *      | slot 1 ... slot 125                         |
 * 8192 +---------------------------------------------+
 * </pre>
 *
 * and a slot's holder:
 *
 * <pre>
 *  63        42 41                                  0
 * +------------+------------------------------------+
 * | pid        | views begun and ended; odd: in one |
 * +------------+------------------------------------+
 * </pre>
 *
 * A pid of 0 is a free slot; the count of views goes on over all its holders, so that no value of
 * the word ever comes back. Start is the process's, in clock ticks since the machine's, 0 while it
 * is not known. The agent's boot is the boot_id of the machine's kernel, its halves combined by
 * XOR; 0: not known, as older agents leave it. {@code fresh} is CLOCK_MONOTONIC, nanoseconds; 0:
 * not known. All but the agent's words and the slots is written once. Integers are little-endian;
 * each word is loaded and stored whole.
 */
final class ReadersLayout {
    /** "FHREADRS". */
    static final long MAGIC = 0x5352444145524846L;

    static final int VERSION = 1;
    static final int SLOTS = 126;
    static final long SLOT_BYTES = 64;
    static final long BYTES = 8192;

    static final long VERSION_AT = 8;
    static final long SLOTS_AT = 12;
    static final long UUID = 16;
    static final int UUID_BYTES = 16;
    static final long AGENT = 32;
    static final long AGENT_START = 40;
    static final long AGENT_BOOT = 48;
    static final long CRC = 56;

    static final long STATE = 64;
    static final long ADMISSION = 72;
    static final long EVICTED = 80;
    static final long NUMBER = 88;
    static final long SEQUENCE = 96;
    static final long FRESH = 104;

    static final long CLOSED = 0;
    static final long READABLE = 1;
    static final long PROMOTED = 2;

    static final long NOT_KNOWN = 0;

    static final long OPEN = 0;
    static final long SHUT = 1;

    private static final long FIRST_SLOT = 128;
    private static final long START = 8;
    private static final int VIEW_BITS = 42;
    private static final long VIEWS = (1L << VIEW_BITS) - 1;

    private ReadersLayout() {}

    static long holder(int slot) {
        return FIRST_SLOT + slot * SLOT_BYTES;
    }

    static long start(int slot) {
        return holder(slot) + START;
    }

    static long pid(long holder) {
        return holder >>> VIEW_BITS;
    }

    static boolean isActive(long holder) {
        return (holder & 1) != 0;
    }

    /** A view begins, or ends. */
    static long next(long holder) {
        return (holder & ~VIEWS) | ((holder + 1) & VIEWS);
    }

    /** The slot as another one holds it, in no view; pid 0: as nobody does. */
    static long heldBy(long pid, long holder) {
        return (pid << VIEW_BITS) | (((holder | 1) + 1) & VIEWS);
    }
}
