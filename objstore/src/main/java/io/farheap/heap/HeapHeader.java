package io.farheap.heap;

import io.farheap.layout.Checksum;
import io.farheap.memory.PoolMemory;
import java.nio.charset.StandardCharsets;

/**
 * Reads and validates the heap header and the zone headers (docs/format.md#heap-header,
 * docs/format.md#zones).
 */
final class HeapHeader {
    private static final int SIGNATURE_BYTES = 16;

    private HeapHeader() {}

    /**
     * @throws io.farheap.base.FarheapException BAD_DATA when the heap does not lie in the pool or
     *     its header is not valid
     */
    static void validate(PoolMemory memory, long heapOffset, long heapSize) {
        boolean inside = heapOffset > 0 && heapOffset <= memory.size() && (heapOffset & 7) == 0;
        if (!inside || heapSize > memory.size() - heapOffset) {
            throw HeapErrors.bad(
                    heapOffset,
                    "heap: "
                            + heapSize
                            + " bytes do not lie in the pool of "
                            + memory.size()
                            + " bytes");
        }
        if (heapSize < HeapLayout.MIN_HEAP_BYTES) {
            throw HeapErrors.bad(heapOffset, "heap: invalid heap size " + heapSize);
        }
        if (!checksumMatches(memory, heapOffset)) {
            throw HeapErrors.bad(heapOffset, "heap: invalid header's checksum");
        }
        if (memory.getLong(heapOffset) != HeapLayout.SIGNATURE_LOW
                || memory.getLong(heapOffset + 8) != HeapLayout.SIGNATURE_HIGH) {
            throw HeapErrors.bad(heapOffset, "heap: invalid signature");
        }
        expect(memory, heapOffset + HeapLayout.MAJOR, HeapLayout.MAJOR_VALUE, "major version");
        expect(memory, heapOffset + HeapLayout.CHUNK_SIZE, HeapLayout.CHUNK_BYTES, "chunk size");
        expect(
                memory,
                heapOffset + HeapLayout.CHUNKS_PER_ZONE,
                HeapLayout.MAX_CHUNKS,
                "number of chunks per zone");
    }

    /** Whether all of a header can be there. */
    static boolean isInside(PoolMemory memory, long heapOffset) {
        return heapOffset > 0
                && (heapOffset & 7) == 0
                && heapOffset <= memory.size() - HeapLayout.HEADER_BYTES;
    }

    /** What it says, valid or not; it lies inside. */
    static HeapWalk.Header read(PoolMemory memory, long heapOffset) {
        byte[] signature = new byte[SIGNATURE_BYTES];
        for (int i = 0; i < signature.length; i++) {
            byte letter = memory.getByte(heapOffset + i);
            signature[i] = letter == 0 || letter >= ' ' && letter <= '~' ? letter : (byte) '.';
        }
        return new HeapWalk.Header(
                heapOffset,
                new String(signature, StandardCharsets.US_ASCII).replace("\0", ""),
                memory.getLong(heapOffset + HeapLayout.MAJOR),
                memory.getLong(heapOffset + HeapLayout.MINOR),
                memory.getLong(heapOffset + HeapLayout.CHUNK_SIZE),
                memory.getLong(heapOffset + HeapLayout.CHUNKS_PER_ZONE),
                memory.getLong(heapOffset + HeapLayout.CHECKSUM),
                computedChecksum(memory, heapOffset));
    }

    private static boolean checksumMatches(PoolMemory memory, long heapOffset) {
        return memory.getLong(heapOffset + HeapLayout.CHECKSUM)
                == computedChecksum(memory, heapOffset);
    }

    private static long computedChecksum(PoolMemory memory, long heapOffset) {
        return Checksum.of(
                memory.image(),
                heapOffset,
                HeapLayout.HEADER_BYTES,
                HeapLayout.CHECKSUM,
                Checksum.NO_SKIP);
    }

    private static void expect(PoolMemory memory, long offset, long value, String name) {
        if (memory.getLong(offset) != value) {
            throw HeapErrors.bad(
                    offset,
                    "heap: the " + name + " is " + memory.getLong(offset) + ", not " + value);
        }
    }

    /**
     * How many chunks the zone has by its header; 0: it is not initialised.
     *
     * @throws io.farheap.base.FarheapException BAD_DATA when the header can't be right
     */
    static int zoneChunks(PoolMemory memory, long zoneOffset, int possible) {
        long word = memory.getLong(zoneOffset);
        if ((int) word == 0) {
            return 0;
        }
        if ((int) word != HeapLayout.ZONE_MAGIC) {
            throw HeapErrors.bad(zoneOffset, "heap: invalid zone magic");
        }
        long chunks = word >>> 32;
        if (chunks < 1 || chunks > possible) {
            throw HeapErrors.bad(
                    zoneOffset,
                    "heap: invalid zone size: " + chunks + " of " + possible + " chunks");
        }
        if (leavesOut(memory, zoneOffset, (int) chunks, possible)) {
            throw HeapErrors.bad(
                    zoneOffset,
                    "heap: invalid zone size: blocks in use lie behind its "
                            + chunks
                            + " of "
                            + possible
                            + " chunks");
        }
        return (int) chunks;
    }

    /**
     * Whether there are blocks in use behind so many chunks. Behind those of a zone that has not
     * taken in yet what the heap grew by, there is nothing, or a free block.
     */
    static boolean leavesOut(PoolMemory memory, long zoneOffset, int chunks, int possible) {
        int at = chunks;
        while (at < possible) {
            long word = memory.getLong(HeapLayout.chunkHeader(zoneOffset, at));
            long size = ChunkHeader.sizeIdx(word);
            int type = ChunkHeader.type(word);
            if (size < 1 || size > possible - at) {
                return false;
            }
            if (type != ChunkHeader.FREE) {
                return type == ChunkHeader.USED || type == ChunkHeader.RUN;
            }
            at += (int) size;
        }
        return false;
    }
}
