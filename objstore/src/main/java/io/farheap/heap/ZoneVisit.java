package io.farheap.heap;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Reads the state of a zone's memory, which may take a page fault for each of its runs, and then
 * makes it known. Nobody changes anything of a zone that is not visited: so the heap's lock is held
 * only for the second part, and for a few blocks at a time. Makes no store.
 */
final class ZoneVisit {
    /** Blocks that are made known while the lock is held. */
    private static final int AT_ONCE = 256;

    private final HeapMap map;
    private final HeapZone zone;
    private final AllocationClasses classes;
    private final List<HeapRun> runs = new ArrayList<>();

    /** First chunk and number of chunks of each free block. */
    private int[] free = new int[64];

    private int freeCount;

    private ZoneVisit(HeapMap map, HeapZone zone) {
        this.map = map;
        this.zone = zone;
        classes = map.classes();
    }

    /** See {@link HeapMap#visit}; in the zone's monitor, of one that is not visited. */
    static void run(HeapMap map, HeapZone zone) {
        ZoneVisit visit = new ZoneVisit(map, zone);
        visit.read();
        visit.makeKnown();
    }

    private void read() {
        zone.makeTables();
        BlockCursor blocks = new BlockCursor(map.memory, zone.offset, zone.chunks());
        while (blocks.advance()) {
            switch (blocks.type()) {
                case ChunkHeader.USED -> zone.putHuge(blocks.chunk(), blocks.chunks());
                case ChunkHeader.RUN -> runs.add(found(blocks));
                default -> addFree(blocks.chunk(), blocks.chunks());
            }
        }
    }

    private HeapRun found(BlockCursor blocks) {
        long offset = zone.chunkOffset(blocks.chunk());
        RunGeometry geometry =
                RunGeometry.read(map.memory, offset, blocks.chunks(), blocks.flags());
        AllocationClass known = classes.matching(geometry);
        HeapRun run = new HeapRun(zone, blocks.chunk(), geometry, known, map.arenas.unassigned);
        run.count(map.memory);
        return run;
    }

    private void addFree(int chunk, int chunks) {
        if (2 * freeCount == free.length) {
            free = Arrays.copyOf(free, 2 * free.length);
        }
        free[2 * freeCount] = chunk;
        free[2 * freeCount + 1] = chunks;
        freeCount++;
    }

    private void makeKnown() {
        for (int from = 0; from < Math.max(runs.size(), freeCount); from += AT_ONCE) {
            synchronized (map.lock) {
                for (int i = from; i < Math.min(runs.size(), from + AT_ONCE); i++) {
                    zone.putRun(runs.get(i));
                    map.arenas.unassigned.add(runs.get(i));
                }
                for (int i = from; i < Math.min(freeCount, from + AT_ONCE); i++) {
                    map.free.add(zone, free[2 * i], free[2 * i + 1]);
                }
            }
        }
        synchronized (map.lock) {
            zone.setVisited();
            if (map.classes() != classes) {
                runs.forEach(map::adopt);
            }
        }
    }
}
