package io.farheap.heap;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import io.farheap.layout.Descriptor;
import io.farheap.pool.PoolFiles;
import io.farheap.pool.PoolSource;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What counts in a heap is what a walk finds in use, and its metadata; nothing else. */
class UnusedSpaceTest {
    private static final int SIZE = 16 << 20;

    @TempDir Path dir;

    private PoolFiles poolWithHoles() {
        Path file = dir.resolve("a.pool");
        try (ObjectPool pool = ObjectPool.at(file).layout("unused").size(SIZE).create()) {
            List<Ref> small = new ArrayList<>();
            List<Ref> large = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                long bytes = 40L + i % 11 * 170;
                small.add(pool.compute(tx -> tx.allocate(bytes, 1)));
            }
            for (int i = 0; i < 6; i++) {
                large.add(pool.compute(tx -> tx.allocate(700_000, 2)));
            }
            for (int i = 0; i < small.size(); i += 3) {
                Ref freed = small.get(i);
                pool.transaction(tx -> tx.free(freed));
            }
            for (int i = 0; i < large.size(); i += 2) {
                Ref freed = large.get(i);
                pool.transaction(tx -> tx.free(freed));
            }
        }
        return PoolFiles.openPrivate(PoolSource.of(file), null);
    }

    /** Everything in use counts, everything free does not; a piece gets what the whole gets. */
    @Test
    void usedBytesCountAndFreeOnesDoNot() {
        try (PoolFiles files = poolWithHoles()) {
            UnusedSpace unused = new UnusedSpace(files.memory(), (offset, copy, length) -> {});
            BitSet told = told(unused, 0, SIZE);
            Descriptor descriptor = new Descriptor(files.memory());
            BitSet expected = new BitSet();
            HeapWalk.walk(
                    files.memory().image(),
                    descriptor.heapOffset(),
                    descriptor.heapSize(),
                    new HeapWalk.Visitor() {
                        private HeapWalk.Block block;

                        @Override
                        public void block(HeapWalk.Block found) {
                            block = found;
                            long bytes = found.chunks() * HeapLayout.CHUNK_BYTES;
                            if (found.type() == HeapWalk.BlockType.FREE) {
                                set(expected, found.offset(), bytes);
                            } else if (found.run() != null) {
                                set(
                                        expected,
                                        found.run().dataOffset(),
                                        found.offset() + bytes - found.run().dataOffset());
                            }
                        }

                        @Override
                        public void object(HeapWalk.HeapObject object) {
                            int header = block.run() == null ? 0 : block.run().headerSize();
                            long from = object.userOffset() - header;
                            expected.clear(
                                    (int) from, (int) (object.userOffset() + object.usableSize()));
                        }
                    });
            long firstChunk = HeapLayout.chunk(HeapLayout.zone(descriptor.heapOffset(), 0), 0);
            BitSet blocks = told.get((int) firstChunk, lastByte(descriptor));
            assertThat(expected.cardinality()).isGreaterThan(3 << 20);
            assertThat(blocks).isEqualTo(expected.get((int) firstChunk, lastByte(descriptor)));
            assertThat(told.get((int) Descriptor.CURR_ALLOCATED)).isTrue();
            assertThat(told.get((int) Descriptor.ROOT_OFFSET)).isFalse();
            for (int at = 0; at < SIZE; at += 1 << 16) {
                BitSet piece = told(unused, at, 1 << 16).get(at, at + (1 << 16));
                assertThat(piece).as("at " + at).isEqualTo(told.get(at, at + (1 << 16)));
            }
        }
    }

    private static int lastByte(Descriptor descriptor) {
        long zone = HeapLayout.zone(descriptor.heapOffset(), 0);
        return (int) HeapLayout.chunk(zone, HeapLayout.chunks(0, descriptor.heapSize()));
    }

    private static BitSet told(UnusedSpace unused, long offset, long length) {
        BitSet told = new BitSet();
        unused.each(offset, length, (from, end) -> set(told, from, end - from));
        return told;
    }

    private static void set(BitSet bits, long from, long length) {
        bits.set((int) from, (int) (from + length));
    }
}
