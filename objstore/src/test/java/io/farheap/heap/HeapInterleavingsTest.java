package io.farheap.heap;

import io.farheap.memory.Persistence;
import io.farheap.memory.PoolMemory;
import io.farheap.testing.support.LincheckFiles;
import io.farheap.ulog.RedoOperations;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Threads that allocate and free in a heap, under Lincheck's stress: what is on the medium in the
 * end is exactly what the threads have, no two objects share a byte, and the heap's own answers
 * agree. {@link ArenaInterleavingsTest} goes through the interleavings of what is at the core of
 * it.
 *
 * <p>It has a JVM of its own, because Lincheck rewrites the classes of the one that it runs in.
 */
@Tag("own-jvm")
@Param(name = "slot", gen = IntGen.class, conf = "0:2")
@Param(name = "size", gen = IntGen.class, conf = "0:3")
public class HeapInterleavingsTest {
    private static final long HEAP_OFFSET = 4096;
    private static final int CHUNKS = 6;
    private static final long[] SIZES = {100, 300, 1500, 262_128};
    private static final int SLOTS = 3;

    /** One at a time is in use, and making it anew costs more than what is tested. */
    private static final MemorySegment IMAGE =
            Arena.global()
                    .allocate(
                            HEAP_OFFSET
                                    + HeapLayout.HEADER_BYTES
                                    + HeapLayout.ZONE_META_BYTES
                                    + CHUNKS * HeapLayout.CHUNK_BYTES,
                            64);

    private final PoolMemory memory = new PoolMemory(IMAGE, new NothingIsLost());
    private final long heapSize = IMAGE.byteSize() - HEAP_OFFSET;
    private final Heap heap;

    /** Image offsets of the objects that the threads have, 0: none. */
    private final AtomicLongArray slots = new AtomicLongArray(SLOTS);

    public HeapInterleavingsTest() {
        HeapFormat.format(memory, HEAP_OFFSET, heapSize);
        heap =
                Heap.boot(
                        memory,
                        HeapShape.of(memory, HEAP_OFFSET, heapSize),
                        HeapStores.local(memory),
                        HeapGrowth.NONE,
                        new HeapSettings(arenas(), false));
    }

    /** All threads share one. */
    int arenas() {
        return 1;
    }

    /** Allocates an object and keeps it in an empty slot; whether the slot was empty. */
    @Operation
    public boolean put(@Param(name = "slot") int slot, @Param(name = "size") int size) {
        Reservation reservation = new Reservation();
        heap.reserve(SIZES[size], slot + 1, 0, reservation);
        long object = reservation.userOffset();
        memory.fill(object, reservation.usableSize(), (byte) (slot + 1));
        apply(reservation);
        heap.published(reservation);
        boolean kept = slots.compareAndSet(slot, 0, object);
        if (!kept) {
            free(object);
        }
        return kept;
    }

    /** Reserves an object and gives it up. */
    @Operation
    public void reserveAndCancel(@Param(name = "size") int size) {
        Reservation reservation = new Reservation();
        heap.reserve(SIZES[size], 9, 0, reservation);
        memory.fill(reservation.userOffset(), reservation.usableSize(), (byte) 9);
        heap.cancel(reservation);
    }

    /** Frees what a slot has; whether it had something. */
    @Operation
    public boolean take(@Param(name = "slot") int slot) {
        long object = slots.getAndSet(slot, 0);
        if (object != 0) {
            free(object);
        }
        return object != 0;
    }

    private void free(long object) {
        Freeing freeing = new Freeing();
        heap.prepareFree(object, freeing);
        apply(freeing);
        heap.freed(freeing);
    }

    private void apply(RedoWord word) {
        RedoOperations operations = new RedoOperations();
        word.addTo(operations);
        long offset = operations.offset(0);
        switch (operations.kind(0)) {
            case SET -> memory.putLong(offset, operations.value(0));
            case AND -> memory.andLong(offset, operations.value(0));
            case OR -> memory.orLong(offset, operations.value(0));
        }
    }

    @Validate
    public void theMediumHoldsWhatTheThreadsHave() {
        Map<Long, Long> expected = new TreeMap<>();
        for (int slot = 0; slot < SLOTS; slot++) {
            if (slots.get(slot) != 0) {
                expected.put(slots.get(slot), slot + 1L);
            }
        }
        Map<Long, Long> found = new TreeMap<>();
        HeapWalk.walk(
                IMAGE,
                HEAP_OFFSET,
                heapSize,
                new HeapWalk.Visitor() {
                    @Override
                    public void object(HeapWalk.HeapObject object) {
                        found.put(object.userOffset(), object.typeNumber());
                        requireContent(object);
                    }

                    @Override
                    public void inconsistency(HeapWalk.Inconsistency inconsistency) {
                        throw new IllegalStateException(inconsistency.message());
                    }
                });
        if (!found.equals(expected)) {
            throw new IllegalStateException("expected " + expected + ", found " + found);
        }
        for (long object : expected.keySet()) {
            if (!heap.isAllocated(object)) {
                throw new IllegalStateException("the heap denies " + object);
            }
        }
    }

    /** Each byte is its own owner's. */
    private void requireContent(HeapWalk.HeapObject object) {
        MemorySegment own = IMAGE.asSlice(object.userOffset(), object.usableSize());
        MemorySegment rest = own.asSlice(1);
        boolean uniform = rest.mismatch(own.asSlice(0, rest.byteSize())) < 0;
        if (!uniform || memory.getByte(object.userOffset()) != object.typeNumber()) {
            throw new IllegalStateException("somebody else stored into " + object);
        }
    }

    /** The same with arenas that threads share or not, and objects freed by other threads. */
    public static final class TwoArenas extends HeapInterleavingsTest {
        @Override
        int arenas() {
            return 2;
        }
    }

    /** One after the other: slots are empty or not. */
    public static final class OneByOne {
        private final boolean[] full = new boolean[SLOTS];

        public boolean put(int slot, int size) {
            boolean was = full[slot];
            full[slot] = true;
            return !was;
        }

        public void reserveAndCancel(int size) {
            // leaves no trace
        }

        public boolean take(int slot) {
            boolean was = full[slot];
            full[slot] = false;
            return was;
        }
    }

    @AfterAll
    static void leaveNothing() {
        LincheckFiles.remove();
    }

    @Test
    void noTwoObjectsShareAByte() {
        check(HeapInterleavingsTest.class);
    }

    @Test
    void norWhenRunsGoFromArenaToArena() {
        check(TwoArenas.class);
    }

    private static void check(Class<?> tested) {
        new StressOptions()
                .iterations(4)
                .invocationsPerIteration(200)
                .threads(3)
                .actorsPerThread(4)
                .actorsBefore(3)
                .actorsAfter(2)
                .sequentialSpecification(OneByOne.class)
                .check(tested);
    }

    private static final class NothingIsLost implements Persistence {
        @Override
        public void flush(long offset, long length) {
            // no power is cut here
        }

        @Override
        public void fence() {
            // no power is cut here
        }
    }
}
