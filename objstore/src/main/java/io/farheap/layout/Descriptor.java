package io.farheap.layout;

import io.farheap.base.FarheapException;
import io.farheap.memory.PoolMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.ObjLongConsumer;

/**
 * The pool descriptor, the same in every replica (docs/format.md#descriptor). Image offsets:
 *
 * <pre>
 *  4096 +---------------------------------------------------------+ -+
 *       | layout name, zero-terminated, zero-padded      1024     |  |
 *  5120 +---------------+---------------+-------------------------+  |
 *       | lanes_offset  | nlanes        | heap_offset  | 0        |  | summed
 *  5152 +---------------+---------------+-------------------------+  |
 *       | unused, zero                                    984     |  |
 *  6136 +---------------------------------------------------------+  |
 *       | checksum of these 2048 bytes                      8     |  |
 *  6144 +---------------+---------------+-------------------------+ -+
 *       | root_offset   | run_id        | root_size    | conv.    |
 *  6176 +---------------+---------------+-------------------------+
 *       | heap_size     | curr_allocated| reserved        496     |
 *  6688 +---------------+---------------+-------------------------+
 *       | volatile scratch of the process that has it open 1504   |
 *  8192 +---------------------------------------------------------+
 * </pre>
 *
 * <p>One descriptor object looks at one image; it holds no state of its own. Setters of single
 * words are durable when they return.
 */
public final class Descriptor {
    public static final long OFFSET = 4096;
    public static final long CHECKSUMMED_SIZE = 2048;

    /** Longest layout name in bytes, its terminating zero included. */
    public static final int LAYOUT_SIZE = 1024;

    public static final long ROOT_OFFSET = 6144;
    public static final long RUN_ID = 6152;
    public static final long ROOT_SIZE = 6160;
    public static final long HEAP_OFFSET = 5136;
    public static final long HEAP_SIZE = 6176;
    public static final long CURR_ALLOCATED = 6184;
    public static final long SCRATCH = 6688;
    public static final long END = 8192;

    /** Values of every pool that is created (an opened one may have others). */
    public static final long DEFAULT_LANES_OFFSET = END;

    public static final long DEFAULT_LANE_COUNT = 1024;
    public static final long LANE_SIZE = 3072;
    public static final long DEFAULT_HEAP_OFFSET =
            DEFAULT_LANES_OFFSET + LANE_SIZE * DEFAULT_LANE_COUNT;

    static final long LANES_OFFSET = 5120;
    static final long LANE_COUNT = 5128;
    static final long CHECKSUM = 6136;
    private static final long CONVERSION_FLAGS = 6168;
    private static final long PAGE = 4096;
    private static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final PoolMemory memory;

    public Descriptor(PoolMemory memory) {
        this.memory = memory;
    }

    /** The layout name, as far as its first zero byte. */
    public String layout() {
        return new String(layoutBytes(), StandardCharsets.UTF_8);
    }

    private byte[] layoutBytes() {
        byte[] name = memory.image().asSlice(OFFSET, LAYOUT_SIZE).toArray(ValueLayout.JAVA_BYTE);
        int length = 0;
        while (length < name.length && name[length] != 0) {
            length++;
        }
        return Arrays.copyOf(name, length);
    }

    /** Image offset of lane 0. */
    public long lanesOffset() {
        return memory.getLong(LANES_OFFSET);
    }

    /** How many lanes there are. */
    public long laneCount() {
        return memory.getLong(LANE_COUNT);
    }

    /** Image offset of the heap header. */
    public long heapOffset() {
        return memory.getLong(HEAP_OFFSET);
    }

    /** Image offset of the root object's user data; 0: there is none. */
    public long rootOffset() {
        return memory.getLong(ROOT_OFFSET);
    }

    /** The root object's size as it was asked for; 0: there is none. */
    public long rootSize() {
        return memory.getLong(ROOT_SIZE);
    }

    /** The even number that names this run of the pool. */
    public long runId() {
        return memory.getLong(RUN_ID);
    }

    /** Stores the run id, durably. */
    public void switchRunId(long runId) {
        memory.persistLong(RUN_ID, runId);
    }

    /** The run id after {@code runId}: plus 2, never 0. */
    public static long nextRunId(long runId) {
        return runId + 2 == 0 ? 2 : runId + 2;
    }

    /**
     * Bytes from {@link #heapOffset} on that the heap uses. Where creation was cut short before it
     * was stored that is the rest of the image.
     */
    public long heapSize() {
        long stored = memory.getLong(HEAP_SIZE);
        return stored == 0 ? memory.size() - heapOffset() : stored;
    }

    /** Whether creation was cut short before the heap size was stored. */
    public boolean lacksHeapSize() {
        return memory.getLong(HEAP_SIZE) == 0;
    }

    /** Stores the heap size, durably. */
    public void setHeapSize(long bytes) {
        memory.persistLong(HEAP_SIZE, bytes);
    }

    /** Whether a converter of an older pool left work for the first recovery. */
    long conversionFlags() {
        return memory.getLong(CONVERSION_FLAGS);
    }

    /**
     * Writes a new descriptor: the checksummed half, then every word of the other half (no root,
     * run id 0). The heap uses the rest of the image. The first half is durable when this returns,
     * the other with the next fence.
     *
     * @param layout at most 1023 bytes of UTF-8
     */
    public void format(String layout) {
        byte[] name = encodeLayout(layout);
        memory.fill(OFFSET, CHECKSUMMED_SIZE, (byte) 0);
        memory.copyIn(OFFSET, MemorySegment.ofArray(name), 0, name.length);
        memory.putLong(LANES_OFFSET, DEFAULT_LANES_OFFSET);
        memory.putLong(LANE_COUNT, DEFAULT_LANE_COUNT);
        memory.putLong(HEAP_OFFSET, DEFAULT_HEAP_OFFSET);
        // There is no other "complete" mark: without its checksum a pool can't be opened. So it
        // goes first, for what was here may have been a pool, and the caller seals last.
        memory.persist(OFFSET, CHECKSUMMED_SIZE);
        memory.fill(OFFSET + CHECKSUMMED_SIZE, END - ROOT_OFFSET, (byte) 0);
        memory.putLong(HEAP_SIZE, memory.size() - DEFAULT_HEAP_OFFSET);
        memory.flush(OFFSET + CHECKSUMMED_SIZE, SCRATCH - ROOT_OFFSET);
    }

    /**
     * Writes the checksum, durably: from here on the pool can be opened. Lanes and heap are there,
     * fenced, and with them what {@link #format} left to the next fence.
     */
    public void seal() {
        memory.persistLong(CHECKSUM, computedChecksum(memory.image()));
    }

    /** The layout name as it is stored, without its terminating zero. */
    public static byte[] encodeLayout(String layout) {
        byte[] name = layout.getBytes(StandardCharsets.UTF_8);
        if (name.length >= LAYOUT_SIZE) {
            throw FarheapException.wrongUse(
                    "the layout name has %s bytes, at most %s are possible: choose a"
                            + " shorter one",
                    name.length, LAYOUT_SIZE - 1);
        }
        return name;
    }

    /** Whether the stored checksum is that of the stored bytes. */
    public boolean checksumMatches() {
        return checksumMatches(memory.image());
    }

    public long storedChecksum() {
        return memory.getLong(CHECKSUM);
    }

    /** What the checksum would be if the rest is right. */
    public long computedChecksum() {
        return computedChecksum(memory.image());
    }

    private static boolean checksumMatches(MemorySegment image) {
        return image.get(LONG, CHECKSUM) == computedChecksum(image);
    }

    /**
     * What is wrong with the descriptor in bytes that were read from a part without opening the
     * pool: the first 6144 of the image.
     *
     * @return a text, or null where nothing is
     */
    public static String faultIn(MemorySegment image) {
        if (!checksumMatches(image)) {
            return "invalid checksum of pool descriptor";
        }
        // The checksum of zeros is right.
        return image.get(LONG, HEAP_OFFSET) == 0
                ? "no pool descriptor: a copy of a pool that was never completed"
                : null;
    }

    /**
     * Checks what opening needs: checksum, layout, and that lanes and heap lie inside the image
     * (docs/format.md#descriptor, docs/format.md#opening).
     *
     * @param place the file to name in errors
     * @param layout what the layout must be, or null for any
     * @throws FarheapException BAD_DATA, or WRONG_USE for another layout
     */
    public void validate(String place, String layout) {
        if (!checksumMatches()) {
            throw bad(place, "invalid checksum of pool descriptor");
        }
        if (layout != null && !Arrays.equals(layoutBytes(), encodeLayout(layout))) {
            throw FarheapException.wrongUse(
                    "%s: wrong layout (\"%s\"), pool created with layout \"%s\": open it with that"
                            + " one, or name another file",
                    place, layout, layout());
        }
        eachFault(
                (fault, offset) -> {
                    throw bad(place, fault);
                });
    }

    /**
     * Everything that {@link #validate} refuses but the layout, with the image offset of the words
     * in question.
     */
    public void eachFault(ObjLongConsumer<String> found) {
        if (!checksumMatches()) {
            found.accept("invalid checksum of pool descriptor", OFFSET);
        }
        long heap = heapOffset();
        long lanes = lanesOffset();
        long count = laneCount();
        boolean lanesInside =
                lanes >= END
                        && (lanes & 7) == 0
                        && count > 0
                        && heap > lanes
                        && count <= (heap - lanes) / LANE_SIZE;
        if ((heap & (PAGE - 1)) != 0) {
            found.accept("unaligned heap: off " + Long.toUnsignedString(heap), HEAP_OFFSET);
        } else if (!lanesInside || heap < 0 || heap > memory.size() - PAGE) {
            found.accept(
                    "lanes or heap lie outside the pool: lanes_offset "
                            + Long.toUnsignedString(lanes)
                            + ", nlanes "
                            + Long.toUnsignedString(count)
                            + ", heap_offset "
                            + Long.toUnsignedString(heap),
                    LANES_OFFSET);
        } else if (heapSize() < 0 || heapSize() > memory.size() - heap) {
            found.accept(
                    "mapped region smaller than the heap size: the pool's heap ends at "
                            + Long.toUnsignedString(heap + heapSize())
                            + ", and "
                            + memory.size()
                            + " bytes are there: it was cut off, or is one part of several;"
                            + " restore it from a replica or a backup",
                    HEAP_SIZE);
        }
        if ((runId() & 1) != 0) {
            found.accept("run_id " + Long.toUnsignedString(runId()) + " is odd", RUN_ID);
        }
    }

    private static long computedChecksum(MemorySegment image) {
        return Checksum.of(image, OFFSET, CHECKSUMMED_SIZE, CHECKSUM - OFFSET, Checksum.NO_SKIP);
    }

    private static FarheapException bad(String place, String text) {
        return FarheapException.badData("%s: %s", place, text);
    }
}
