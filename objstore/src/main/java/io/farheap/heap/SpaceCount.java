package io.farheap.heap;

import io.farheap.base.HeapSpace;
import java.util.function.Consumer;

/**
 * Counts what is free of a heap by what DRAM knows of it. Zones that nobody needed yet are read for
 * it, once each; the lock is held for one zone at a time, and for no run: what changes meanwhile is
 * counted as it was, or as it will be.
 */
final class SpaceCount {
    private final HeapMap map;
    private final Consumer<Error> torn;
    private long chunks;
    private long untouched;
    private long inEmptyRuns;
    private long longest;

    private SpaceCount(HeapMap map, Consumer<Error> torn) {
        this.map = map;
        this.torn = torn;
    }

    /**
     * Counts.
     *
     * @param torn told what ended it in the middle of a zone's tables
     */
    static HeapSpace of(HeapMap map, Consumer<Error> torn) {
        return new SpaceCount(map, torn).count();
    }

    private HeapSpace count() {
        for (HeapZone zone : map.zones) {
            add(zone);
        }
        long free;
        synchronized (map.lock) {
            free = map.free.total();
        }
        long forObjects = free + untouched + inEmptyRuns - map.chunksForLogs();
        longest = Math.max(0, Math.min(longest, forObjects));
        long all = chunks * HeapLayout.CHUNK_BYTES;
        long bytes = (free + untouched) * HeapLayout.CHUNK_BYTES;
        bytes += map.freeRunBytes();
        long freeBytes = Math.min(all, bytes);
        return new HeapSpace(all - freeBytes, freeBytes, longest * HeapLayout.CHUNK_BYTES);
    }

    /** What a zone has and, after the heap has grown, does not use yet. */
    private void add(HeapZone zone) {
        synchronized (map.lock) {
            if (zone.chunks() > 0) {
                visit(zone);
            }
            int rest = Math.max(0, zone.possibleChunks() - zone.chunks());
            chunks += zone.chunks() + rest;
            untouched += rest;
            longest = Math.max(longest, longestOf(zone, rest));
        }
    }

    private void visit(HeapZone zone) {
        try {
            map.visit(zone);
        } catch (Error cut) {
            torn.accept(cut);
            throw cut;
        }
    }

    /**
     * What can be one stretch of chunks: free ones, those of empty runs, which are given back where
     * chunks are needed, and behind all the rest of the zone.
     */
    private long longestOf(HeapZone zone, int rest) {
        long most = 0;
        long stretch = 0;
        for (int chunk = 0; chunk < zone.chunks(); ) {
            HeapRun run = zone.runAt(chunk);
            int free = run == null ? zone.freeFrom(chunk) : 0;
            int size = run == null ? Math.max(1, free) : run.geometry.chunks;
            if (run != null && run.empty()) {
                inEmptyRuns += size;
                free = size;
            }
            stretch = free == 0 ? 0 : stretch + free;
            most = Math.max(most, stretch);
            chunk += size;
        }
        return Math.max(most, stretch + rest);
    }
}
