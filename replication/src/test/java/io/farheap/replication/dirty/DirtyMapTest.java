package io.farheap.replication.dirty;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.layout.Descriptor;
import io.farheap.memory.PoolMemory;
import io.farheap.replication.control.ByteRange;
import io.farheap.replication.epoch.Epoch;
import io.farheap.spi.RecordSource;
import io.farheap.testing.CrashSimulation;
import io.farheap.testing.CrashSimulation.Loss;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A map that is believed is complete; whatever is torn or foreign is not believed. */
class DirtyMapTest {
    private static final long IMAGE = 256 << 20;
    private static final long REGION = 1 << 20;
    private static final MemorySegment IDENTITY = DirtyMap.identity(new byte[16], "host a.set");

    private static CrashSimulation machine() {
        return new CrashSimulation(DirtyMap.fileBytes(IMAGE));
    }

    private static DirtyMap map(CrashSimulation machine, long base, long number) {
        return DirtyMap.create(machine.memory(), IDENTITY, IMAGE, Bases.of(base), number, false);
    }

    private static void mark(DirtyMap map, long offset, long length) {
        if (map.bits().mark(offset, length)) {
            map.bits().fence();
            map.bits().settle(offset, length);
        }
    }

    private static DirtyMap found(CrashSimulation machine) {
        return DirtyMap.open(machine.memory(), IDENTITY, 10);
    }

    private static List<ByteRange> marked(DirtyMap map) {
        RegionSet set = RegionSet.fine(IMAGE);
        map.addTo(set);
        return set.take(IMAGE);
    }

    @Test
    void aRegionIsMarkedOnceAndPaidForOnce() {
        CrashSimulation machine = machine();
        DirtyMap map = map(machine, 10, 10);
        mark(map, REGION + 5000, 100);
        long fences = machine.memory().fenceCount();
        assertThat(map.bits().mark(REGION, REGION)).isFalse();
        assertThat(map.bits().mark(2 * REGION - 1, 2)).as("its neighbour, too").isTrue();
        map.bits().fence();
        map.bits().settle(2 * REGION - 1, 2);
        assertThat(machine.memory().fenceCount() - fences).isEqualTo(1);
        DirtyMap later = found(machine);
        assertThat(marked(later)).containsExactly(new ByteRange(REGION, 2 * REGION));
        assertThat(later.bytes()).isEqualTo(2 * REGION);
        assertThat(later.isExact()).isFalse();
    }

    /** Whoever made the map knows more than what is durable. */
    @Test
    void theProcessThatMadeItKnowsMore() {
        DirtyMap map = map(machine(), 10, 10);
        mark(map, REGION + 20, 8);
        mark(map, REGION + 3 * 16 + 12, 8);
        mark(map, 5 * REGION - 16, 33);
        assertThat(map.isExact()).isTrue();
        assertThat(marked(map))
                .containsExactly(
                        new ByteRange(REGION + 16, 16),
                        new ByteRange(REGION + 3 * 16, 32),
                        new ByteRange(5 * REGION - 16, 48));
        assertThat(map.bytes()).isEqualTo(6 * 16);
    }

    /** It is kept for a member that may lag, and both sets of bits are cleared in turn. */
    @Test
    void ofOneThatLaggedOnlyRegionsAreKnown() {
        CrashSimulation machine = machine();
        DirtyMap map = DirtyMap.create(machine.memory(), IDENTITY, IMAGE, Bases.of(10), 10, true);
        mark(map, REGION + 100, 8);
        assertThat(map.isExact()).isFalse();
        assertThat(marked(map)).containsExactly(new ByteRange(REGION, REGION));
    }

    /** The next process finds it marked, and does not mark it again. */
    @Test
    void aBitOfAKilledProcessIsDurableOnceItWasFound() {
        CrashSimulation machine = machine();
        boolean unused = map(machine, 10, 10).bits().mark(REGION, 8); // killed before the fence
        assertThat(found(machine).bits().mark(REGION, 8)).isFalse();
        CrashSimulation after = machine.crash(Loss.ALL, new Random(1));
        assertThat(marked(found(after))).containsExactly(new ByteRange(REGION, REGION));
    }

    @Test
    void rangesOfManyWords() {
        CrashSimulation machine = machine();
        mark(map(machine, 10, 10), 60 * REGION, 70 * REGION);
        assertThat(marked(found(machine))).containsExactly(new ByteRange(60 * REGION, 70 * REGION));
    }

    /** The pool grew since: the last region is all that lies beyond. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatLiesBeyondTheEndIsTheLastRegion(boolean exact) {
        CrashSimulation machine = machine();
        DirtyMap made = map(machine, 10, 10);
        mark(made, IMAGE + 12345, 10);
        DirtyMap map = exact ? made : found(machine);
        long last = exact ? 16 : REGION;
        RegionSet grown = RegionSet.fine(2 * IMAGE);
        map.addTo(grown);
        assertThat(marked(map)).containsExactly(new ByteRange(IMAGE - last, last));
        assertThat(grown.take(2 * IMAGE))
                .containsExactly(new ByteRange(IMAGE - last, IMAGE + last));
        RegionSet same = RegionSet.fine(IMAGE);
        map.addTo(same);
        assertThat(same.take(3 * IMAGE))
                .containsExactly(new ByteRange(IMAGE - last, 2 * IMAGE + last));
    }

    @Test
    void itGoesWithItsNumbersOnlyAndWithItsReplica() {
        CrashSimulation machine = machine();
        DirtyMap map = map(machine, 10, 10);
        assertThat(DirtyMap.open(machine.memory(), IDENTITY, 10)).isNotNull();
        map.switching(10, 20);
        assertThat(DirtyMap.open(machine.memory(), IDENTITY, 10)).isNotNull();
        assertThat(DirtyMap.open(machine.memory(), IDENTITY, 20).bases().numbers())
                .containsExactly(10L);
        assertThat(DirtyMap.open(machine.memory(), IDENTITY, 22)).isNull();
        map.switching(20, 30);
        assertThat(DirtyMap.open(machine.memory(), IDENTITY, 10)).isNull();
        MemorySegment other = DirtyMap.identity(new byte[16], "host b.set");
        assertThat(DirtyMap.open(machine.memory(), other, 30)).isNull();
        byte[] uuid = new byte[16];
        uuid[3] = 1;
        assertThat(DirtyMap.open(machine.memory(), DirtyMap.identity(uuid, "host a.set"), 30))
                .isNull();
    }

    /** Any word of the header that is not what was written. */
    @Test
    void aTornHeaderIsNoneForTheNumberThatItNames() {
        for (long word = 0; word < 152; word += 8) {
            CrashSimulation machine = machine();
            DirtyMap map = map(machine, 10, 10);
            map.switching(10, 20);
            PoolMemory memory = machine.memory();
            for (long copy : new long[] {0, 4096}) {
                boolean newer = memory.getLong(copy + 8) == 2;
                long was = memory.getLong(copy + word);
                memory.putLong(copy + word, was ^ 0x100);
                assertThat(DirtyMap.open(memory, IDENTITY, newer ? 20 : 30))
                        .as("word %d of copy %d", word, copy)
                        .isNull();
                memory.putLong(copy + word, was);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Loss.class)
    void afterAPowerLossAtAnyStepWhatIsFoundIsCompleteForItsNumber(Loss loss) {
        CrashSimulation machine = machine();
        List<Long> settled = new ArrayList<>();
        long[] number = {10};
        int[] crashes = {0};
        boolean[] made = {false};
        machine.beforeEachStep(
                () -> {
                    CrashSimulation after = machine.crash(loss, new Random(crashes[0]++));
                    DirtyMap found = DirtyMap.open(after.memory(), IDENTITY, number[0]);
                    if (made[0]) {
                        assertThat(found).as("for %d", number[0]).isNotNull();
                    }
                    if (found != null) {
                        for (long region : settled) {
                            assertThat(found.bits().mark(region, 8))
                                    .as("region %d", region)
                                    .isFalse();
                        }
                    }
                });
        DirtyMap map = map(machine, 10, 10);
        made[0] = true;
        Random random = new Random(5);
        for (int i = 0; i < 40; i++) {
            long region = (random.nextInt((int) (IMAGE - 8)) & -8L);
            mark(map, region, 8);
            settled.add(region);
            if (i % 10 == 9) {
                map.switching(number[0], number[0] + 10);
                number[0] += 10;
            }
        }
        assertThat(crashes[0]).isGreaterThan(80);
    }

    /** The local commit point comes after {@code append}: the bit must be durable by then. */
    @Test
    void whatIsAppendedIsMarkedDurably() {
        CrashSimulation machine = machine();
        DirtyMap map = map(machine, 10, 10);
        Epoch epoch =
                new Epoch(
                        1,
                        20,
                        List.of(),
                        null,
                        new DirtyBits[] {map.bits()},
                        LagDirtyMaps.NONE,
                        ThreadLocal.withInitial(RecordMarker::new),
                        Epoch.MOST_RECORDS,
                        null);
        long place = 5 * REGION;
        RecordSource record =
                entries -> {
                    entries.set(Descriptor.ROOT_OFFSET, 7);
                    entries.set(Descriptor.DEFAULT_HEAP_OFFSET + place, 1);
                };
        long sequence = epoch.append(32, record);
        PoolMemory after = machine.crash(Loss.ALL, new Random(1)).memory();
        DirtyMap found = DirtyMap.open(after, IDENTITY, 10);
        assertThat(found.bits().mark(Descriptor.DEFAULT_HEAP_OFFSET + place, 8)).isFalse();
        assertThat(found.bits().mark(Descriptor.ROOT_OFFSET, 8)).isFalse();
        assertThat(found.bits().mark(IMAGE - 8, 8)).isTrue();
        epoch.committed(sequence);
        assertThat(epoch.awaitQuiet(java.time.Duration.ZERO)).isTrue();
    }
}
