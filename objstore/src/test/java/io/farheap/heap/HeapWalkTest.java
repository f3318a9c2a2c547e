package io.farheap.heap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.layout.Checksum;
import io.farheap.memory.PoolMemory;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each thing that can be wrong with a heap is found, named with its offset, and harms nobody. */
class HeapWalkTest {
    private static final int CHUNKS = 12;
    private static final long HEAP = TestHeap.HEAP_OFFSET;
    private static final long ZONE = HeapLayout.zone(HEAP, 0);

    private final PoolMemory memory =
            new PoolMemory(
                    Arena.ofAuto().allocate(TestHeap.imageSize(CHUNKS), 8), new NothingIsLost());
    private final TestHeap test = TestHeap.create(memory);

    /** Chunk 0: run of 128-byte units; 1 and 2: run of 1472-byte units; 3: block; then free. */
    private long small;

    private long large;

    @BeforeEach
    void fill() {
        small = test.allocate(200, 1);
        test.allocate(100, 2);
        test.allocate(1456, 3);
        large = test.allocate(3 * HeapLayout.CHUNK_BYTES - 16, 4);
        assertThat(test.check().blocks()).hasSize(4);
        assertThat(small).isEqualTo(HeapLayout.chunk(ZONE, 0) + 320 + 16);
    }

    @Test
    void heapHeader() {
        damage(HEAP + 600, 1, HEAP, "invalid header's checksum");
        memory.putLong(HEAP, 1);
        rightChecksum();
        assertFound(HEAP, "invalid signature");
        memory.putLong(HEAP, HeapLayout.SIGNATURE_LOW);
        memory.putLong(HEAP + HeapLayout.CHUNK_SIZE, 4096);
        rightChecksum();
        assertFound(HEAP + HeapLayout.CHUNK_SIZE, "chunk size is 4096, not 262144");
    }

    private void rightChecksum() {
        long sum = Checksum.of(memory.image(), HEAP, 1024, HeapLayout.CHECKSUM, Checksum.NO_SKIP);
        memory.putLong(HEAP + HeapLayout.CHECKSUM, sum);
    }

    @Test
    void aZoneThatIsTooSmallForWhatIsInIt() {
        long right = memory.getLong(ZONE);
        for (int chunks : new int[] {1, 3}) {
            memory.putLong(ZONE, HeapLayout.zoneWord(chunks));
            assertFound(ZONE, "blocks in use lie behind its " + chunks + " of 12 chunks");
            assertThatThrownBy(() -> TestHeap.open(memory, HeapStores.local(memory)))
                    .isInstanceOf(FarheapException.class)
                    .hasMessageContaining("invalid zone size");
            HeapRepair.run(memory, HEAP, memory.size() - HEAP, (what, offset) -> {});
            assertThat(memory.getLong(ZONE)).isEqualTo(right);
        }
        memory.putLong(ZONE, HeapLayout.zoneWord(6));
        assertThat(WalkResult.of(memory.image(), HEAP, memory.size() - HEAP).inconsistencies())
                .as("free memory behind it: of a growth that was cut")
                .isEmpty();
    }

    @Test
    void aZoneThatEndsInTheMiddleOfABlock() {
        long right = memory.getLong(ZONE);
        for (int chunks : new int[] {2, 4, 8}) {
            memory.putLong(ZONE, HeapLayout.zoneWord(chunks));
            assertThat(test.walk().inconsistencies())
                    .singleElement()
                    .satisfies(found -> assertThat(found.message()).contains("sizes mismatch"));
            HeapRepair.run(memory, HEAP, memory.size() - HEAP, (what, offset) -> {});
            assertThat(memory.getLong(ZONE)).as("%d chunks", chunks).isEqualTo(right);
        }
        long header = HeapLayout.chunkHeader(ZONE, 3);
        long ends = HeapLayout.chunkHeader(ZONE, 6);
        memory.putLong(ZONE, HeapLayout.zoneWord(6));
        memory.putLong(ends, 0);
        memory.putLong(header, ChunkHeader.word(ChunkHeader.USED, 1, 9));
        HeapRepair.run(memory, HEAP, memory.size() - HEAP, (what, offset) -> {});
        assertThat(memory.getLong(ZONE))
                .as("the block may be what is wrong: another one ends where it should")
                .isEqualTo(HeapLayout.zoneWord(6));
    }

    @Test
    void heapOutsideThePoolOrTooSmall() {
        long size = memory.size() - HEAP;
        for (long[] wrong :
                new long[][] {
                    {HEAP, size + 1},
                    {HEAP, HeapLayout.MIN_HEAP_BYTES - 1},
                    {HEAP, -1},
                    {HEAP, Long.MIN_VALUE},
                    {-4096, size},
                    {0, size},
                    {memory.size(), size},
                    {Long.MAX_VALUE & -4096L, Long.MAX_VALUE}
                }) {
            WalkResult walk = WalkResult.of(memory.image(), wrong[0], wrong[1]);
            assertThat(walk.inconsistencies()).hasSize(1);
            assertThat(walk.blocks()).isEmpty();
            HeapStores none = HeapStores.local(memory);
            assertThatThrownBy(() -> Heap.boot(memory, wrong[0], wrong[1], none))
                    .isInstanceOf(FarheapException.class);
        }
    }

    @Test
    void zoneHeader() {
        damage(ZONE, HeapLayout.zoneWord(CHUNKS) ^ 1, ZONE, "invalid zone magic");
        damage(ZONE, HeapLayout.zoneWord(0), ZONE, "invalid zone size: 0 of 12");
        damage(ZONE, HeapLayout.zoneWord(13), ZONE, "invalid zone size: 13 of 12");
        damage(ZONE, HeapLayout.zoneWord(-1), ZONE, "invalid zone size: 4294967295 of 12");
    }

    @Test
    void chunkTypes() {
        damageChunk(6, 0, 0, 6, "unknown chunk type 0");
        damageChunk(6, 7, 0, 6, "unknown chunk type 7");
        damageChunk(6, ChunkHeader.FOOTER, 0, 6, "invalid chunk type 1");
        damageChunk(6, ChunkHeader.RUN_DATA, 0, 6, "invalid chunk type 5");
    }

    @Test
    void chunkFlags() {
        damageChunk(3, ChunkHeader.USED, 0x10, 3, "invalid chunk flags 16");
    }

    /**
     * A header has no checksum, but few values. Two of them are right as well: a block in use is
     * one bit away from a free one, and the older bitmap of chunk 0's units is the same.
     */
    @Test
    void everyBitOfAUsedChunksHeader() {
        long flexible = ChunkHeader.word(0, ChunkHeader.FLEX_BITMAP, 0);
        List<String> unseen = new ArrayList<>();
        for (int chunk : new int[] {0, 1, 3}) {
            long header = HeapLayout.chunkHeader(ZONE, chunk);
            long right = memory.getLong(header);
            for (long bit = 1; bit != 0; bit <<= 1) {
                if (walkDamaged(header, right ^ bit).inconsistencies().isEmpty()) {
                    unseen.add(chunk + ": " + Long.toHexString(bit));
                }
            }
        }
        assertThat(unseen).containsExactly("0: " + Long.toHexString(flexible), "3: 1");
    }

    @Test
    void chunkSizes() {
        damageChunk(6, ChunkHeader.FREE, 0, 0, "chunk sizes mismatch: a block of 0 chunks");
        damageChunk(6, ChunkHeader.FREE, 0, 7, "chunk sizes mismatch: a block of 7 chunks");
        damageChunk(6, ChunkHeader.FREE, 0, -1, "a block of 4294967295 chunks");
    }

    private void damageChunk(int chunk, int type, int flags, int size, String message) {
        long header = HeapLayout.chunkHeader(ZONE, chunk);
        damage(header, ChunkHeader.word(type, flags, size), header, message);
    }

    @Test
    void runDataThatLeadsElsewhere() {
        long header = HeapLayout.chunkHeader(ZONE, 2);
        long word = ChunkHeader.word(ChunkHeader.RUN_DATA, 0, 2);
        assertThat(walkDamaged(header, word).inconsistencies())
                .singleElement()
                .satisfies(found -> assertNames(found, header, "does not lead back"));
    }

    @Test
    void runHeader() {
        long run = HeapLayout.chunk(ZONE, 0);
        for (long unit : new long[] {0, -1, Long.MIN_VALUE, Long.MAX_VALUE, 262_129}) {
            damageUse(run, unit, run, "invalid unit size of a run");
        }
        damageUse(run, 262_100, run, "invalid unit size of a run");
        long header = HeapLayout.chunkHeader(ZONE, 0);
        int aligned = AllocationClass.RUN_FLAGS | ChunkHeader.ALIGNED;
        memory.putLong(header, ChunkHeader.word(ChunkHeader.RUN, aligned, 1));
        for (long alignment : new long[] {0, 3, -1, Long.MIN_VALUE, 4 << 20, 2 << 20}) {
            damageUse(run + 8, alignment, run + 8, "invalid alignment of a run");
        }
    }

    @Test
    void bitsBehindTheLastUnit() {
        long word = HeapLayout.chunk(ZONE, 0) + 16 + 8 * 31;
        WalkResult walk = walkDamaged(word, 0);
        assertThat(walk.inconsistencies())
                .singleElement()
                .satisfies(found -> assertNames(found, word, "lie behind its end"));
        assertThat(walk.objects()).hasSize(4);
        memory.putLong(word, 0);
        test.reboot();
        for (int i = 0; i < 2040; i++) {
            test.allocate(100, 10 + i); // never one behind the end
        }
    }

    @Test
    void objectHeaders() {
        long header = small - 16;
        damageUse(header, 0, header, "invalid object size in an object's header: 0");
        damageUse(header, 15, header, "invalid object size in an object's header: 15");
        damageUse(header, 128 * 65, header, "invalid object size");
        damageUse(header, 128 * 4, header, "an object of 4 units has units that the bitmap says");
        long block = large - 16;
        assertThat(walkDamaged(block, 4096).inconsistencies())
                .singleElement()
                .satisfies(
                        found ->
                                assertNames(found, block, "header says 4096 bytes, its place has"));
    }

    @Test
    void anObjectWhoseUnitsAreMarkedAsFree() {
        long word = HeapLayout.chunk(ZONE, 0) + 16;
        damageUse(word, 0b101, small - 16, "an object of 2 units has units that the bitmap says");
    }

    @Test
    void aHeaderThatIsOverwrittenLaterIsNoticedByAFree() {
        memory.putLong(small - 16, 3 * 128);
        assertThatThrownBy(() -> test.heap.prepareFree(small, new Freeing()))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("reaches into what is not its own");
        memory.putLong(small - 16, 0);
        assertThatThrownBy(() -> test.heap.usableSize(small))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("invalid object size");
    }

    @Test
    void whatFollowsAnInconsistencyIsStillVisited() {
        WalkResult walk = walkDamaged(HeapLayout.chunk(ZONE, 0), 0);
        assertThat(walk.blocks()).hasSize(4);
        assertThat(walk.blocks().get(0).run()).isNull();
        assertThat(walk.objects()).hasSize(2);
    }

    /** Boot refuses it, and the walk reports it. */
    private void damage(long offset, long word, long named, String message) {
        long old = memory.getLong(offset);
        memory.putLong(offset, word);
        assertFound(named, message);
        memory.putLong(offset, old);
        test.reboot();
    }

    private void assertFound(long named, String message) {
        assertThat(test.walk().inconsistencies())
                .singleElement()
                .satisfies(
                        found ->
                                assertThat(found.message())
                                        .contains(message)
                                        .contains("at offset " + named + " "));
        assertThatThrownBy(test::reboot)
                .isInstanceOfSatisfying(
                        FarheapException.class,
                        e -> assertThat(e.category()).isEqualTo(Category.BAD_DATA))
                .hasMessageContaining(message)
                .hasMessageContaining("at offset " + named + " ");
    }

    /** The first use refuses it, and the walk reports it. */
    private void damageUse(long offset, long word, long named, String message) {
        assertThat(walkDamaged(offset, word).inconsistencies())
                .singleElement()
                .satisfies(
                        found ->
                                assertThat(found.message())
                                        .contains(message)
                                        .contains("at offset " + named + " "));
        long old = memory.getLong(offset);
        memory.putLong(offset, word);
        test.reboot();
        for (int again = 0; again < 2; again++) {
            assertThatThrownBy(() -> test.heap.isAllocated(small))
                    .isInstanceOfSatisfying(
                            FarheapException.class,
                            e -> assertThat(e.category()).isEqualTo(Category.BAD_DATA))
                    .hasMessageContaining(message)
                    .hasMessageContaining("at offset " + named + " ");
        }
        memory.putLong(offset, old);
        test.reboot();
    }

    private WalkResult walkDamaged(long offset, long word) {
        long old = memory.getLong(offset);
        memory.putLong(offset, word);
        WalkResult walk = test.walk();
        memory.putLong(offset, old);
        return walk;
    }

    private static void assertNames(HeapWalk.Inconsistency found, long offset, String message) {
        assertThat(found.offset()).isEqualTo(offset);
        assertThat(found.message()).contains(message).contains("at offset " + offset + " ");
    }
}
