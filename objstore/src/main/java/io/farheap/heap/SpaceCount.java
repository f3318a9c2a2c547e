package io.farheap.heap;

import io.farheap.base.HeapSpace;

/**
 * Counts what is free of a heap by what DRAM knows of it. Zones that nobody needed yet are read for
 * it, once each; the lock is held for one zone at a time, and for no run: what changes meanwhile is
 * counted as it was, or as it will be.
 */
final class SpaceCount {
    private final HeapMap map;
    private long chunks;
    private long untouched;
    private long longest;

    private SpaceCount(HeapMap map) {
        this.map = map;
    }

    static HeapSpace of(HeapMap map) {
        return new SpaceCount(map).count();
    }

    private HeapSpace count() {
        for (HeapZone zone : map.zones) {
            add(zone);
        }
        long free;
        synchronized (map.lock) {
            longest = Math.max(longest, map.free.largest());
            free = map.free.total();
        }
        long all = chunks * HeapLayout.CHUNK_BYTES;
        long bytes = (free + untouched) * HeapLayout.CHUNK_BYTES;
        for (HeapZone zone : map.zones) {
            for (HeapRun run : HeapMap.runsOf(zone)) {
                bytes += run.freeUnits() * run.geometry.unit;
            }
        }
        long freeBytes = Math.min(all, bytes);
        return new HeapSpace(all - freeBytes, freeBytes, longest * HeapLayout.CHUNK_BYTES);
    }

    /** What a zone has and, after the heap has grown, does not use yet. */
    private void add(HeapZone zone) {
        synchronized (map.lock) {
            if (zone.chunks() > 0) {
                map.visit(zone);
            }
            int rest = Math.max(0, zone.possibleChunks() - zone.chunks());
            chunks += zone.chunks() + rest;
            untouched += rest;
            longest = Math.max(longest, rest);
        }
    }
}
