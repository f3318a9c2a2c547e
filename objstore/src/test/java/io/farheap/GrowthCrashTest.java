package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.base.Ref;
import io.farheap.engine.PoolEngine;
import io.farheap.heap.HeapGrowth;
import io.farheap.heap.HeapSettings;
import io.farheap.layout.Descriptor;
import io.farheap.memory.PoolMemory;
import io.farheap.testing.CrashSimulation;
import io.farheap.testing.CrashSimulation.Loss;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A heap that is full grows: the image first, then the heap's size, then its zone. */
@Tag("enumerated")
class GrowthCrashTest {
    private static final long SEED = 20261121;
    private static final long START = 4 << 20;
    private static final long STEP = 2 << 20;
    private static final long MOST = START + 2 * STEP;
    private static final int CHUNK = 1 << 18;
    private static final long TYPE = 9;

    private final CrashSimulation machine = new CrashSimulation(MOST);
    private int crashes;
    private int resumed;

    /** The image of a machine: as much of it as its part files would have. */
    private static final class Image implements HeapGrowth {
        private final CrashSimulation of;
        private final PoolMemory memory;
        private RuntimeException refusal;

        Image(CrashSimulation of, long size) {
            this.of = of;
            this.memory = new PoolMemory(of.memory().image().asSlice(0, size), of);
        }

        @Override
        public long mostBytes() {
            return MOST;
        }

        @Override
        public void grow(long bytes) {
            if (refusal != null) {
                throw refusal;
            }
            memory.grow(of.memory().image().asSlice(0, memory.size() + bytes));
        }

        ObjectPool open(RecordingSink sink) {
            PoolEngine.Attachment attachment =
                    (descriptor, committed) -> {
                        descriptor.switchRunId(descriptor.runId() + (2L << 20));
                        return sink;
                    };
            ObjectPool pool =
                    ObjectPool.over(
                            PoolEngine.open(
                                    memory,
                                    SimulatedPool.SETTINGS,
                                    sink == null ? null : attachment,
                                    this,
                                    HeapSettings.defaults()),
                            SimulatedPool.POOL_ID);
            pool.heap().setGranularity(STEP);
            return pool;
        }

        long heapSize() {
            return new Descriptor(memory).heapSize();
        }
    }

    private Image formatted() {
        Image image = new Image(machine, START);
        SimulatedPool.format(image.memory);
        return image;
    }

    private static void allocate(ObjectPool pool) {
        pool.transaction(tx -> tx.allocateZeroed(CHUNK - 16, TYPE));
    }

    @Test
    void everyCrashFindsTheOldPoolOrTheNewOneAndGrowsOn() {
        Image image = formatted();
        ObjectPool pool = image.open(null);
        Ref unused = pool.root(100);
        while (image.memory.size() < MOST) {
            PoolState before = PoolState.of(pool);
            machine.beforeEachStep(() -> crash(image, before));
            allocate(pool);
            machine.beforeEachStep(() -> {});
        }
        assertThat(crashes).as("crashes").isGreaterThan(60);
        assertThat(resumed).as("crashes with a longer image and the old heap").isGreaterThan(3);
    }

    private void crash(Image image, PoolState before) {
        for (Loss loss : Loss.values()) {
            crashes++;
            String where = "crash " + crashes + ", loss " + loss + ", seed " + SEED;
            CrashSimulation restarted = machine.crash(loss, new Random(SEED + crashes));
            Image found = new Image(restarted, image.memory.size());
            long heapSize = found.heapSize();
            ObjectPool pool = found.open(null);
            PoolState.assertHeapIsSound(found.memory, where);
            PoolState state = PoolState.of(pool);
            assertThat(state.objects().size() - before.objects().size()).as(where).isIn(0, 1);
            assertThat(state.objects()).as(where).containsAllEntriesOf(before.objects());
            fill(found, pool, where);
            if (heapSize + Descriptor.DEFAULT_HEAP_OFFSET < image.memory.size()) {
                resumed++;
            }
        }
    }

    /** All that the image may ever have can be used, whatever the crash left half done. */
    private static void fill(Image image, ObjectPool pool, String where) {
        assertThatThrownBy(
                        () -> {
                            while (true) {
                                allocate(pool);
                            }
                        })
                .as(where)
                .hasMessageContaining("no room");
        assertThat(image.memory.size()).as(where).isEqualTo(MOST);
        assertThat(image.heapSize()).as(where).isEqualTo(MOST - Descriptor.DEFAULT_HEAP_OFFSET);
        PoolState.assertHeapIsSound(image.memory, where);
    }

    /** The size is a record like every other: on the replica before it is here. */
    @Test
    void replicasHearOfTheNewSizeBeforeItIsUsed() {
        Image image = formatted();
        RecordingSink sink = new RecordingSink();
        ObjectPool pool = image.open(sink);
        long before = image.heapSize();
        pool.heap().extend(STEP);

        assertThat(image.heapSize()).isEqualTo(before + STEP);
        assertThat(sink.sets(Descriptor.HEAP_SIZE)).containsExactly(before + STEP);
    }

    @Test
    void growsNoFurtherThanTheReplicasDo() {
        Image image = formatted();
        RecordingSink sink = new RecordingSink();
        sink.imageBytes = START + STEP;
        ObjectPool pool = image.open(sink);
        pool.heap().extend(10 * STEP);
        assertThat(image.memory.size()).isEqualTo(START + STEP);

        assertThatThrownBy(() -> pool.heap().extend(STEP))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("exceeded reservation size")
                .hasMessageContaining("replicas");
    }

    @Test
    void aStepThatTheFilesRefuseLeavesThePoolAsItWas() {
        Image image = formatted();
        ObjectPool pool = image.open(null);
        image.refusal =
                new FarheapException(FarheapException.Category.ENVIRONMENT, "no space left");
        assertThatThrownBy(() -> pool.heap().extend(STEP)).isSameAs(image.refusal);
        image.refusal = null;
        fill(image, pool, "after a refusal");
    }

    @Test
    void sizesThatLibpmemobjRefusesAreRefused() {
        Image image = formatted();
        ObjectPool pool = image.open(null);
        for (long bytes : List.of(0L, -1L, (2L << 20) - 1)) {
            assertThatThrownBy(() -> pool.heap().extend(bytes))
                    .hasMessageContaining("incorrect size for extend");
        }
        for (long bytes : List.of(-1L, 1L, (2L << 20) - 1)) {
            assertThatThrownBy(() -> pool.heap().setGranularity(bytes))
                    .hasMessageContaining("heap.size.granularity");
        }
        pool.heap().setGranularity(0);
        assertThat(pool.heap().granularity()).isZero();
        assertThatThrownBy(() -> pool.transaction(tx -> tx.allocate(STEP, TYPE)))
                .as("granularity 0: no growth by itself")
                .hasMessageContaining("no room");
        assertThat(image.memory.size()).isEqualTo(START);

        ObjectPool fixed = SimulatedPool.open(SimulatedPool.formatted());
        fixed.heap().extend(STEP); // what the image has left, as an interrupted growth leaves it
        assertThatThrownBy(() -> fixed.heap().extend(STEP))
                .hasMessageContaining("extending the pool by appending parts with headers");
    }

    /** Parts are not made for a request that no growth could ever satisfy. */
    @Test
    void aRequestBeyondTheReservationGrowsNothing() {
        Image image = formatted();
        ObjectPool pool = image.open(null);
        assertThatThrownBy(() -> pool.transaction(tx -> tx.allocate(MOST, TYPE)))
                .hasMessageContaining("no room");
        assertThat(image.memory.size()).isEqualTo(START);
    }
}
