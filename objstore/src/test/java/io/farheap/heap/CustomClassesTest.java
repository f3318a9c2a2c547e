package io.farheap.heap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.AllocationClassDescriptor;
import io.farheap.base.AllocationClassDescriptor.HeaderType;
import io.farheap.base.FarheapException;
import io.farheap.memory.PoolMemory;
import io.farheap.testing.CrashSimulation;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CustomClassesTest {
    private static final long CHUNK = HeapLayout.CHUNK_BYTES;
    private static final HeaderType COMPACT = HeaderType.COMPACT;

    private final PoolMemory memory = new CrashSimulation(TestHeap.imageSize(30)).memory();
    private final TestHeap test = TestHeap.create(memory);

    @ParameterizedTest
    @CsvSource({
        // unit, alignment, wanted units, header; chunks, units: as heap.alloc_class.N.desc says
        "128, 0, 1000, NONE, 1, 2045",
        "256, 0, 500, LEGACY, 1, 1023",
        "2048, 1024, 50, NONE, 1, 126",
        "4096, 512, 100, COMPACT, 2, 126",
        "100000, 0, 10, COMPACT, 4, 10",
        "4048, 0, 60, COMPACT, 1, 64",
        "2097152, 2097152, 1, LEGACY, 17, 1",
    })
    void aRunIsDividedAsTheCLibraryDoesIt(
            long unit, long alignment, int wanted, HeaderType header, int chunks, int units) {
        AllocationClassDescriptor made = make(unit, alignment, wanted, header);

        assertThat(made)
                .isEqualTo(new AllocationClassDescriptor(54, unit, alignment, units, header));
        assertThat(test.heap.allocationClass(54)).contains(made);
        test.allocate(unit - header.bytes(), header == HeaderType.NONE ? 0 : 7, 54, Heap.ANY);
        HeapWalk.Block run =
                test.check().blocks().stream()
                        .filter(block -> block.type() == HeapWalk.BlockType.RUN)
                        .findFirst()
                        .orElseThrow();
        assertThat(run.chunks()).isEqualTo(chunks);
        assertThat(run.run().units()).isEqualTo(units);
        assertThat(run.run().usedUnits()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({
        "NONE, 512", "NONE, 4096", "NONE, 65536", "NONE, 2097152",
        "COMPACT, 512", "COMPACT, 4096", "COMPACT, 65536", "COMPACT, 2097152",
        "LEGACY, 512", "LEGACY, 4096", "LEGACY, 65536", "LEGACY, 2097152",
    })
    void userDataIsAligned(HeaderType header, long alignment) {
        int id = make(alignment, alignment, 2, header).id();
        long size = alignment - header.bytes();
        long type = header == HeaderType.NONE ? 0 : 9;

        for (int i = 0; i < 2; i++) {
            assertThat(test.allocate(size, type, id, Heap.ANY) % alignment).isZero();
        }
        if (header != HeaderType.NONE && test.heap.allocationClass(id).get().unitsPerBlock() > 3) {
            assertThat(test.allocate(size + 1, type, id, Heap.ANY) % alignment).isZero();
        }
        test.check();
        test.checkQueries();
        test.reboot();
        test.checkQueries();
        List.copyOf(test.model.keySet()).forEach(test::free);
        test.check();
    }

    @ParameterizedTest
    @CsvSource({"NONE", "COMPACT", "LEGACY"})
    void everyUnitOfARunIsUsed(HeaderType header) {
        AllocationClassDescriptor made = make(4048, 0, 60, header);
        assertThat(made.unitsPerBlock()).as("a multiple of 64").isEqualTo(64);

        for (int i = 0; i < 64; i++) {
            test.allocate(4048L - header.bytes(), 0, made.id(), Heap.ANY);
        }

        assertThat(test.heap.runBytes()).as("in one run").isEqualTo(CHUNK);
        assertThat(test.check().blocks().get(0).run().lostUnits()).isZero();
        test.allocate(4048L - header.bytes(), 0, made.id(), Heap.ANY);
        assertThat(test.heap.runBytes()).isEqualTo(2 * CHUNK);
        test.check();
    }

    @Test
    void anObjectTakesUpTo64Units() {
        int id = make(100, 0, 1000, COMPACT).id();
        long large = test.allocate(6384, 1, id, Heap.ANY);
        assertThat(test.heap.usableSize(large)).isEqualTo(6384);
        List<Long> gaps = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            gaps.add(test.allocate(2900, 2, id, Heap.ANY));
            test.allocate(80, 3, id, Heap.ANY);
        }
        gaps.forEach(test::free);

        long fits = test.allocate(2984, 4, id, Heap.ANY);
        long tooLong = test.allocate(3400, 4, id, Heap.ANY);

        assertThat(fits).as("30 units, in the first gap that has as many").isLessThan(tooLong);
        assertRefused(() -> test.allocate(6385, 1, id, Heap.ANY), "not suitable", "6385");
        test.check();
        test.checkQueries();
    }

    @Test
    void whatAClassCannotHoldIsRefused() {
        int none = make(1000, 0, 100, HeaderType.NONE).id();
        int few = make(300_000, 0, 2, COMPACT).id();
        int units = test.heap.allocationClass(few).orElseThrow().unitsPerBlock();

        test.allocate(1000, 0, none, Heap.ANY);
        test.allocate(300_000L * units - 16, 1, few, Heap.ANY);

        assertRefused(() -> test.allocate(1001, 0, none, Heap.ANY), "not suitable", "1001");
        assertRefused(() -> test.allocate(300_000L * units - 15, 0, few, Heap.ANY), "not suitable");
        assertRefused(() -> test.allocate(10, 0, 56, Heap.ANY), "no allocation class 56");
        assertRefused(() -> test.allocate(10, 0, 255, Heap.ANY), "no allocation class 255");
        assertRefused(() -> test.allocate(10, 0, -1, Heap.ANY), "no allocation class -1");
        test.check();
    }

    @Test
    void aDefaultClassMayBeNamedToo() {
        long object = test.allocate(10, 1, 7, Heap.ANY);
        long long64 = test.allocate(64 * 128 - 16, 1, 1, Heap.ANY);

        assertThat(test.heap.usableSize(object)).isEqualTo(1088 - 16);
        assertThat(test.heap.usableSize(long64)).isEqualTo(64 * 128 - 16);
        test.check();
    }

    @Test
    void anExplicitClassNeverGetsABlockOfItsOwn() {
        int id = make(40_960, 4096, 10, COMPACT).id();
        test.allocate(29 * CHUNK - 16, 1);

        assertThatThrownBy(() -> test.allocate(39_000, 2, id, Heap.ANY))
                .isInstanceOfSatisfying(
                        FarheapException.class,
                        e ->
                                assertThat(e.category())
                                        .isEqualTo(FarheapException.Category.ENVIRONMENT));
        test.check();
    }

    @Test
    void runsAreUsedAgainWhenTheClassIsMadeAnew() {
        int id = make(768, 256, 300, COMPACT).id();
        long first = test.allocate(700, 1, id, Heap.ANY);
        long second = test.allocate(700, 2, id, Heap.ANY);
        test.reboot();

        test.free(first);
        long elsewhere = test.allocate(700, 3);
        assertThat(elsewhere).as("no class of that kind yet").isNotEqualTo(first);
        assertThat(test.heap.usableSize(second)).isEqualTo(752);
        assertThat(make(768, 128, 300, COMPACT).id()).isEqualTo(54);
        assertThat(test.allocate(700, 4, 54, Heap.ANY)).as("another alignment").isNotEqualTo(first);
        test.reboot();
        assertThat(make(768, 256, 300, COMPACT).id()).isEqualTo(54);

        assertThat(test.allocate(700, 5, 54, Heap.ANY)).isEqualTo(first);
        test.check();
    }

    @Test
    void runsThatWereNotVisitedYetAreFoundToo() {
        int id = make(768, 0, 300, HeaderType.LEGACY).id();
        long first = test.allocate(700, 1, id, Heap.ANY);
        test.reboot();

        int anew = make(768, 0, 300, HeaderType.LEGACY).id();

        assertThat(test.allocate(700, 2, anew, Heap.ANY)).isEqualTo(first + 768);
    }

    @Test
    void aClassServesAlsoSizesThatItFitsBestUnlessItHasNoHeaders() {
        assertThat(usableSizeOf(1100)).isGreaterThan(1104);
        make(1120, 0, 200, COMPACT);
        make(504, 0, 500, HeaderType.NONE);

        assertThat(usableSizeOf(1100)).isEqualTo(1104);
        assertThat(usableSizeOf(504)).isGreaterThan(504);
        test.check();
    }

    @Test
    void whatNoClassCanBeIsRefused() {
        assertRefused(() -> make(0, 0, 10, COMPACT), "unit size is 0");
        assertRefused(() -> make(Heap.MAX_REQUEST + 1, 0, 10, COMPACT), "unit size");
        assertRefused(() -> make(100, 0, 0, COMPACT), "0 units");
        assertRefused(() -> make(96, 48, 10, COMPACT), "alignment is 48");
        assertRefused(() -> make(96, -1, 10, COMPACT), "alignment is -1");
        assertRefused(() -> make(4L << 20, 4L << 20, 10, COMPACT), "alignment is 4194304");
        assertRefused(() -> make(100, 64, 10, COMPACT), "not a multiple");
        assertRefused(() -> make(262_144, 4096, 1, COMPACT), "no place for a unit");
        assertRefused(() -> make(120, 0, 2000, COMPACT), "class 1", "128");
        assertRefused(() -> makeWithId(53), "53 already");
        assertRefused(() -> makeWithId(255), "255");
        assertRefused(() -> makeWithId(0), "0 already");
    }

    @Test
    void idsAreGivenInOrderUntilNoneIsLeft() {
        assertThat(makeWithId(200).id()).isEqualTo(200);
        for (int id = 54; id < 255; id++) {
            if (id != 200) {
                assertThat(make(100 + 16L * id, 0, 10, HeaderType.NONE).id()).isEqualTo(id);
            }
        }

        assertRefused(() -> make(50_000, 0, 10, HeaderType.NONE), "all 255 ids");
        assertThat(test.allocate(100 + 16 * 254, 0, 254, Heap.ANY)).isPositive();
        test.check();
    }

    @Test
    void aPatternMarksWhatNobodyWroteYet() {
        test.heap.setAllocationPattern(0x1A5);
        assertThat(test.heap.allocationPattern()).isEqualTo(0x1A5);
        int id = make(1000, 0, 100, HeaderType.NONE).id();
        for (int classId : new int[] {Heap.ANY, id}) {
            Reservation fresh = new Reservation();
            test.heap.reserve(1000, 1, 0, classId, Heap.ANY, fresh);
            long end = fresh.userOffset() + fresh.usableSize();
            for (long at = fresh.userOffset(); at < end; at++) {
                assertThat(memory.getByte(at)).isEqualTo((byte) 0xA5);
            }
            test.heap.cancel(fresh);
        }

        test.heap.setAllocationPattern(-1);
        Reservation fresh = new Reservation();
        test.heap.reserve(1000, 1, 0, id, Heap.ANY, fresh);
        memory.fill(fresh.userOffset(), 1000, (byte) 1);
        test.heap.cancel(fresh);
        test.heap.reserve(1000, 1, 0, id, Heap.ANY, fresh);
        assertThat(memory.getByte(fresh.userOffset() + 500)).isEqualTo((byte) 1);
    }

    private long usableSizeOf(long size) {
        return test.heap.usableSize(test.allocate(size, 1));
    }

    private AllocationClassDescriptor make(
            long unit, long alignment, int units, HeaderType header) {
        return test.heap.newAllocationClass(-1, unit, alignment, units, header);
    }

    private AllocationClassDescriptor makeWithId(int id) {
        return test.heap.newAllocationClass(id, 5000, 0, 10, COMPACT);
    }

    private static void assertRefused(Runnable call, String... parts) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        FarheapException.class,
                        e ->
                                assertThat(e.category())
                                        .isEqualTo(FarheapException.Category.WRONG_USE))
                .hasMessageContainingAll(parts);
    }
}
