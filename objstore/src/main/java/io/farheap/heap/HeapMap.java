package io.farheap.heap;

import io.farheap.memory.PoolMemory;
import java.util.ArrayList;
import java.util.List;

/**
 * What DRAM knows of the heap: zones, free chunks, runs. {@link #lock} guards zones and free
 * chunks, the arenas guard their runs; who needs both takes the lock first. Neither is ever held
 * over a flush or a wait; what may be read without says so. A zone's own monitor is held while it
 * is visited, and taken before both.
 */
final class HeapMap {
    final Object lock = new Object();
    final PoolMemory memory;
    final HeapZone[] zones;
    final FreeChunks free = new FreeChunks();
    final HeapArenas arenas;

    private final long heapOffset;
    private final long firstZone;
    private volatile long heapSize;
    private volatile boolean keepsForLogs;
    private volatile AllocationClasses classes = AllocationClasses.DEFAULT;

    /**
     * Remembers a valid heap's zones; their tables are made at first need.
     *
     * @param mostHeapSize what it may have once it has grown
     */
    HeapMap(PoolMemory memory, HeapShape shape, long mostHeapSize, HeapSettings settings) {
        this.memory = memory;
        this.heapOffset = shape.heapOffset();
        this.heapSize = shape.heapSize();
        arenas = new HeapArenas(settings);
        firstZone = HeapLayout.zone(heapOffset, 0);
        zones = new HeapZone[HeapLayout.zones(mostHeapSize)];
        for (int i = 0; i < zones.length; i++) {
            int possible = HeapLayout.chunks(i, heapSize);
            int most = HeapLayout.chunks(i, mostHeapSize);
            long offset = HeapLayout.zone(heapOffset, i);
            zones[i] = new HeapZone(i, offset, most, possible, shape.chunks(i));
        }
    }

    long heapOffset() {
        return heapOffset;
    }

    /** Bytes that the heap uses; grows under the set-up lock. */
    long heapSize() {
        return heapSize;
    }

    /** Whether a heap of that size has more chunks than this one. */
    boolean gainsChunks(long size) {
        int zone = HeapLayout.zones(size) - 1;
        return zone >= HeapLayout.zones(heapSize)
                || HeapLayout.chunks(zone, size) > HeapLayout.chunks(zone, heapSize);
    }

    /** From now on some chunks are kept for the logs of transactions in a full heap. */
    void keepForLogs() {
        keepsForLogs = true;
    }

    /**
     * How many free chunks only logs may take: one for as many as 16 bytes for each word of the
     * bitmaps of their smallest objects fit into one, so that all objects can be freed at once.
     */
    int chunksForLogs() {
        if (!keepsForLogs) {
            return 0;
        }
        long chunks = 0;
        for (HeapZone zone : zones) {
            chunks += zone.possibleChunks();
        }
        return (int)
                ((chunks + HeapLayout.CHUNKS_FREED_BY_ONE - 1) / HeapLayout.CHUNKS_FREED_BY_ONE);
    }

    /** The heap has grown: its zones may take more chunks in. */
    void setHeapSize(long size) {
        heapSize = size;
        for (HeapZone zone : zones) {
            zone.setPossibleChunks(HeapLayout.chunks(zone.index, size));
        }
    }

    /** The initialised zone whose chunks hold the offset, visited, or null. Takes no lock then. */
    HeapZone zoneOf(long offset) {
        long distance = offset - firstZone;
        if (distance < 0 || distance / HeapLayout.ZONE_BYTES >= zones.length) {
            return null;
        }
        HeapZone zone = zones[(int) (distance / HeapLayout.ZONE_BYTES)];
        if (chunkOf(zone, offset) < 0) {
            return null;
        }
        visit(zone);
        return zone;
    }

    /** The run that holds the offset, if its state was read before; else null. Takes no lock. */
    HeapRun loadedRunOf(long offset) {
        long distance = offset - firstZone;
        // Most heaps have one zone: what is in the first one needs no division.
        long index = distance < HeapLayout.ZONE_BYTES ? 0 : distance / HeapLayout.ZONE_BYTES;
        if (distance < 0 || index >= zones.length) {
            return null;
        }
        HeapZone zone = zones[(int) index];
        return zone.loadedRunAt(offset - zone.chunkOffset(0) >> HeapLayout.CHUNK_SHIFT);
    }

    /** The chunk of the zone that holds the offset, or -1. Takes no lock. */
    static int chunkOf(HeapZone zone, long offset) {
        long distance = offset - zone.chunkOffset(0);
        long chunk = distance / HeapLayout.CHUNK_BYTES;
        return distance >= 0 && chunk < zone.chunks() ? (int) chunk : -1;
    }

    /**
     * Reads the state of an initialised zone's memory, if that was not done before. Makes no store.
     * Not for who holds {@link #lock}: whoever needs the zone, too, waits for its monitor.
     *
     * @throws io.farheap.base.FarheapException BAD_DATA when a run's header can't be right; the
     *     zone is as before then
     */
    void visit(HeapZone zone) {
        if (!zone.visited()) {
            synchronized (zone) {
                if (!zone.visited()) {
                    ZoneVisit.run(this, zone);
                }
            }
        }
    }

    /** The classes there are now; takes no lock. */
    AllocationClasses classes() {
        return classes;
    }

    /** Adds a class: from now on what was found of its runs is used. */
    void addClass(AllocationClass added) {
        synchronized (lock) {
            classes = classes.with(added);
            for (HeapZone zone : zones) {
                runsOf(zone).forEach(this::adopt);
            }
        }
    }

    /** What is of a class that was made after it was found is used from now on. */
    void adopt(HeapRun run) {
        AllocationClass known = classes.matching(run.geometry);
        if (known != null && run.allocationClass != known) {
            boolean unused = arenas.unassigned.adopt(run, known);
        }
    }

    /** Reads the state of a run before its first use. */
    void load(HeapRun run) {
        while (!run.loaded() && !run.arena.load(run, memory)) {
            // It went over to another arena meanwhile.
            Thread.onSpinWait();
        }
    }

    /** Takes units out of this very run; false when it does not have them. */
    boolean takeFrom(HeapRun run, int units, Place out) {
        while (!run.arena.takeFrom(run, memory, units, out)) {
            Thread.onSpinWait();
        }
        return out.open();
    }

    /** Gives the space back that a reservation or an object had. */
    void release(Place place) {
        HeapRun run = place.run;
        if (run == null) {
            synchronized (lock) {
                place.zone.putHuge(place.index, 0);
                free.add(place.zone, place.index, place.count);
            }
            return;
        }
        while (!run.arena.release(run, place.index, place.count)) {
            Thread.onSpinWait();
        }
    }

    /** Takes the runs of visited zones out of use in which nothing is taken. */
    List<HeapRun> retireEmptyRuns() {
        List<HeapRun> empty = new ArrayList<>();
        for (HeapZone zone : zones) {
            for (HeapRun run : runsOf(zone)) {
                if (run.arena.retire(run)) {
                    empty.add(run);
                }
            }
        }
        return empty;
    }

    /** Bytes of the runs of visited zones. */
    long runBytes() {
        long bytes = 0;
        for (HeapZone zone : zones) {
            for (HeapRun run : runsOf(zone)) {
                bytes += run.bytes();
            }
        }
        return bytes;
    }

    /** Bytes of the units in use in the runs of visited zones. */
    long runBytesInUse() {
        long bytes = 0;
        for (HeapZone zone : zones) {
            for (HeapRun run : runsOf(zone)) {
                bytes += (run.geometry.units - run.freeUnits()) * run.geometry.unit;
            }
        }
        return bytes;
    }

    /** Bytes of all chunks; guarded by {@link #lock}. */
    long bytes() {
        long bytes = 0;
        for (HeapZone zone : zones) {
            bytes += zone.chunks() * HeapLayout.CHUNK_BYTES;
        }
        return bytes;
    }

    /** Bytes of the free units in the runs of visited zones. */
    long freeRunBytes() {
        long bytes = 0;
        for (HeapZone zone : zones) {
            for (HeapRun run : runsOf(zone)) {
                bytes += run.freeUnits() * run.geometry.unit;
            }
        }
        return bytes;
    }

    static List<HeapRun> runsOf(HeapZone zone) {
        List<HeapRun> runs = new ArrayList<>();
        int chunk = 0;
        while (zone.visited() && chunk < zone.chunks()) {
            HeapRun run = zone.runAt(chunk);
            if (run != null) {
                runs.add(run);
            }
            chunk += run == null ? 1 : run.geometry.chunks;
        }
        return runs;
    }
}
