package io.farheap.it.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.base.AllocationClassDescriptor;
import io.farheap.base.AllocationClassDescriptor.HeaderType;
import io.farheap.base.AllocationOptions;
import io.farheap.base.Ref;
import io.farheap.pmemobj.ReferenceField;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs of a program's own allocation classes, made by one library and filled by the other. */
class CustomClassInteropTest {
    private static final long POOL_BYTES = 32L << 20;
    private static final long CHUNK = 1 << 18;
    private static final long TYPE = 17;
    private static final int EACH = 5;

    @TempDir Path directory;
    private Path file;

    @BeforeEach
    void nativeLibrary() {
        NativeJudge.require();
        file = directory.resolve("classes.pool");
        ObjectPool.at(file).layout("").size(POOL_BYTES).create().close();
    }

    @ParameterizedTest
    @CsvSource({
        "128, 0, 1000, NONE, 128",
        "256, 0, 500, LEGACY, 400",
        "200, 0, 500, COMPACT, 184",
        "2048, 1024, 50, NONE, 2000",
        "4096, 512, 100, COMPACT, 8000",
        "4096, 4096, 100, LEGACY, 4000",
        "65536, 65536, 40, COMPACT, 65000",
        "2097152, 2097152, 6, NONE, 2097152",
    })
    void bothFillOneRun(long unit, long alignment, int units, HeaderType header, long size) {
        String[] wanted = {
            Long.toString(unit),
            Long.toString(alignment),
            Integer.toString(units),
            header.name().toLowerCase(Locale.ROOT)
        };
        List<Long> ours = fill(wanted, size, units > 10 ? EACH : 2);

        List<Long> theirs = fillNatively(wanted, size, units > 10 ? EACH : 2);
        assertSameRun(unit, ours, theirs);
        assertListed(ours, theirs);

        List<Long> more = fill(wanted, size, 1);
        assertSameRun(unit, theirs, more);
        try (ObjectPool pool = ObjectPool.open(file, null)) {
            AllocationClassDescriptor its = make(pool, wanted);
            pool.atomic().free(new Ref(pool.poolId(), theirs.get(0)));
            pool.atomic().free(new Ref(pool.poolId(), ours.get(0)));
            assertThat(its.unitsPerBlock()).isPositive();
        }
        assertListed(ours.subList(1, ours.size()), theirs.subList(1, theirs.size()), more);

        List<Long> again = fillNatively(wanted, size, 1);
        assertSameRun(unit, more, again);
        NativeJudge.assertConsistent(file);
    }

    /** Where the units of a run are a multiple of 64, the C library loses some of its own runs'. */
    @ParameterizedTest
    @CsvSource({"NONE", "COMPACT", "LEGACY"})
    void nothingIsLostInRunsOf64Units(HeaderType header) {
        String[] wanted = {"4048", "0", "60", header.name().toLowerCase(Locale.ROOT)};

        List<Long> ours = fill(wanted, 3900, 10);
        assertListed(ours);
        List<Long> theirs = fillNatively(wanted, 3900, 50);
        assertSameRun(4048, ours, theirs);
        List<Long> last = fill(wanted, 3900, 4);

        assertSameRun(4048, theirs, last);
        assertListed(ours, theirs, last);
        NativeJudge.assertConsistent(file);
    }

    @Test
    void objectsMovedByOneAreFoundByTheOther() {
        String[] wanted = {"1024", "0", "200", "compact"};
        List<Long> theirs = fillNatively(wanted, 1000, 150);
        try (ObjectPool pool = ObjectPool.open(file, null)) {
            int id = make(pool, wanted).id();
            Ref root = pool.root(16);
            // The run of the C program is this thread's now; the other arena gets one of its own.
            pool.atomic().allocate(1000, TYPE, AllocationOptions.ZEROED.inClass(id));
            int arena = pool.heap().createArena();
            AllocationOptions there = AllocationOptions.DEFAULT.inClass(id).inArena(arena);
            for (int i = 0; i < 110; i++) {
                pool.atomic().allocate(root, 0, 1000, TYPE, there, o -> o.setLong(0, 1));
            }
            long before = pool.getRef(root, 0).offset();
            assertThat(pool.heap().defragment(List.of(new ReferenceField(root, 0))).relocated())
                    .isEqualTo(1);
            assertThat(pool.getRef(root, 0).offset()).isNotEqualTo(before).isLessThan(before);
        }

        assertThat(Listing.here(file)).isEqualTo(NativeJudge.list(file));
        assertThat(NativeJudge.list(file).objects()).hasSize(theirs.size() + 111);
        NativeJudge.assertConsistent(file);
    }

    private static AllocationClassDescriptor make(ObjectPool pool, String[] wanted) {
        return pool.heap()
                .newAllocationClass(
                        Long.parseLong(wanted[0]),
                        Long.parseLong(wanted[1]),
                        Integer.parseInt(wanted[2]),
                        HeaderType.valueOf(wanted[3].toUpperCase(Locale.ROOT)));
    }

    private List<Long> fill(String[] wanted, long size, int count) {
        List<Long> made = new ArrayList<>();
        try (ObjectPool pool = ObjectPool.open(file, null)) {
            AllocationClassDescriptor its = make(pool, wanted);
            assertThat(its.id()).isEqualTo(54);
            for (int i = 0; i < count; i++) {
                AllocationOptions options = AllocationOptions.ZEROED.inClass(its.id());
                Ref object = pool.atomic().allocate(size, TYPE, options);
                long address = pool.segment(object).address();
                assertThat(its.alignment() == 0 ? 0 : address % its.alignment()).isZero();
                made.add(object.offset());
            }
        }
        return made;
    }

    private List<Long> fillNatively(String[] wanted, long size, int count) {
        NativeJudge.Answer answer =
                NativeJudge.judge(
                        "class",
                        file.toString(),
                        wanted[0],
                        wanted[1],
                        wanted[2],
                        wanted[3],
                        Long.toString(size),
                        Long.toString(TYPE),
                        Integer.toString(count));
        assertThat(answer).returns(0, NativeJudge.Answer::exitCode);
        List<String> lines = answer.out().lines().toList();
        try (ObjectPool pool = ObjectPool.open(file, null)) {
            AllocationClassDescriptor its = make(pool, wanted);
            assertThat(lines.get(0)).isEqualTo("class " + its.id() + " " + its.unitsPerBlock());
        }
        return lines.stream()
                .skip(1)
                .map(line -> Long.parseLong(line.substring("object ".length())))
                .toList();
    }

    private static void assertSameRun(long unit, List<Long> some, List<Long> others) {
        long most = Math.max(CHUNK, 8 * unit);
        for (long other : others) {
            assertThat(Math.abs(other - some.get(0))).isLessThan(Math.max(most, 64 * unit));
        }
    }

    /** Both see these objects, with the same content, and no others. */
    @SafeVarargs
    private void assertListed(List<Long>... expected) {
        List<Long> all = new ArrayList<>();
        for (List<Long> some : expected) {
            all.addAll(some);
        }
        Listing here = Listing.here(file);
        assertThat(here).isEqualTo(NativeJudge.list(file));
        assertThat(here.objects())
                .extracting(Listing.Item::offset)
                .containsExactlyInAnyOrderElementsOf(all);
    }
}
