package io.farheap.heap;

/**
 * Where things lie in a heap (docs/format.md#heap-header, docs/format.md#zones). Offsets in bytes
 * from the start of the heap:
 *
 * <pre>
 *     0 +-----------------------------------------------------------+ -+
 *       | signature "MEMORY_HEAP_HDR\0"                          16 |  |
 *    16 +----------------------+----------------------+-------------+  | heap header,
 *       | major = 1          8 | minor = 0          8 | unused    8 |  | 1024 bytes,
 *    40 +----------------------+----------------------+-------------+  | written once
 *       | chunksize          8 | chunks_per_zone    8 | reserved    |  |
 *  1016 +----------------------+----------------------+-------------+  |
 *       | checksum of the 1024 bytes                              8 |  |
 *  1024 +-----------------------------------------------------------+ -+
 *       | zone 0, zone 1 ... each ZONE_BYTES, the last one shorter  |
 *       +-----------------------------------------------------------+
 * </pre>
 *
 * and in a zone:
 *
 * <pre>
 *      0 +----------------------+----------------------+--------------+
 *        | magic, 0: none yet 4 | size_idx: chunks   4 | zero      56 |
 *     64 +----------------------+----------------------+--------------+
 *        | chunk headers, 8 bytes for each of 65 528                  |
 * 524288 +------------------------------------------------------------+
 *        | chunks, 262 144 bytes each                                 |
 *        +------------------------------------------------------------+
 * </pre>
 */
final class HeapLayout {
    static final long HEADER_BYTES = 1024;
    static final long MAJOR = 16;
    static final long MINOR = 24;
    static final long CHUNK_SIZE = 40;
    static final long CHUNKS_PER_ZONE = 48;
    static final long CHECKSUM = 1016;

    /** The signature's 16 bytes as two little-endian words: {@code MEMORY_H}, {@code EAP_HDR\0}. */
    static final long SIGNATURE_LOW = 0x485F59524F4D454DL;

    static final long SIGNATURE_HIGH = 0x005244485F504145L;
    static final long MAJOR_VALUE = 1;

    static final int ZONE_MAGIC = 0xC3F0A2D2;
    static final long ZONE_HEADER_BYTES = 64;
    static final int MAX_CHUNKS = 65_528;
    static final int CHUNK_SHIFT = 18;
    static final long CHUNK_BYTES = 1L << CHUNK_SHIFT;

    /**
     * All objects of so many chunks can be freed by one redo log of a chunk: the smallest ones have
     * 32 words of bitmap in each chunk, and a word takes 16 bytes of a log.
     */
    static final int CHUNKS_FREED_BY_ONE = 500;

    /** Zone header and chunk headers. */
    static final long ZONE_META_BYTES = ZONE_HEADER_BYTES + 8L * MAX_CHUNKS;

    static final long ZONE_BYTES = ZONE_META_BYTES + MAX_CHUNKS * CHUNK_BYTES;

    /** A heap needs its header and a zone of one chunk. */
    static final long MIN_HEAP_BYTES = HEADER_BYTES + ZONE_META_BYTES + CHUNK_BYTES;

    private HeapLayout() {}

    /** How many zones a heap of {@code heapSize} bytes has. */
    static int zones(long heapSize) {
        long rest = heapSize - HEADER_BYTES;
        if (rest < ZONE_META_BYTES + CHUNK_BYTES) {
            return 0;
        }
        long whole = rest / ZONE_BYTES;
        return Math.toIntExact(
                whole + (rest % ZONE_BYTES >= ZONE_META_BYTES + CHUNK_BYTES ? 1 : 0));
    }

    /** How many chunks zone {@code zone} of a heap of {@code heapSize} bytes has. */
    static int chunks(int zone, long heapSize) {
        int zones = zones(heapSize);
        if (zone < zones - 1) {
            return MAX_CHUNKS;
        }
        if (zone >= zones) {
            return 0;
        }
        long rest = heapSize - HEADER_BYTES - zone * ZONE_BYTES - ZONE_META_BYTES;
        return (int) Math.min(MAX_CHUNKS, rest / CHUNK_BYTES);
    }

    /** The zone header, whose first word is {@code magic | size_idx << 32}. */
    static long zone(long heapOffset, int zone) {
        return heapOffset + HEADER_BYTES + zone * ZONE_BYTES;
    }

    static long zoneWord(int chunks) {
        return (ZONE_MAGIC & 0xFFFFFFFFL) | (long) chunks << 32;
    }

    static long chunkHeader(long zoneOffset, int chunk) {
        return zoneOffset + ZONE_HEADER_BYTES + 8L * chunk;
    }

    static long chunk(long zoneOffset, int chunk) {
        return zoneOffset + ZONE_META_BYTES + chunk * CHUNK_BYTES;
    }
}
