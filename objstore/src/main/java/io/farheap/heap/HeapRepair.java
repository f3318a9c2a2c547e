package io.farheap.heap;

import io.farheap.base.FarheapException;
import io.farheap.memory.PoolMemory;
import java.util.function.ObjLongConsumer;

/**
 * Restores what a heap has that could be nothing else: its header, the first word of each zone, and
 * what the last chunks of free blocks repeat (docs/format.md#heap). Not what programs have stored,
 * nor what says which memory is in use.
 */
public final class HeapRepair {
    private HeapRepair() {}

    /**
     * Restores them in an image.
     *
     * @param memory of which heap offset and size are valid
     * @param done told what was restored, and its image offset
     */
    public static void run(
            PoolMemory memory, long heapOffset, long heapSize, ObjLongConsumer<String> done) {
        try {
            HeapHeader.validate(memory, heapOffset, heapSize);
        } catch (FarheapException e) {
            HeapFormat.header(memory, heapOffset);
            done.accept("restore the heap header (it is the same in every pool)", heapOffset);
        }
        for (int i = 0; i < HeapLayout.zones(heapSize); i++) {
            zone(memory, i, HeapLayout.zone(heapOffset, i), heapSize, done);
            footers(memory, HeapLayout.zone(heapOffset, i), HeapLayout.chunks(i, heapSize), done);
        }
    }

    private static void footers(
            PoolMemory memory, long zone, int possible, ObjLongConsumer<String> done) {
        BlockCursor blocks =
                new BlockCursor(memory, zone, HeapHeader.zoneChunks(memory, zone, possible));
        try {
            while (blocks.advance()) {
                long last = HeapLayout.chunkHeader(zone, blocks.chunk() + blocks.chunks() - 1);
                if (blocks.type() == ChunkHeader.FREE
                        && ChunkHeader.leadsAstray(memory.getLong(last), blocks.chunks())) {
                    memory.putLong(last, ChunkHeader.footer(blocks.chunks()));
                    done.accept("restore the footer of a free block (its size is known)", last);
                }
            }
        } catch (FarheapException damaged) {
            // A check of the whole tells of it: nothing behind it can be found.
            return;
        }
    }

    private static void zone(
            PoolMemory memory, int index, long zone, long heapSize, ObjLongConsumer<String> done) {
        int possible = HeapLayout.chunks(index, heapSize);
        long right = HeapLayout.zoneWord(possible);
        long word = memory.getLong(zone);
        boolean lost = word == 0 && isUsed(memory, zone, possible);
        boolean damaged = false;
        if (word != 0) {
            long chunks = word >>> 32;
            damaged =
                    (int) word != HeapLayout.ZONE_MAGIC
                            || chunks < 1
                            || chunks > possible
                            || HeapHeader.leavesOut(memory, zone, (int) chunks, possible)
                            || cutsABlock(memory, zone, (int) chunks, possible);
        }
        if (lost || damaged) {
            memory.putLong(zone, right);
            done.accept("restore the header of zone " + index + " (its size is known)", zone);
        }
    }

    /**
     * Whether the zone ends in the middle of a block that is right: its last chunk says so, too,
     * and the blocks fill the zone as it can be.
     */
    private static boolean cutsABlock(PoolMemory memory, long zone, int chunks, int possible) {
        boolean cut = false;
        try {
            BlockCursor blocks = new BlockCursor(memory, zone, possible);
            while (blocks.advance()) {
                int end = blocks.chunk() + blocks.chunks();
                cut |= blocks.chunk() < chunks && chunks < end && endsRight(memory, zone, blocks);
            }
        } catch (FarheapException anotherDamage) {
            // A check of the whole tells of it; it proves nothing of the zone.
            return false;
        }
        return cut;
    }

    private static boolean endsRight(PoolMemory memory, long zone, BlockCursor block) {
        int behind = block.chunks() - 1;
        long last = memory.getLong(HeapLayout.chunkHeader(zone, block.chunk() + behind));
        return block.type() == ChunkHeader.RUN
                ? ChunkHeader.type(last) == ChunkHeader.RUN_DATA
                        && ChunkHeader.sizeIdx(last) == behind
                : ChunkHeader.isFooter(last, block.chunks());
    }

    /** A zone gets its first chunk header, one free block, before its own. */
    static boolean isUsed(PoolMemory memory, long zone, int chunks) {
        long first = memory.getLong(HeapLayout.chunkHeader(zone, 0));
        return first != 0 && first != ChunkHeader.word(ChunkHeader.FREE, 0, chunks);
    }
}
