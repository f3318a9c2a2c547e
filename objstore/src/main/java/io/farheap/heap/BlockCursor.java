package io.farheap.heap;

import io.farheap.memory.PoolMemory;

/**
 * Goes through the blocks of one zone by their headers on the medium (docs/format.md#chunks,
 * docs/format.md#consistency). Blocks tile the zone: what is no valid header ends the walk with an
 * exception.
 */
final class BlockCursor {
    private final PoolMemory memory;
    private final long zoneOffset;
    private final int zoneChunks;
    private int chunk;
    private int next;
    private long word;

    BlockCursor(PoolMemory memory, long zoneOffset, int zoneChunks) {
        this.memory = memory;
        this.zoneOffset = zoneOffset;
        this.zoneChunks = zoneChunks;
    }

    /**
     * Goes to the next block, first to the one at chunk 0.
     *
     * @return false behind the last one
     * @throws io.farheap.base.FarheapException BAD_DATA when there is no valid block
     */
    boolean advance() {
        if (next == zoneChunks) {
            return false;
        }
        chunk = next;
        long offset = HeapLayout.chunkHeader(zoneOffset, chunk);
        word = memory.getLong(offset);
        int type = type();
        if (type < ChunkHeader.FOOTER || type > ChunkHeader.RUN_DATA) {
            throw HeapErrors.bad(offset, "heap: unknown chunk type " + type);
        }
        if (type == ChunkHeader.FOOTER || type == ChunkHeader.RUN_DATA) {
            throw HeapErrors.bad(offset, "heap: invalid chunk type " + type + ", not a block's");
        }
        if ((flags() & ~ChunkHeader.KNOWN_FLAGS) != 0) {
            throw HeapErrors.bad(offset, "heap: invalid chunk flags " + flags());
        }
        long size = ChunkHeader.sizeIdx(word);
        if (size < 1 || size > zoneChunks - chunk) {
            throw HeapErrors.bad(
                    offset,
                    "heap: chunk sizes mismatch: a block of "
                            + size
                            + " chunks at chunk "
                            + chunk
                            + " of "
                            + zoneChunks);
        }
        next = chunk + (int) size;
        return true;
    }

    /** The first chunk of the block. */
    int chunk() {
        return chunk;
    }

    int type() {
        return ChunkHeader.type(word);
    }

    int flags() {
        return ChunkHeader.flags(word);
    }

    /** How many chunks the block has. */
    int chunks() {
        return next - chunk;
    }
}
