package io.farheap.heap;

import io.farheap.memory.PoolMemory;

/**
 * What stands before an object's user data; the flags of its block say which kind
 * (docs/format.md#object-headers):
 *
 * <pre>
 * compact   0 +---------------+-----------------------------------------+
 *             | flags  63..48 | size with this header            47..0  |
 *           8 +---------------+-----------------------------------------+
 *             | type number                                             |
 *          16 +---------------------------------------------------------+
 *
 * legacy    0 +---------------------------------------------------------+
 *             | undefined                                               |
 *           8 +---------------------------------------------------------+
 *             | size with this header                                   |
 *          16 +---------------------------------------------------------+
 *             | undefined                                            32 |
 *          48 +---------------+-----------------------------------------+
 *             | flags  63..48 | undefined                               |
 *          56 +---------------+-----------------------------------------+
 *             | type number                                             |
 *          64 +---------------------------------------------------------+
 *
 * none: 0 bytes; one unit, type number 0, no flags
 * </pre>
 */
final class ObjectHeader {
    static final int COMPACT_BYTES = 16;
    static final int LEGACY_BYTES = 64;

    private static final int FLAGS_SHIFT = 48;
    private static final long SIZE_MASK = (1L << FLAGS_SHIFT) - 1;
    private static final int COMPACT_TYPE = 8;
    private static final int LEGACY_SIZE = 8;
    private static final int LEGACY_FLAGS = 48;
    private static final int LEGACY_TYPE = 56;

    private ObjectHeader() {}

    /** Bytes of the header of objects in a block with these chunk flags. */
    static int bytes(int chunkFlags) {
        if ((chunkFlags & ChunkHeader.COMPACT_HEADER) != 0) {
            return COMPACT_BYTES;
        }
        return (chunkFlags & ChunkHeader.HEADER_NONE) != 0 ? 0 : LEGACY_BYTES;
    }

    /**
     * The object's size with header as stored, or {@code unit} where there is no header. Unsigned:
     * what comes from the medium may be anything.
     */
    static long size(PoolMemory memory, long realOffset, int headerSize, long unit) {
        return switch (headerSize) {
            case COMPACT_BYTES -> memory.getLong(realOffset) & SIZE_MASK;
            case LEGACY_BYTES -> memory.getLong(realOffset + LEGACY_SIZE);
            default -> unit;
        };
    }

    static long typeNumber(PoolMemory memory, long realOffset, int headerSize) {
        return switch (headerSize) {
            case COMPACT_BYTES -> memory.getLong(realOffset + COMPACT_TYPE);
            case LEGACY_BYTES -> memory.getLong(realOffset + LEGACY_TYPE);
            default -> 0;
        };
    }

    static int flags(PoolMemory memory, long realOffset, int headerSize) {
        return switch (headerSize) {
            case COMPACT_BYTES -> (int) (memory.getLong(realOffset) >>> FLAGS_SHIFT);
            case LEGACY_BYTES -> (int) (memory.getLong(realOffset + LEGACY_FLAGS) >>> FLAGS_SHIFT);
            default -> 0;
        };
    }

    /** Writes the header of a new object, if it has one; not flushed. */
    static void write(
            PoolMemory memory,
            int headerSize,
            long offset,
            long realSize,
            long typeNumber,
            int flags) {
        long highFlags = (long) flags << FLAGS_SHIFT;
        switch (headerSize) {
            case COMPACT_BYTES -> {
                memory.putLong(offset, realSize | highFlags);
                memory.putLong(offset + COMPACT_TYPE, typeNumber);
            }
            case LEGACY_BYTES -> {
                memory.putLong(offset + LEGACY_SIZE, realSize);
                memory.putLong(offset + LEGACY_FLAGS, highFlags);
                memory.putLong(offset + LEGACY_TYPE, typeNumber);
            }
            default -> {
                // Objects without header have no type number and no flags.
            }
        }
    }
}
