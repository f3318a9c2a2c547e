package io.farheap.tools.info;

import io.farheap.heap.HeapWalk.Block;
import io.farheap.heap.HeapWalk.BlockType;
import io.farheap.heap.HeapWalk.Run;
import io.farheap.heap.HeapWalk.Zone;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;

/** Counts of one zone, or of a whole heap. Bytes of objects are those with their headers. */
final class Tally {
    static final long CHUNK_BYTES = 256 << 10;

    /** How many, and how much. */
    static final class Sum {
        long count;
        long bytes;

        void add(long more, long moreBytes) {
            count += more;
            bytes += moreBytes;
        }
    }

    /** Units of one size. */
    static final class Units {
        long all;
        long used;
    }

    final Sum objects = new Sum();
    final Sum internal = new Sum();
    final Map<Long, Sum> byType = new TreeMap<>(Long::compareUnsigned);
    final Map<BlockType, Sum> blocks = new EnumMap<>(BlockType.class);
    final Map<Long, Units> classes = new TreeMap<>();
    private long biggestFree;

    void object(long typeNumber, long bytes, boolean isInternal) {
        if (isInternal) {
            internal.add(1, bytes);
            return;
        }
        objects.add(1, bytes);
        byType.computeIfAbsent(typeNumber, type -> new Sum()).add(1, bytes);
    }

    void block(Block block) {
        blocks.computeIfAbsent(block.type(), type -> new Sum()).add(1, block.chunks());
        Run run = block.run();
        if (run != null) {
            Units units = units(run.unitSize());
            units.all += run.units();
            units.used += run.usedUnits();
        } else if (block.type() != BlockType.RUN) {
            Units units = units(CHUNK_BYTES);
            units.all += block.chunks();
            units.used += block.type() == BlockType.USED ? block.chunks() : 0;
            if (block.type() == BlockType.FREE) {
                biggestFree = Math.max(biggestFree, block.chunks() * CHUNK_BYTES);
            }
        }
    }

    /** A zone that was never used: all of it will be one free block. */
    void unused(Zone zone) {
        biggestFree = Math.max(biggestFree, zone.possibleChunks() * CHUNK_BYTES);
    }

    private Units units(long size) {
        return classes.computeIfAbsent(size, unit -> new Units());
    }

    long totalBytes() {
        return classes.entrySet().stream().mapToLong(c -> c.getKey() * c.getValue().all).sum();
    }

    long usedBytes() {
        return classes.entrySet().stream().mapToLong(c -> c.getKey() * c.getValue().used).sum();
    }

    /** Of chunks, so what the largest allocation from them can have, its header included. */
    long biggestFreeBlock() {
        return biggestFree;
    }
}
