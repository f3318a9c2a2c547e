package io.farheap.heap;

import io.farheap.memory.PoolMemory;

/**
 * Finds the objects of a run (docs/format.md#runs): the bitmap says which units are in use, only
 * the objects' headers say how many belong to one object.
 */
final class RunObjects {
    private RunObjects() {}

    /**
     * The units of one bitmap word at which objects start.
     *
     * @param used the word's bits of units in use
     * @throws io.farheap.base.FarheapException BAD_DATA when a header contradicts the bits
     */
    static long starts(PoolMemory memory, RunGeometry run, int word, long used) {
        long starts = 0;
        long rest = used;
        if (lost(memory, run, word, used)) {
            return 0;
        }
        while (rest != 0) {
            int bit = Long.numberOfTrailingZeros(rest);
            int unit = word * Long.SIZE + bit;
            int units = unitsOf(memory, run, unit);
            long mask = HeapRun.mask(bit, units);
            if ((mask & rest) != mask) {
                throw HeapErrors.bad(
                        run.unitOffset(unit),
                        "heap: an object of "
                                + units
                                + " units has units that the bitmap says are free");
            }
            starts |= 1L << bit;
            rest &= ~mask;
        }
        return starts;
    }

    /**
     * Whether these 64 units are those that the C library 1.12 loses when it makes a run whose
     * units are a multiple of 64 (docs/format.md#runs): all bits set, and no objects. What the
     * memory held before may look like a header here and there (the footer of a free chunk does),
     * and one header of 64 objects may be damaged; so the larger number decides.
     */
    static boolean lost(PoolMemory memory, RunGeometry run, int word, long used) {
        if (used != -1L
                || run.units % Long.SIZE != 0
                || word != run.words - 1
                || run.headerSize == 0) {
            return false;
        }
        int objects = 0;
        int none = 0;
        int end = (word + 1) * Long.SIZE;
        for (int unit = end - Long.SIZE; unit < end; ) {
            int units = headerUnits(memory, run, unit);
            objects += units < 0 ? 0 : 1;
            none += units < 0 ? 1 : 0;
            unit += Math.max(units, 1);
        }
        return none > objects;
    }

    /** How many units the object at {@code unit} has; 1 to 64 and in one bitmap word. */
    static int unitsOf(PoolMemory memory, RunGeometry run, int unit) {
        int units = headerUnits(memory, run, unit);
        if (units < 0) {
            long offset = run.unitOffset(unit);
            throw HeapErrors.bad(
                    offset,
                    "heap: invalid object size in an object's header: "
                            + Long.toUnsignedString(
                                    ObjectHeader.size(memory, offset, run.headerSize, run.unit)));
        }
        return units;
    }

    private static int headerUnits(PoolMemory memory, RunGeometry run, int unit) {
        long size = ObjectHeader.size(memory, run.unitOffset(unit), run.headerSize, run.unit);
        if (size <= run.unit && size > 0 && size >= run.headerSize) {
            return 1;
        }
        int most = Math.min(Long.SIZE - unit % Long.SIZE, run.units - unit);
        boolean possible = size > 0 && size >= run.headerSize && (size - 1) / run.unit < most;
        return possible ? (int) ((size - 1) / run.unit) + 1 : -1;
    }
}
