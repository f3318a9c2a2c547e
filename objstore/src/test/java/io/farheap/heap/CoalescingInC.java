package io.farheap.heap;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.layout.Descriptor;
import io.farheap.memory.PoolMemory;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Merges the free blocks of each zone as libpmemobj 1.12 does when it first needs memory there: by
 * the footers. What it merges must be neighbours, and what it looks at must lie in the zone.
 */
public final class CoalescingInC {
    private final int zone;
    private final long[] headers;

    /** Free blocks that were seen: first chunk and size. */
    private final Set<List<Integer>> seen = new HashSet<>();

    private CoalescingInC(int zone, long[] headers) {
        this.zone = zone;
        this.headers = headers;
    }

    /** Of a whole pool. */
    public static void check(PoolMemory memory) {
        Descriptor descriptor = new Descriptor(memory);
        check(memory, descriptor.heapOffset(), descriptor.heapSize());
    }

    static void check(PoolMemory memory, long heapOffset, long heapSize) {
        HeapWalk.walk(
                memory.image(),
                heapOffset,
                heapSize,
                new HeapWalk.Visitor() {
                    private CoalescingInC coalescing;

                    @Override
                    public void zone(HeapWalk.Zone found) {
                        long[] headers = new long[found.chunks()];
                        for (int i = 0; i < headers.length; i++) {
                            headers[i] = memory.getLong(HeapLayout.chunkHeader(found.offset(), i));
                        }
                        coalescing = new CoalescingInC(found.index(), headers);
                    }

                    @Override
                    public void block(HeapWalk.Block block) {
                        coalescing.visit(block);
                    }
                });
    }

    private void visit(HeapWalk.Block block) {
        int chunk = block.chunk();
        int size = block.chunks();
        boolean emptyRun = block.run() != null && block.run().usedUnits() == 0;
        if (block.type() == HeapWalk.BlockType.USED) {
            headers[chunk + size - 1] = size > 1 ? ChunkHeader.footer(size) : headers[chunk];
        } else if (emptyRun || isStillFree(block)) {
            headers[chunk] = ChunkHeader.word(ChunkHeader.FREE, 0, size);
            if (emptyRun) {
                footer(chunk, size);
            }
            merge(chunk, size);
        }
    }

    /** Whether no block before took it in. */
    private boolean isStillFree(HeapWalk.Block block) {
        return block.type() == HeapWalk.BlockType.FREE
                && seen.stream()
                        .noneMatch(
                                b ->
                                        b.get(0) < block.chunk()
                                                && b.get(0) + b.get(1) > block.chunk());
    }

    private void merge(int chunk, int size) {
        int start = chunk;
        int end = chunk + size;
        if (chunk > 0) {
            long before = chunk - ChunkHeader.sizeIdx(headers[chunk - 1]);
            assertThat(before)
                    .as("zone %d: where the word before chunk %d leads", zone, chunk)
                    .isBetween(0L, (long) headers.length - 1);
            long header = headers[(int) before];
            List<Integer> found = List.of((int) before, (int) ChunkHeader.sizeIdx(header));
            if (ChunkHeader.type(header) == ChunkHeader.FREE && seen.remove(found)) {
                assertThat(before + found.get(1))
                        .as("zone %d: end of what is merged with chunk %d", zone, chunk)
                        .isEqualTo(chunk);
                start = (int) before;
            }
        }
        if (end < headers.length && ChunkHeader.type(headers[end]) == ChunkHeader.FREE) {
            List<Integer> next = List.of(end, (int) ChunkHeader.sizeIdx(headers[end]));
            end += seen.remove(next) ? next.get(1) : 0;
        }
        if (end - start != size) {
            headers[start] = ChunkHeader.word(ChunkHeader.FREE, 0, end - start);
            footer(start, end - start);
        }
        seen.add(List.of(start, end - start));
    }

    private void footer(int chunk, int size) {
        if (size > 1) {
            headers[chunk + size - 1] = ChunkHeader.footer(size);
        }
    }
}
