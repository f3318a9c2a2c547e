package io.farheap.heap;

import io.farheap.base.AllocationClassDescriptor.HeaderType;
import io.farheap.base.FarheapException;

/**
 * The C library's default allocation classes and its choice among them
 * (docs/format.md#allocation-classes), so that both fill each other's runs, and the classes that
 * programs made. Immutable but for a memo of choices; thread-safe.
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
    static final AllocationClasses DEFAULT = defaults();

    /** By id; null where there is none. */
    private final AllocationClass[] classes;

    /** Class id plus 1 by size / 16; 0: not yet asked. Threads may store the same value twice. */
    private final byte[] memo = new byte[(int) (MAX_RUN_SIZE / STEP) + 1];

    private AllocationClasses(AllocationClass[] classes) {
        this.classes = classes;
    }

    private static AllocationClasses defaults() {
        AllocationClass[] none = new AllocationClass[AllocationClass.MAX_ID + 1];
        AllocationClasses made = new AllocationClasses(none);
        made.add(AllocationClass.HUGE);
        made.add(made.create(SMALLEST_UNIT, 1));
        for (int k = 1; k < LIMITS.length; k++) {
            long unit = LIMITS[k - 1] + 64;
            do {
                made.findOrCreate(unit);
                unit += up64(ceil(unit * STEP_BETWEEN_UNITS));
            } while (unit <= LIMITS[k]);
        }
        return made;
    }

    /**
     * These and one more, which serves also the sizes that it fits best
     * (docs/format.md#allocation-classes).
     */
    AllocationClasses with(AllocationClass added) {
        AllocationClasses more = new AllocationClasses(classes.clone());
        more.add(added);
        return more;
    }

    private void add(AllocationClass added) {
        classes[added.id()] = added;
    }

    private int firstFreeId() {
        int id = 0;
        while (id < classes.length && classes[id] != null) {
            id++;
        }
        return id;
    }

    /**
     * Thinks up a class of runs (docs/format.md#allocation-classes).
     *
     * @param wantedId -1: the first that is free
     * @param wantedUnits of a run; it may get fewer or more
     * @throws FarheapException WRONG_USE when there can't be such a class beside these
     */
    AllocationClass custom(
            int wantedId, long unit, long alignment, int wantedUnits, HeaderType headerType) {
        AllocationClass.checkCustom(unit, alignment, wantedUnits);
        if (wantedId < -1 || wantedId > AllocationClass.MAX_ID) {
            throw HeapErrors.impossibleClass(wantedId);
        }
        int id = wantedId == -1 ? firstFreeId() : wantedId;
        if (id > AllocationClass.MAX_ID) {
            throw HeapErrors.badClass("all " + classes.length + " ids are in use");
        }
        if (classes[id] != null) {
            throw HeapErrors.badClass("there is one with the id " + id + " already");
        }
        AllocationClass made = AllocationClass.custom(id, unit, alignment, wantedUnits, headerType);
        for (AllocationClass other : classes) {
            if (other != null && !other.huge() && made.looksLike(other)) {
                throw HeapErrors.badClass(
                        "its runs could not be told from those of class "
                                + other.id()
                                + ", which has units of "
                                + other.unit()
                                + " bytes: use that, or change unit size or units per block");
            }
        }
        return made;
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
        int count = firstFreeId();
        for (int id = count - 1; id > 0; id--) {
            if (classes[id].chunks() >= chunks && serves(classes[id], wanted)) {
                return;
            }
        }
        long unit = wanted;
        while (waste(unit, chunks) > MAX_WASTE_PER_RUN) {
            unit += 64;
        }
        for (int id = 1; id < count; id++) {
            if (serves(classes[id], unit)) {
                return;
            }
        }
        add(create(unit, chunks));
    }

    private static boolean serves(AllocationClass c, long size) {
        return size % c.unit() == 0 && size / c.unit() <= MAX_UNITS;
    }

    private static long waste(long unit, int chunks) {
        RunGeometry run = RunGeometry.ofNew(0, chunks, AllocationClass.RUN_FLAGS, unit);
        return (chunks * HeapLayout.CHUNK_BYTES - run.dataOffset) % unit;
    }

    private AllocationClass create(long unit, int chunks) {
        return AllocationClass.ofRuns(firstFreeId(), unit, 0, HeaderType.COMPACT, chunks);
    }

    /** The class with this id, or null. */
    AllocationClass find(int id) {
        return classes[id];
    }

    /** The class that serves an object of {@code size} usable bytes, at least 1. */
    AllocationClass classFor(long size) {
        if (size >= MAX_RUN_SIZE) {
            return AllocationClass.HUGE;
        }
        int step = (int) (1 + (size - 1) / STEP);
        int known = memo[step] & 0xFF;
        if (known == 0) {
            known = 1 + choose(step);
            memo[step] = (byte) known;
        }
        return classes[known - 1];
    }

    /**
     * The class with this id, for an object of {@code size} usable bytes.
     *
     * @throws FarheapException WRONG_USE when there is none or it can't have such objects
     */
    AllocationClass explicit(int id, long size) {
        AllocationClass found = id < 0 || id > AllocationClass.MAX_ID ? null : classes[id];
        if (found == null) {
            throw HeapErrors.noClass(id);
        }
        if (!found.serves(size)) {
            throw HeapErrors.unsuitable(found, size);
        }
        return found;
    }

    private int choose(int step) {
        if (step * STEP < SMALLEST_UNIT) {
            return 1;
        }
        int best = -1;
        long leastWaste = Long.MAX_VALUE;
        for (int id = classes.length - 1; id >= 0; id--) {
            AllocationClass c = classes[id];
            if (c == null || c.headerType() == HeaderType.NONE) {
                continue;
            }
            long real = (long) step * STEP + c.headerType().bytes();
            long units = (real + c.unit() - 1) / c.unit();
            if (!c.huge() && units > Math.min(MAX_UNITS, c.units())) {
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
        for (AllocationClass c : classes) {
            if (c != null && c.matches(run)) {
                return c;
            }
        }
        return null;
    }
}
