package io.farheap.heap;

import io.farheap.AllocationClassDescriptor.HeaderType;
import java.util.ArrayList;
import java.util.List;

/**
 * The C library's default allocation classes and its choice among them (spec: heap, 11), so that
 * both fill each other's runs. Immutable but for a memo of choices; thread-safe.
 */
final class AllocationClasses {
    /** An object takes at most this many units of a run of the default classes. */
    static final int MAX_UNITS = 8;

    private static final int STEP = 16;
    private static final int SMALLEST_UNIT = 128;
    private static final long MAX_RUN_SIZE = 2_621_440;
    private static final int MIN_UNITS_PER_RUN = 200;
    private static final int MAX_CHUNKS_PER_RUN = 16;
    private static final long MAX_WASTE_PER_RUN = 1024;
    private static final float STEP_BETWEEN_UNITS = 0.05f;
    private static final float FLOAT_EPSILON = 1.1920929e-7f;
    private static final long[] LIMITS = {
        128, 1024, 2048, 4096, 8192, 16_384, 32_768, 131_072, 393_216
    };

    /** Behind the constants that its making needs. */
    static final AllocationClasses DEFAULT = new AllocationClasses();

    private final List<AllocationClass> classes = new ArrayList<>();

    /** Class id plus 1 by size / 16; 0: not yet asked. Threads may store the same value twice. */
    private final byte[] memo = new byte[(int) (MAX_RUN_SIZE / STEP) + 1];

    private AllocationClasses() {
        classes.add(AllocationClass.HUGE);
        classes.add(create(SMALLEST_UNIT, 1));
        for (int k = 1; k < LIMITS.length; k++) {
            long unit = LIMITS[k - 1] + 64;
            do {
                findOrCreate(unit);
                unit += up64(ceil(unit * STEP_BETWEEN_UNITS));
            } while (unit <= LIMITS[k]);
        }
    }

    private static long ceil(float value) {
        long whole = (long) value;
        return value - whole < FLOAT_EPSILON ? whole : whole + 1;
    }

    private static long up64(long value) {
        return (value + 63) & -64L;
    }

    private void findOrCreate(long wanted) {
        long need = MIN_UNITS_PER_RUN * wanted;
        long room = HeapLayout.CHUNK_BYTES - 16 - 304;
        int chunks = 1;
        if (need > room) {
            long more = (need - room + HeapLayout.CHUNK_BYTES - 1) / HeapLayout.CHUNK_BYTES;
            chunks = (int) Math.min(MAX_CHUNKS_PER_RUN, 1 + more);
        }
        for (int id = classes.size() - 1; id > 0; id--) {
            if (classes.get(id).chunks() >= chunks && serves(classes.get(id), wanted)) {
                return;
            }
        }
        long unit = wanted;
        while (waste(unit, chunks) > MAX_WASTE_PER_RUN) {
            unit += 64;
        }
        for (int id = 1; id < classes.size(); id++) {
            if (serves(classes.get(id), unit)) {
                return;
            }
        }
        classes.add(create(unit, chunks));
    }

    private static boolean serves(AllocationClass c, long size) {
        return size % c.unit() == 0 && size / c.unit() <= MAX_UNITS;
    }

    private static long waste(long unit, int chunks) {
        RunGeometry run = RunGeometry.ofNew(0, chunks, AllocationClass.RUN_FLAGS, unit);
        return (chunks * HeapLayout.CHUNK_BYTES - run.dataOffset) % unit;
    }

    private AllocationClass create(long unit, int chunks) {
        return AllocationClass.ofRuns(classes.size(), unit, 0, HeaderType.COMPACT, chunks);
    }

    int count() {
        return classes.size();
    }

    /** The class with this id, or null. */
    AllocationClass find(int id) {
        return id < classes.size() ? classes.get(id) : null;
    }

    AllocationClass get(int id) {
        return classes.get(id);
    }

    /** The class that serves an object of {@code size} usable bytes, at least 1. */
    AllocationClass classFor(long size) {
        if (size >= MAX_RUN_SIZE) {
            return classes.get(0);
        }
        int step = (int) (1 + (size - 1) / STEP);
        int known = memo[step];
        if (known == 0) {
            known = 1 + choose(step);
            memo[step] = (byte) known;
        }
        return classes.get(known - 1);
    }

    private int choose(int step) {
        if (step * STEP < SMALLEST_UNIT) {
            return 1;
        }
        long real = (long) step * STEP + ObjectHeader.COMPACT_BYTES;
        int best = -1;
        long leastWaste = Long.MAX_VALUE;
        for (int id = classes.size() - 1; id >= 0; id--) {
            AllocationClass c = classes.get(id);
            long units = (real + c.unit() - 1) / c.unit();
            if (!c.huge() && units > MAX_UNITS) {
                continue;
            }
            long waste = units * c.unit() - real;
            if (waste == 0) {
                return id;
            }
            if (!c.huge()) {
                waste += c.units() % units * c.unit() / c.units();
            }
            if (waste < leastWaste) {
                leastWaste = waste;
                best = id;
            }
        }
        return best;
    }

    /** The class whose runs look like this one, or null: nothing new is put into it then. */
    AllocationClass matching(RunGeometry run) {
        for (int id = 1; id < classes.size(); id++) {
            AllocationClass c = classes.get(id);
            if (c.unit() == run.unit
                    && c.chunks() == run.chunks
                    && c.runFlags() == run.flags
                    && c.alignment() == run.alignment) {
                return c;
            }
        }
        return null;
    }
}
