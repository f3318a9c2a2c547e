package io.farheap.heap;

import io.farheap.base.HeapSpace;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Counts what is free of a heap by what DRAM knows of it. Zones that nobody needed yet are read for
 * it, once each. The heap's lock is held only while the list of free stretches is copied, which
 * takes as long as one of them takes to be put into it; all else goes on beside whoever allocates.
 *
 * <p>Each chunk is counted once: by that list, or else as what it is when the count comes to it.
 * What is neither then has been freed meanwhile, or is being set up: it is free until it is an
 * object or a run.
 */
final class SpaceCount {
    private static final int ZONE_SHIFT = 40;
    private static final int CHUNK_SHIFT = 24;

    private final HeapMap map;
    private final Consumer<Error> torn;

    /** How many chunks each zone had, and may have, when the list was copied. */
    private final int[] chunks;

    private final int[] possible;

    /** The free stretches, by place. */
    private long[] stretches = {};

    private int next;

    // ---- found so far
    private long all;
    private long free;
    private long inEmptyRuns;
    private long freeInRuns;
    private long longest;

    private SpaceCount(HeapMap map, Consumer<Error> torn) {
        this.map = map;
        this.torn = torn;
        chunks = new int[map.zones.length];
        possible = new int[map.zones.length];
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
            if (zone.chunks() > 0) {
                visit(zone);
            }
        }
        copyFree();
        for (HeapZone zone : map.zones) {
            count(zone);
        }
        longest = Math.max(0, Math.min(longest, free + inEmptyRuns - map.chunksForLogs()));
        long freeBytes = free * HeapLayout.CHUNK_BYTES + freeInRuns;
        long bytes = all * HeapLayout.CHUNK_BYTES;
        return new HeapSpace(bytes - freeBytes, freeBytes, longest * HeapLayout.CHUNK_BYTES);
    }

    private void visit(HeapZone zone) {
        try {
            map.visit(zone);
        } catch (Error cut) {
            torn.accept(cut);
            throw cut;
        }
    }

    private void copyFree() {
        long[] keys;
        synchronized (map.lock) {
            keys = map.free.copy();
            for (HeapZone zone : map.zones) {
                // A zone that was made since the visits has no tables that were waited for.
                chunks[zone.index] = zone.visited() ? zone.chunks() : 0;
                possible[zone.index] = zone.possibleChunks();
            }
        }
        for (int i = 0; i < keys.length; i++) {
            keys[i] =
                    (long) FreeChunks.zone(keys[i]) << ZONE_SHIFT
                            | (long) FreeChunks.chunk(keys[i]) << CHUNK_SHIFT
                            | FreeChunks.chunks(keys[i]);
        }
        Arrays.sort(keys);
        stretches = keys;
    }

    /**
     * What can be one stretch of chunks: free ones, those of empty runs, which are given back where
     * chunks are needed, and behind all what the zone has and, after the heap has grown, does not
     * use yet.
     */
    private void count(HeapZone zone) {
        int end = chunks[zone.index];
        int rest = Math.max(0, possible[zone.index] - end);
        long stretch = 0;
        for (int chunk = 0; chunk < end; ) {
            int limit = nextFree(zone, end);
            int size;
            boolean whole;
            if (limit == chunk) {
                size = (int) (stretches[next++] & (1 << CHUNK_SHIFT) - 1);
                whole = true;
                free += size;
            } else {
                size = sizeAt(zone, chunk, limit);
                whole = countAt(zone, chunk, size);
            }
            stretch = whole ? stretch + size : 0;
            longest = Math.max(longest, stretch);
            chunk += size;
        }
        all += end + rest;
        free += rest;
        longest = Math.max(longest, stretch + rest);
    }

    /** Where the next stretch of the list begins in the zone, or the end. */
    private int nextFree(HeapZone zone, int end) {
        if (next == stretches.length || stretches[next] >>> ZONE_SHIFT != zone.index) {
            return end;
        }
        return (int) (stretches[next] >>> CHUNK_SHIFT) & 0xFFFF;
    }

    /** How many chunks belong to what is there, which is not in the list. */
    private static int sizeAt(HeapZone zone, int chunk, int limit) {
        HeapRun run = zone.runAt(chunk);
        int size = run == null ? Math.abs(zone.hugeAt(chunk)) : endOf(run) - chunk;
        return Math.min(Math.max(1, size), limit - chunk);
    }

    /** Counts it; gives whether chunks can be had of it. */
    private boolean countAt(HeapZone zone, int chunk, int size) {
        HeapRun run = zone.runAt(chunk);
        if (run == null) {
            boolean neither = zone.hugeAt(chunk) == 0;
            free += neither ? size : 0;
            return neither;
        }
        if (run.chunk != chunk || endOf(run) != chunk + size) {
            return false; // made since, of what was in use then
        }
        int units = run.freeUnits();
        boolean empty = units == run.geometry.units;
        freeInRuns += units * run.geometry.unit;
        inEmptyRuns += empty ? size : 0;
        return empty;
    }

    private static int endOf(HeapRun run) {
        return run.chunk + run.geometry.chunks;
    }
}
