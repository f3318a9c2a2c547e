package io.farheap.heap;

/**
 * Iteration over published objects (docs/format.md#iteration): zones, blocks and units in order.
 * Goes by the tables in DRAM, because blocks on the medium may be divided meanwhile.
 */
final class ObjectScan {
    private final HeapMap map;

    ObjectScan(HeapMap map) {
        this.map = map;
    }

    long first(boolean internal) {
        return from(0, 0, 0, internal);
    }

    long next(long userOffset, boolean internal) {
        HeapZone zone = map.zoneOf(userOffset);
        if (zone == null) {
            throw HeapErrors.notAnObject(userOffset);
        }
        int chunk = HeapMap.chunkOf(zone, userOffset);
        HeapRun run = zone.runAt(chunk);
        if (run == null) {
            return from(zone.index, chunk + Math.max(1, Math.abs(zone.hugeAt(chunk))), 0, internal);
        }
        long distance = userOffset - run.geometry.headerSize - run.geometry.dataOffset;
        int unit = distance < 0 ? 0 : (int) (distance / run.geometry.unit) + 1;
        return from(zone.index, run.chunk, unit, internal);
    }

    /** The first object at or behind the unit (if the chunk starts a run) or chunk. */
    private long from(int firstZone, int firstChunk, int firstUnit, boolean internal) {
        int chunk = firstChunk;
        int unit = firstUnit;
        for (int i = firstZone; i < map.zones.length; i++) {
            HeapZone zone = map.zones[i];
            if (zone.chunks() > 0) {
                map.visit(zone);
                synchronized (map.lock) {
                    long found = inZone(zone, chunk, unit, internal);
                    if (found != Heap.NONE) {
                        return found;
                    }
                }
            }
            chunk = 0;
            unit = 0;
        }
        return Heap.NONE;
    }

    private long inZone(HeapZone zone, int firstChunk, int firstUnit, boolean internal) {
        int chunk = firstChunk;
        int unit = firstUnit;
        while (chunk < zone.chunks()) {
            HeapRun run = zone.runAt(chunk);
            int huge = zone.hugeAt(chunk);
            long found = Heap.NONE;
            if (run != null) {
                found = inRun(run, unit, internal);
                chunk = run.chunk + run.geometry.chunks;
            } else if (huge != 0) {
                found = huge > 0 ? inBlock(zone, chunk, internal) : Heap.NONE;
                chunk += Math.abs(huge);
            } else {
                chunk += Math.max(1, zone.freeFrom(chunk));
            }
            if (found != Heap.NONE) {
                return found;
            }
            unit = 0;
        }
        return Heap.NONE;
    }

    private long inRun(HeapRun run, int firstUnit, boolean internal) {
        map.load(run);
        int unit = run.nextPublished(map.memory, firstUnit);
        while (unit >= 0) {
            long real = run.geometry.unitOffset(unit);
            if (isInternal(real, run.geometry.headerSize) == internal) {
                return real + run.geometry.headerSize;
            }
            unit = run.nextPublished(map.memory, unit + 1);
        }
        return Heap.NONE;
    }

    private long inBlock(HeapZone zone, int chunk, boolean internal) {
        long header = map.memory.getLongAcquire(zone.chunkHeader(chunk));
        int headerSize = ObjectHeader.bytes(ChunkHeader.flags(header));
        long real = zone.chunkOffset(chunk);
        boolean wanted =
                ChunkHeader.type(header) == ChunkHeader.USED
                        && isInternal(real, headerSize) == internal;
        return wanted ? real + headerSize : Heap.NONE;
    }

    private boolean isInternal(long realOffset, int headerSize) {
        return (ObjectHeader.flags(map.memory, realOffset, headerSize) & Heap.INTERNAL) != 0;
    }
}
