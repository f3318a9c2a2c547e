package io.farheap.heap;

import io.farheap.memory.PoolMemory;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * What DRAM knows of one run: which units may be given out and where objects start. Guarded by the
 * monitor of its arena, but for {@link #startsObject} and {@link #nextPublished}.
 *
 * <p>A unit is <em>taken</em> from its reservation until its object is freed and the commit that
 * freed it acknowledged, whatever the bitmap on the medium says meanwhile. The two tables are read
 * from the medium at the first use of the run.
 */
final class HeapRun {
    private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

    final HeapZone zone;

    /** Its first chunk. */
    final int chunk;

    final RunGeometry geometry;

    /** Null: no class of ours, nothing new is put into it. */
    AllocationClass allocationClass;

    /** Whose monitor guards the state of this run; read it again under that monitor. */
    volatile HeapArena arena;

    /** Of {@link RunBuckets}: which list it is in (0: none), and its neighbours there. */
    int list;

    HeapRun previous;
    HeapRun next;

    /** Whether nothing may be put into it because it is being dissolved. */
    private boolean retired;

    private int freeUnits;

    /** No word has more free neighbours than this. */
    private int longestFree;

    /** No word before this one has a free unit. */
    private int firstFreeWord;

    private long[] taken;
    private volatile long[] starts;

    HeapRun(
            HeapZone zone,
            int chunk,
            RunGeometry geometry,
            AllocationClass allocationClass,
            HeapArena arena) {
        this.zone = zone;
        this.chunk = chunk;
        this.geometry = geometry;
        this.allocationClass = allocationClass;
        this.arena = arena;
    }

    /** Counts the free units on the medium; the tables are filled later. */
    void count(PoolMemory memory) {
        int free = 0;
        for (int word = 0; word < geometry.words; word++) {
            free +=
                    Long.bitCount(
                            ~(memory.getLong(geometry.bitmapWord(word)) | geometry.tail(word)));
        }
        freeUnits = free;
        longestFree = Math.min(free, Long.SIZE);
    }

    long bytes() {
        return geometry.chunks * HeapLayout.CHUNK_BYTES;
    }

    int freeUnits() {
        return freeUnits;
    }

    boolean retired() {
        return retired;
    }

    void setRetired(boolean now) {
        retired = now;
    }

    boolean empty() {
        return freeUnits == geometry.units;
    }

    int longestFree() {
        return longestFree;
    }

    boolean loaded() {
        return starts != null;
    }

    /**
     * Reads bitmap and object headers. No operation on the run may be under way.
     *
     * @throws io.farheap.base.FarheapException BAD_DATA when they contradict each other
     */
    void load(PoolMemory memory) {
        long[] bits = new long[geometry.words];
        long[] objects = new long[geometry.words];
        for (int word = 0; word < geometry.words; word++) {
            long tail = geometry.tail(word);
            bits[word] = memory.getLong(geometry.bitmapWord(word)) | tail;
            objects[word] = RunObjects.starts(memory, geometry, word, bits[word] & ~tail);
        }
        taken = bits;
        starts = objects;
    }

    /**
     * Takes {@code units} free neighbours that lie in one bitmap word.
     *
     * @return the first of them, or -1 when there are none
     */
    int take(int units) {
        int word = firstFreeWord;
        while (word < geometry.words && taken[word] == -1L) {
            word++;
        }
        firstFreeWord = word;
        for (; word < geometry.words; word++) {
            long room = ~taken[word];
            for (int k = 1; k < units && room != 0; k++) {
                room &= room >>> 1;
            }
            if (room != 0) {
                int bit = Long.numberOfTrailingZeros(room);
                taken[word] |= mask(bit, units);
                setStart(word, starts[word] | 1L << bit);
                freeUnits -= units;
                if (freeUnits == 0) {
                    longestFree = 0;
                }
                return word * Long.SIZE + bit;
            }
        }
        longestFree = units - 1;
        return -1;
    }

    /** The units may be given out again; no object starts there any more. */
    void release(int unit, int units) {
        int word = unit / Long.SIZE;
        taken[word] &= ~mask(unit % Long.SIZE, units);
        setStart(word, starts[word] & ~(1L << unit));
        freeUnits += units;
        firstFreeWord = Math.min(firstFreeWord, word);
        longestFree = Math.max(longestFree, stretchAround(word, unit % Long.SIZE, units));
    }

    /** Whether an object starts at the unit, as far as {@link #load}ed; takes no lock. */
    boolean startsObject(int unit) {
        long word = (long) WORD.getOpaque(starts, unit / Long.SIZE);
        return (word >>> unit & 1) != 0;
    }

    /** Whether an object's user data starts there, as far as {@link #load}ed; takes no lock. */
    boolean startsObjectOf(long userOffset) {
        int unit = geometry.unitOfUser(userOffset);
        return unit >= 0 && startsObject(unit);
    }

    void hideObject(int unit) {
        int word = unit / Long.SIZE;
        setStart(word, starts[word] & ~(1L << unit));
    }

    void showObject(int unit) {
        int word = unit / Long.SIZE;
        setStart(word, starts[word] | 1L << unit);
    }

    private void setStart(int word, long value) {
        WORD.setOpaque(starts, word, value);
    }

    /** Whether the medium says that the unit is in use. */
    boolean published(PoolMemory memory, int unit) {
        return (memory.getLongAcquire(geometry.bitmapWord(unit / Long.SIZE)) >>> unit & 1) != 0;
    }

    /** The first unit from {@code unit} on at which a published object starts, or -1. */
    int nextPublished(PoolMemory memory, int unit) {
        if (unit >= geometry.units) {
            return -1;
        }
        int word = unit / Long.SIZE;
        long wanted = -1L << unit;
        for (; word < geometry.words; word++, wanted = -1L) {
            long found =
                    (long) WORD.getOpaque(starts, word)
                            & wanted
                            & memory.getLongAcquire(geometry.bitmapWord(word));
            if (found != 0) {
                return word * Long.SIZE + Long.numberOfTrailingZeros(found);
            }
        }
        return -1;
    }

    /**
     * How many units the object at {@code unit} has, by its header.
     *
     * @throws io.farheap.base.FarheapException BAD_DATA when the header can't be right
     */
    int unitsOf(PoolMemory memory, int unit) {
        int units = RunObjects.unitsOf(memory, geometry, unit);
        int word = unit / Long.SIZE;
        long mask = mask(unit % Long.SIZE, units);
        if ((taken[word] & mask) != mask || (starts[word] & mask) != 1L << unit) {
            throw HeapErrors.bad(
                    geometry.unitOffset(unit),
                    "heap: the size in an object's header reaches into what is not its own: "
                            + units
                            + " units");
        }
        return units;
    }

    /** Bits of {@code units} neighbours from {@code bit} on. */
    static long mask(int bit, int units) {
        return -1L >>> Long.SIZE - units << bit;
    }

    /** How many units are free around the free ones from {@code bit} on. */
    private int stretchAround(int word, int bit, int units) {
        int end = bit + units;
        long before = bit == 0 ? -1L : taken[word] << Long.SIZE - bit;
        long behind = end == Long.SIZE ? -1L : taken[word] >>> end;
        return Math.min(bit, Long.numberOfLeadingZeros(before))
                + units
                + Math.min(Long.SIZE - end, Long.numberOfTrailingZeros(behind));
    }
}
