package io.farheap.heap;

import io.farheap.layout.Descriptor;
import io.farheap.memory.PoolMemory;
import java.util.BitSet;

/**
 * Which words of a pool mean something: everything but the heap's free memory and the headers of a
 * huge block's inner chunks. Its last one's, the footer, counts: libpmemobj believes it.
 */
public final class MemoryInUse {
    private final BitSet words = new BitSet();
    private final PoolMemory memory;

    private MemoryInUse(PoolMemory memory) {
        this.memory = memory;
    }

    /** One bit for each 8-byte word of the image, set where it counts. */
    public static BitSet words(PoolMemory memory) {
        MemoryInUse use = new MemoryInUse(memory);
        Descriptor descriptor = new Descriptor(memory);
        long heap = descriptor.heapOffset();
        use.add(0, heap + HeapLayout.HEADER_BYTES);
        HeapWalk.walk(memory.image(), heap, descriptor.heapSize(), use.collector());
        return use.words;
    }

    private void add(long from, long to) {
        words.set((int) (from >> 3), (int) (to >> 3));
    }

    private HeapWalk.Visitor collector() {
        return new HeapWalk.Visitor() {
            private HeapWalk.Zone zone;
            private HeapWalk.Block block;

            @Override
            public void zone(HeapWalk.Zone found) {
                zone = found;
                add(found.offset(), HeapLayout.chunkHeader(found.offset(), 0));
            }

            @Override
            public void block(HeapWalk.Block found) {
                block = found;
                boolean run = found.type() == HeapWalk.BlockType.RUN;
                long header = HeapLayout.chunkHeader(zone.offset(), found.chunk());
                add(header, header + 8L * (run ? found.chunks() : 1));
                if (!run) {
                    long footer = header + 8L * (found.chunks() - 1);
                    add(footer, footer + 8);
                } else {
                    long bitmap = found.offset() + RunGeometry.RUN_HEADER_BYTES;
                    add(found.offset(), bitmap + 8L * found.run().bitmapWords());
                }
            }

            @Override
            public void object(HeapWalk.HeapObject object) {
                int header =
                        block.run() == null
                                ? ObjectHeader.bytes(block.flags())
                                : block.run().headerSize();
                long start = object.userOffset() - header;
                add(start, object.userOffset() + object.usableSize());
                if (header == ObjectHeader.LEGACY_BYTES) {
                    words.clear((int) (start >> 3));
                }
            }

            @Override
            public void inconsistency(HeapWalk.Inconsistency inconsistency) {
                throw new AssertionError(inconsistency.message() + " " + memory);
            }
        };
    }
}
