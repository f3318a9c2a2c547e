package io.farheap.heap;

import io.farheap.memory.PoolMemory;
import io.farheap.testing.support.LincheckFiles;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Every interleaving of threads that take units out of an arena's run and give them back, as far as
 * Lincheck's model checker gets: each gets the units that it would get if one thread came after the
 * other, so none is given out twice, and none is lost.
 *
 * <p>It has a JVM of its own, because Lincheck rewrites the classes of the one that it runs in.
 */
@Tag("own-jvm")
@Param(name = "units", gen = IntGen.class, conf = "1:3")
public class ArenaInterleavingsTest {
    private static final int NONE = -1;

    /** A run with nothing in it. */
    private static final MemorySegment IMAGE = Arena.global().allocate(HeapLayout.CHUNK_BYTES, 64);

    private final PoolMemory memory = HeapWalk.readOnly(IMAGE);
    private final AllocationClass wanted = AllocationClasses.DEFAULT.classFor(100);
    private final HeapArena arena = new HeapArena(1, true);
    private final HeapRun run = new HeapRun(null, 0, wanted.runAt(0), wanted, arena);

    /** Two objects are there, at units 0 and 1. */
    public ArenaInterleavingsTest() {
        run.count(memory);
        arena.add(run);
        take(1);
        take(1);
    }

    /** Takes units; the first of them. */
    @Operation
    public final int take(@Param(name = "units") int units) {
        Place place = new Place();
        return arena.take(memory, wanted, units, place) ? place.index : NONE;
    }

    @Operation(runOnce = true)
    public boolean releaseTheFirst() {
        return arena.release(run, 0, 1);
    }

    @Operation(runOnce = true)
    public boolean releaseTheSecond() {
        return arena.release(run, 1, 1);
    }

    @AfterAll
    static void leaveNothing() {
        LincheckFiles.remove();
    }

    @Test
    void unitsAreGivenOutOnceAndNoneIsLost() {
        new ModelCheckingOptions()
                .iterations(5)
                .invocationsPerIteration(150)
                .threads(2)
                .actorsPerThread(2)
                .actorsBefore(0)
                .actorsAfter(2)
                .check(ArenaInterleavingsTest.class);
    }
}
