package io.farheap.heap;

import io.farheap.base.FarheapException;
import io.farheap.memory.PoolMemory;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Tells of single offsets whether an allocated object starts there, from the bytes of a heap alone:
 * for checks, which cannot trust a booted heap. Whatever the bytes are, it answers; where the heap
 * is damaged there are no objects. One thread at a time; the image must not change meanwhile.
 */
public final class ObjectFinder {
    private final PoolMemory memory;
    private final long heapOffset;
    private final long heapSize;

    /** Of each zone, the first chunk of the block that each chunk is in; -1: in none. */
    private final int[][] blockOf;

    public ObjectFinder(MemorySegment image, long heapOffset, long heapSize) {
        memory = HeapWalk.readOnly(image);
        this.heapOffset = heapOffset;
        this.heapSize = heapSize;
        blockOf = new int[isHeap() ? HeapLayout.zones(heapSize) : 0][];
    }

    private boolean isHeap() {
        try {
            HeapHeader.validate(memory, heapOffset, heapSize);
            return true;
        } catch (FarheapException e) {
            return false;
        }
    }

    /** The object whose user data starts there, an internal one too, or null. */
    public HeapWalk.HeapObject find(long userOffset) {
        long distance = userOffset - HeapLayout.zone(heapOffset, 0);
        if (distance < 0 || distance / HeapLayout.ZONE_BYTES >= blockOf.length) {
            return null;
        }
        int index = (int) (distance / HeapLayout.ZONE_BYTES);
        if (blockOf[index] == null) {
            blockOf[index] = blocks(index);
        }
        long zone = HeapLayout.zone(heapOffset, index);
        long inChunks = userOffset - HeapLayout.chunk(zone, 0);
        long chunk = inChunks / HeapLayout.CHUNK_BYTES;
        if (inChunks < 0 || chunk >= blockOf[index].length || blockOf[index][(int) chunk] < 0) {
            return null;
        }
        return inBlock(zone, blockOf[index][(int) chunk], userOffset);
    }

    private int[] blocks(int index) {
        int[] starts = new int[HeapLayout.chunks(index, heapSize)];
        Arrays.fill(starts, -1);
        long zone = HeapLayout.zone(heapOffset, index);
        try {
            int chunks = HeapHeader.zoneChunks(memory, zone, starts.length);
            BlockCursor blocks = new BlockCursor(memory, zone, chunks);
            while (blocks.advance()) {
                int end = blocks.chunk() + blocks.chunks();
                Arrays.fill(starts, blocks.chunk(), end, blocks.chunk());
            }
            return starts;
        } catch (FarheapException e) {
            // Behind the damage nothing can be found.
            return starts;
        }
    }

    private HeapWalk.HeapObject inBlock(long zone, int chunk, long userOffset) {
        long word = memory.getLong(HeapLayout.chunkHeader(zone, chunk));
        long start = HeapLayout.chunk(zone, chunk);
        int flags = ChunkHeader.flags(word);
        int chunks = (int) ChunkHeader.sizeIdx(word);
        if (ChunkHeader.type(word) == ChunkHeader.USED) {
            int header = ObjectHeader.bytes(flags);
            return userOffset == start + header
                    ? HeapWalk.objectAt(memory, start, header, chunks * HeapLayout.CHUNK_BYTES)
                    : null;
        }
        if (ChunkHeader.type(word) != ChunkHeader.RUN) {
            return null;
        }
        try {
            return inRun(RunGeometry.read(memory, start, chunks, flags), userOffset);
        } catch (FarheapException e) {
            return null;
        }
    }

    private HeapWalk.HeapObject inRun(RunGeometry run, long userOffset) {
        int unit = run.unitAt(userOffset - run.headerSize);
        if (unit < 0) {
            return null;
        }
        int word = unit / Long.SIZE;
        long used = memory.getLong(run.bitmapWord(word)) & ~run.tail(word);
        long starts = RunObjects.starts(memory, run, word, used);
        if ((starts >>> unit & 1) == 0) {
            return null;
        }
        long realSize = RunObjects.unitsOf(memory, run, unit) * run.unit;
        return HeapWalk.objectAt(memory, run.unitOffset(unit), run.headerSize, realSize);
    }
}
