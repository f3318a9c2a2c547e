package io.farheap.heap;

import java.util.Objects;
import java.util.stream.IntStream;

/** The unit sizes of all allocation classes of runs, for tests of whole pools. */
public final class RunUnits {
    /** What an object's header takes of its first unit. */
    public static final long HEADER_BYTES = ObjectHeader.COMPACT_BYTES;

    private RunUnits() {}

    /** Bytes, by class, from class 1 on. */
    public static long[] bytes() {
        return IntStream.rangeClosed(1, AllocationClass.MAX_ID)
                .mapToObj(AllocationClasses.DEFAULT::find)
                .filter(Objects::nonNull)
                .mapToLong(AllocationClass::unit)
                .toArray();
    }
}
