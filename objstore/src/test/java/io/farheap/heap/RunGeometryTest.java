package io.farheap.heap;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.memory.PoolMemory;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RunGeometryTest {
    private static final int CHUNKS = 8;
    private static final long ZONE = HeapLayout.zone(TestHeap.HEAP_OFFSET, 0);
    private static final long RUN = HeapLayout.chunk(ZONE, 0);

    private final PoolMemory memory =
            new PoolMemory(
                    Arena.ofAuto().allocate(TestHeap.imageSize(CHUNKS), 8), new NothingIsLost());

    @BeforeEach
    void initialiseTheZone() {
        TestHeap test = TestHeap.create(memory);
        test.heap.cancel(test.reserve(CHUNKS * HeapLayout.CHUNK_BYTES - 16, 1));
    }

    @Test
    void theFixedBitmapHas38WordsWhateverItNeeds() {
        RunGeometry run = RunGeometry.ofNew(0, 1, ChunkHeader.COMPACT_HEADER, 256);
        assertThat(run.units).isEqualTo((262_144 - 16 - 304) / 256);
        assertThat(run.words).isEqualTo(16);
        assertThat(run.dataOffset).isEqualTo(320);
        RunGeometry full = RunGeometry.ofNew(0, 1, ChunkHeader.COMPACT_HEADER, 64);
        assertThat(full.units).isEqualTo(38 * 64);
        assertThat(full.words).isEqualTo(38);
    }

    @Test
    void alignedUnitsGiveUpOneAndAlignTheUserData() {
        int flags = ChunkHeader.COMPACT_HEADER | ChunkHeader.FLEX_BITMAP | ChunkHeader.ALIGNED;
        for (long alignment : new long[] {64, 512, 4096, 65_536}) {
            memory.putLong(RUN, alignment);
            memory.putLong(RUN + 8, alignment);
            RunGeometry run = RunGeometry.read(memory, RUN, CHUNKS, flags);
            assertThat((run.unitOffset(0) + 16) % alignment).isZero();
            assertThat((run.unitOffset(run.units - 1) + 16) % alignment).isZero();
            assertThat(run.unitOffset(run.units)).isLessThanOrEqualTo(RUN + (CHUNKS << 18));
            assertThat(run.bitmapWord(run.words)).isLessThanOrEqualTo(run.dataOffset);
        }
    }

    @Test
    void onlyTheStartsOfUnitsAreUnits() {
        RunGeometry run = RunGeometry.ofNew(RUN, 1, AllocationClass.RUN_FLAGS, 704);
        assertThat(run.unitAt(run.dataOffset - 704)).isEqualTo(-1);
        assertThat(run.unitAt(run.dataOffset)).isZero();
        assertThat(run.unitAt(run.dataOffset + 1)).isEqualTo(-1);
        assertThat(run.unitAt(run.unitOffset(371))).isEqualTo(371);
        assertThat(run.unitAt(run.unitOffset(372))).isEqualTo(-1);
    }

    @Test
    void aNewRunHasOnlyTheBitsSetThatStandForNoUnit() {
        for (int id = 1; id < 54; id++) {
            AllocationClass c = AllocationClasses.DEFAULT.find(id);
            assertThat(clearBits(c.unit(), c.chunks())).as("class %d", id).isEqualTo(c.units());
        }
    }

    /** Units a multiple of 64: where the C library 1.12 sets the whole last word. */
    @Test
    void aRunOfAMultipleOf64UnitsLosesNone() {
        RunGeometry run = RunGeometry.ofNew(RUN, 1, AllocationClass.RUN_FLAGS, 4048);
        assertThat(run.units).isEqualTo(64);
        assertThat(run.words).isEqualTo(1);
        assertThat(clearBits(4048, 1)).isEqualTo(64);
    }

    private static int clearBits(long unit, int chunks) {
        RunGeometry run = RunGeometry.ofNew(RUN, chunks, AllocationClass.RUN_FLAGS, unit);
        StoreList list = new StoreList();
        ChunkSetup.addRunHeader(list, run);
        int clear = 0;
        for (int i = 0; i < list.size(); i++) {
            boolean bitmap = list.offset(i) >= run.bitmapWord(0);
            clear += bitmap ? Long.bitCount(~list.value(i)) : 0;
            assertThat(list.offset(i)).isLessThan(run.dataOffset);
        }
        assertThat(list.size()).isEqualTo((int) (2 + run.bitmapBytes / 8));
        return clear;
    }

    /** What the C library makes of such a class: all bits set, no object anywhere. */
    @Test
    void unitsThatTheCLibraryLostAreNoObjects() {
        writeRun(4048, -1L);
        TestHeap test = TestHeap.open(memory, HeapStores.local(memory));
        WalkResult walk = test.check();
        assertThat(walk.objects()).isEmpty();
        HeapWalk.Run run = walk.blocks().get(0).run();
        assertThat(run.lostUnits()).isEqualTo(64);
        assertThat(run.usedUnits()).isEqualTo(64);
        assertThat(test.heap.first()).isEqualTo(Heap.NONE);
        assertThat(test.heap.isAllocated(run.dataOffset() + 16)).isFalse();
        test.allocate(7 * HeapLayout.CHUNK_BYTES - 16, 1);
        test.check();
    }

    /**
     * As in pools of the library: the footer of the free chunk lies where the first header does.
     */
    @Test
    void whatTheMemoryHeldBeforeIsNoObjectEither() {
        writeRun(4048, -1L);
        memory.putLong(RUN + 64, 16);
        memory.putLong(RUN + 72, 33);
        TestHeap test = TestHeap.open(memory, HeapStores.local(memory));
        assertThat(test.check().objects()).isEmpty();
        assertThat(test.heap.first()).isEqualTo(Heap.NONE);
    }

    @Test
    void aUnitIsFoundByMultiplicationAsByDivision() {
        for (long unit : new long[] {1, 2, 3, 7, 16, 64, 100, 127, 128, 704, 4048, 65_521}) {
            RunGeometry run = RunGeometry.ofNew(RUN, 1, AllocationClass.RUN_FLAGS, unit);
            for (int i = 0; i < run.units; i++) {
                assertThat(run.unitAt(run.unitOffset(i))).as("unit %d", unit).isEqualTo(i);
                long last = run.unitOffset(i) + unit - 1;
                assertThat(run.unitAt(last)).as("unit %d", unit).isEqualTo(unit == 1 ? i : -1);
            }
            assertThat(run.unitAt(run.unitOffset(run.units))).as("unit %d", unit).isEqualTo(-1);
        }
    }

    /** The same word in a run whose maker got it right: 64 objects. */
    @Test
    void sixtyFourObjectsInSuchARunAreObjects() {
        writeRun(4048, -1L);
        RunGeometry run = RunGeometry.ofNew(RUN, 1, AllocationClass.RUN_FLAGS, 4048);
        List<Long> expected = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            ObjectHeader.write(memory, 16, run.unitOffset(i), 4048, i, 0);
            expected.add(run.unitOffset(i) + 16);
        }
        TestHeap test = TestHeap.open(memory, HeapStores.local(memory));
        WalkResult walk = test.walk();
        assertThat(walk.inconsistencies()).isEmpty();
        assertThat(walk.objects().stream().map(HeapWalk.HeapObject::userOffset))
                .isEqualTo(expected);
        assertThat(walk.blocks().get(0).run().lostUnits()).isZero();
        assertThat(test.heap.first()).isEqualTo(expected.get(0));
    }

    /** A run that no class of ours makes: its objects can be freed, and it can be dissolved. */
    @Test
    void aRunOfAnUnknownClassGetsNothingNewAndIsDissolvedWhenEmpty() {
        writeRun(5000, 1);
        RunGeometry run = RunGeometry.ofNew(RUN, 1, AllocationClass.RUN_FLAGS, 5000);
        memory.putLong(run.bitmapWord(0), 1 | run.tail(0));
        ObjectHeader.write(memory, 16, run.unitOffset(0), 5000, 9, 0);
        TestHeap test = TestHeap.open(memory, HeapStores.local(memory));
        long old = run.unitOffset(0) + 16;
        test.model.put(old, 9L);
        long other = test.allocate(4900, 10);
        assertThat(other).isGreaterThan(RUN + HeapLayout.CHUNK_BYTES);
        test.check();
        test.free(old);
        test.free(other);
        test.allocate(CHUNKS * HeapLayout.CHUNK_BYTES - 16, 11);
        assertThat(test.check().blocks()).hasSize(1);
    }

    private void writeRun(long unit, long bits) {
        memory.putLong(RUN, unit);
        memory.putLong(RUN + 8, 0);
        for (int word = 0; word < 6; word++) {
            memory.putLong(RUN + 16 + 8 * word, word == 0 ? bits : -1L);
        }
        memory.putLong(
                HeapLayout.chunkHeader(ZONE, 1), ChunkHeader.word(ChunkHeader.FREE, 0, CHUNKS - 1));
        memory.putLong(HeapLayout.chunkHeader(ZONE, CHUNKS - 1), ChunkHeader.footer(CHUNKS - 1));
        memory.putLong(
                HeapLayout.chunkHeader(ZONE, 0),
                ChunkHeader.word(ChunkHeader.RUN, AllocationClass.RUN_FLAGS, 1));
    }
}
