package io.farheap.heap;

import io.farheap.memory.PoolMemory;

/**
 * What is at a given place of the heap: whether an object starts there, and which. Goes by the
 * tables in DRAM as {@link ObjectScan} does, changes nothing, and allocates nothing; what its
 * methods tell is said where {@link Heap} has them.
 */
final class ObjectLookup {
    private static final int NO_OBJECT = -1;

    private final HeapMap map;
    private final PoolMemory memory;

    ObjectLookup(HeapMap map) {
        this.map = map;
        this.memory = map.memory;
    }

    boolean isAllocated(long userOffset) {
        HeapZone zone = map.zoneOf(userOffset);
        if (zone == null) {
            return false;
        }
        int chunk = HeapMap.chunkOf(zone, userOffset);
        HeapRun run = zone.runAt(chunk);
        return run != null ? objectUnit(run, userOffset) >= 0 : hugeStarts(zone, chunk, userOffset);
    }

    boolean isPublished(long userOffset) {
        HeapZone zone = map.zoneOf(userOffset);
        if (zone == null) {
            return false;
        }
        int chunk = HeapMap.chunkOf(zone, userOffset);
        HeapRun run = zone.runAt(chunk);
        if (run != null) {
            int unit = objectUnit(run, userOffset);
            return unit >= 0 && run.published(memory, unit);
        }
        return hugeStarts(zone, chunk, userOffset)
                && ChunkHeader.type(memory.getLongAcquire(zone.chunkHeader(chunk)))
                        == ChunkHeader.USED;
    }

    long usableSize(long userOffset) {
        HeapZone zone = map.zoneOf(userOffset);
        if (zone != null) {
            int chunk = HeapMap.chunkOf(zone, userOffset);
            HeapRun run = zone.runAt(chunk);
            if (run == null && hugeStarts(zone, chunk, userOffset)) {
                long real = zone.hugeAt(chunk) * HeapLayout.CHUNK_BYTES;
                return zone.chunkOffset(chunk) + real - userOffset;
            }
            int unit = run == null ? -1 : objectUnit(run, userOffset);
            if (unit >= 0) {
                RunGeometry geometry = run.geometry;
                int units = RunObjects.unitsOf(memory, geometry, unit);
                return units * geometry.unit - geometry.headerSize;
            }
        }
        throw HeapErrors.notAnObject(userOffset);
    }

    long typeNumber(long userOffset) {
        int header = headerSize(userOffset);
        return ObjectHeader.typeNumber(memory, userOffset - header, header);
    }

    boolean isOfType(long userOffset, long typeNumber) {
        int header = headerSizeOrNone(userOffset);
        return header != NO_OBJECT
                && ObjectHeader.typeNumber(memory, userOffset - header, header) == typeNumber;
    }

    boolean isInternal(long userOffset) {
        int header = headerSizeOrNone(userOffset);
        return header != NO_OBJECT && Heap.isInternal(memory, userOffset - header, header);
    }

    private int headerSize(long userOffset) {
        int header = headerSizeOrNone(userOffset);
        if (header == NO_OBJECT) {
            throw HeapErrors.notAnObject(userOffset);
        }
        return header;
    }

    private int headerSizeOrNone(long userOffset) {
        HeapZone zone = map.zoneOf(userOffset);
        if (zone != null) {
            int chunk = HeapMap.chunkOf(zone, userOffset);
            HeapRun run = zone.runAt(chunk);
            if (run != null && objectUnit(run, userOffset) >= 0) {
                return run.geometry.headerSize;
            }
            if (run == null && hugeStarts(zone, chunk, userOffset)) {
                return (int) (userOffset - zone.chunkOffset(chunk));
            }
        }
        return NO_OBJECT;
    }

    /** The unit at which the object starts whose user data starts there, or -1. */
    int objectUnit(HeapRun run, long userOffset) {
        int unit = run.geometry.unitOfUser(userOffset);
        if (unit < 0) {
            return -1;
        }
        map.load(run);
        return run.startsObject(unit) ? unit : -1;
    }

    /** Whether a block of chunks has an object that starts there. */
    boolean hugeStarts(HeapZone zone, int chunk, long userOffset) {
        if (zone.hugeAt(chunk) <= 0) {
            return false;
        }
        int flags = ChunkHeader.flags(memory.getLong(zone.chunkHeader(chunk)));
        return userOffset == zone.chunkOffset(chunk) + ObjectHeader.bytes(flags);
    }
}
