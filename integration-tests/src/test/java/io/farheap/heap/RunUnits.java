package io.farheap.heap;

/** The unit sizes of all allocation classes of runs, for tests of whole pools. */
public final class RunUnits {
    /** What an object's header takes of its first unit. */
    public static final long HEADER_BYTES = ObjectHeader.COMPACT_BYTES;

    private RunUnits() {}

    /** Bytes, by class, from class 1 on. */
    public static long[] bytes() {
        long[] units = new long[AllocationClasses.DEFAULT.count() - 1];
        for (int i = 0; i < units.length; i++) {
            units[i] = AllocationClasses.DEFAULT.get(i + 1).unit();
        }
        return units;
    }
}
