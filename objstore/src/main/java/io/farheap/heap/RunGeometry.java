package io.farheap.heap;

import io.farheap.memory.PoolMemory;

/**
 * How one run is divided (docs/format.md#runs). From the start of its first chunk:
 *
 * <pre>
 *  0 +----------------------+----------------------+
 *    | unit size          8 | alignment          8 |
 * 16 +----------------------+----------------------+
 *    | bitmap: 64-bit words, bit set = unit in use |
 *    | padding words, all ones                     |
 *    +---------------------------------------------+ bitmapOffset + bitmapBytes
 *    | (gap before aligned units)                  |
 *    +---------------------------------------------+ dataOffset
 *    | unit 0, unit 1, ...                         |
 *    +---------------------------------------------+
 * </pre>
 *
 * The bitmap takes what it needs (FLEX_BITMAP) or 304 bytes. Offsets are image offsets. Immutable.
 */
final class RunGeometry {
    static final int RUN_HEADER_BYTES = 16;
    static final int ALIGNMENT = 8;

    private static final int FIXED_WORDS = 38;
    private static final int MAX_UNITS = Integer.MAX_VALUE - Long.SIZE;
    static final long MAX_ALIGNMENT = 2L << 20;

    final long runOffset;
    final int chunks;
    final int flags;
    final long unit;

    /** Of user data, in bytes; 0: none. */
    final long alignment;

    final int headerSize;
    final int units;

    /** Words of the bitmap that hold units. */
    final int words;

    /** Bitmap and padding. */
    final long bitmapBytes;

    final long dataOffset;

    /** 2^64 / unit, rounded up: a multiplication finds a unit in less than a division takes. */
    private final long inverse;

    private RunGeometry(long runOffset, int chunks, int flags, long unit, long alignment) {
        this.runOffset = runOffset;
        this.chunks = chunks;
        this.flags = flags;
        this.unit = unit;
        this.alignment = alignment;
        headerSize = ObjectHeader.bytes(flags);
        inverse = unit < 1 ? 0 : Long.divideUnsigned(-1, unit) + 1;
        long content = content(chunks);
        if (unit < 1 || unit > content) {
            throw HeapErrors.bad(runOffset, "heap: invalid unit size of a run: " + unit);
        }
        long allWords = bitmapWords(content, flags, unit);
        long bits = bitsOf(content, flags, unit, alignment);
        if (bits < 1 || bits > MAX_UNITS) {
            throw HeapErrors.bad(
                    runOffset,
                    "heap: invalid unit size of a run of " + chunks + " chunks: " + unit);
        }
        units = (int) bits;
        words = (int) (allWords - (allWords * Long.SIZE - bits) / Long.SIZE);
        bitmapBytes = allWords * Long.BYTES;
        dataOffset = dataStart(runOffset + RUN_HEADER_BYTES + bitmapBytes);
        if (dataOffset + units * unit > runOffset + chunks * HeapLayout.CHUNK_BYTES) {
            throw HeapErrors.bad(
                    runOffset + ALIGNMENT, "heap: invalid alignment of a run: " + alignment);
        }
    }

    private static long content(int chunks) {
        return chunks * HeapLayout.CHUNK_BYTES - RUN_HEADER_BYTES;
    }

    private static long bitmapWords(long content, int flags, long unit) {
        return (flags & ChunkHeader.FLEX_BITMAP) == 0
                ? FIXED_WORDS
                : up(ceilDiv(content / unit, Long.SIZE) + 2, 8) - 2;
    }

    /** How many units there are: bits of the bitmap that mean something. */
    private static long bitsOf(long content, int flags, long unit, long alignment) {
        long words = bitmapWords(content, flags, unit);
        long bits = (content - words * Long.BYTES) / unit;
        if ((flags & ChunkHeader.FLEX_BITMAP) == 0) {
            bits = Math.min(bits, words * Long.SIZE);
        }
        return alignment == 0 ? bits : bits - 1;
    }

    /** Whether there can be a run like this: one with units, and not with too many of them. */
    static boolean isPossible(int chunks, int flags, long unit, long alignment) {
        long bits = bitsOf(content(chunks), flags, unit, alignment);
        return bits >= 1 && bits <= MAX_UNITS;
    }

    private long dataStart(long behindBitmap) {
        // The image is mapped at a multiple of 2 MiB: offsets are aligned as addresses are.
        return alignment == 0
                ? behindBitmap
                : up(behindBitmap + headerSize, alignment) - headerSize;
    }

    /** The geometry of a run that is to be made, without alignment. */
    static RunGeometry ofNew(long runOffset, int chunks, int flags, long unit) {
        return ofNew(runOffset, chunks, flags, unit, 0);
    }

    /** The geometry of a run that is to be made. */
    static RunGeometry ofNew(long runOffset, int chunks, int flags, long unit, long alignment) {
        return new RunGeometry(runOffset, chunks, flags, unit, alignment);
    }

    /**
     * The geometry of a run on the medium.
     *
     * @throws io.farheap.base.FarheapException BAD_DATA when the run's header can't be right
     */
    static RunGeometry read(PoolMemory memory, long runOffset, int chunks, int flags) {
        long alignment = 0;
        if ((flags & ChunkHeader.ALIGNED) != 0) {
            alignment = memory.getLong(runOffset + ALIGNMENT);
            if (alignment < 1 || alignment > MAX_ALIGNMENT || Long.bitCount(alignment) != 1) {
                throw HeapErrors.bad(
                        runOffset + ALIGNMENT, "heap: invalid alignment of a run: " + alignment);
            }
        }
        return new RunGeometry(runOffset, chunks, flags, memory.getLong(runOffset), alignment);
    }

    long bitmapWord(int word) {
        return runOffset + RUN_HEADER_BYTES + (long) word * Long.BYTES;
    }

    long unitOffset(int index) {
        return dataOffset + index * unit;
    }

    /**
     * The bits of a bitmap word that stand for no unit: set from the start. None in the last word
     * of a run whose units are a multiple of 64: the C library sets all 64 there and loses them.
     */
    long tail(int word) {
        int used = units - word * Long.SIZE;
        return used >= Long.SIZE ? 0 : -1L << used;
    }

    /** The unit that a real offset starts, or -1. */
    int unitAt(long realOffset) {
        long distance = realOffset - dataOffset;
        if (distance < 0) {
            return -1;
        }
        // Exact for multiples of the unit, which are all that is asked for.
        long index = unit == 1 ? distance : Math.unsignedMultiplyHigh(distance, inverse);
        return index < units && index * unit == distance ? (int) index : -1;
    }

    /** The unit whose object's user data starts at an offset, or -1. */
    int unitOfUser(long userOffset) {
        return unitAt(userOffset - headerSize);
    }

    /** Bytes of user data that fit into one unit. */
    long bytesOfOne() {
        return unit - headerSize;
    }

    static long up(long value, long multiple) {
        return (value + multiple - 1) / multiple * multiple;
    }

    private static long ceilDiv(long value, long by) {
        return (value + by - 1) / by;
    }
}
