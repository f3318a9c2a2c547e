package io.farheap.heap;

import io.farheap.layout.Descriptor;
import io.farheap.memory.PoolMemory;

/**
 * Objects of a heap that another process stores to, from its bytes alone: nothing of it is kept
 * from one call to the next. Whatever the bytes are, nothing outside the image is read and every
 * call ends; what it says is right if they stood still meanwhile, which the caller finds out
 * afterwards.
 *
 * <p>A reference that a program found in the same state of the heap is told from one that leads to
 * nothing. One of an earlier state, whose place is now in the middle of a larger object, may be
 * taken for one. Thread-safe.
 */
public final class ReplicaHeap {
    private static final long NONE = Heap.NONE;

    private final PoolMemory memory;
    private final Descriptor descriptor;

    public ReplicaHeap(PoolMemory memory) {
        this.memory = memory;
        this.descriptor = new Descriptor(memory);
    }

    /**
     * Usable bytes of an object.
     *
     * @throws io.farheap.base.FarheapException WRONG_USE when none starts there
     */
    public long usableSize(long userOffset) {
        long zone = zoneOf(userOffset);
        int chunk = (int) ((userOffset - HeapLayout.chunk(zone, 0)) / HeapLayout.CHUNK_BYTES);
        long word = blockWord(zone, chunk, userOffset);
        int chunks = (int) ChunkHeader.sizeIdx(word);
        int flags = ChunkHeader.flags(word);
        if (ChunkHeader.type(word) == ChunkHeader.USED) {
            int header = ObjectHeader.bytes(flags);
            long start = HeapLayout.chunk(zone, chunk);
            if (userOffset == start + header) {
                return chunks * HeapLayout.CHUNK_BYTES - header;
            }
            throw HeapErrors.notAnObject(userOffset);
        }
        RunGeometry run = run(zone, firstOf(zone, chunk, userOffset));
        int unit = run.unitAt(userOffset - run.headerSize);
        if (unit < 0 || !starts(run, unit)) {
            throw HeapErrors.notAnObject(userOffset);
        }
        return RunObjects.unitsOf(memory, run, unit) * run.unit - run.headerSize;
    }

    private boolean starts(RunGeometry run, int unit) {
        int word = unit / Long.SIZE;
        long used = memory.getLong(run.bitmapWord(word)) & ~run.tail(word);
        return (RunObjects.starts(memory, run, word, used) >>> unit & 1) != 0;
    }

    /**
     * The type number that an object was allocated with.
     *
     * @throws io.farheap.base.FarheapException WRONG_USE when none starts there
     */
    public long typeNumber(long userOffset) {
        long unused = usableSize(userOffset);
        int header = headerBytes(userOffset);
        return ObjectHeader.typeNumber(memory, userOffset - header, header);
    }

    private int headerBytes(long userOffset) {
        long zone = zoneOf(userOffset);
        int chunk = (int) ((userOffset - HeapLayout.chunk(zone, 0)) / HeapLayout.CHUNK_BYTES);
        int first = firstOf(zone, chunk, userOffset);
        return ObjectHeader.bytes(ChunkHeader.flags(header(zone, first)));
    }

    /** The first object that is not internal, or {@link Heap#NONE}. */
    public long first() {
        return from(0, 0, 0);
    }

    /** The one after it, in the order of offsets, or {@link Heap#NONE}. */
    public long next(long userOffset) {
        long zone = zoneOf(userOffset);
        int index = index(userOffset);
        int chunk = (int) ((userOffset - HeapLayout.chunk(zone, 0)) / HeapLayout.CHUNK_BYTES);
        int first = firstOf(zone, chunk, userOffset);
        long word = header(zone, first);
        if (ChunkHeader.type(word) == ChunkHeader.USED) {
            return from(index, first + blockChunks(zone, first, chunks(index)), 0);
        }
        RunGeometry run = run(zone, first);
        return from(index, first, run.unitAt(userOffset - run.headerSize) + 1);
    }

    private long from(int firstZone, int firstChunk, int firstUnit) {
        int zones = HeapLayout.zones(heapSize());
        int chunk = firstChunk;
        int unit = firstUnit;
        for (int i = firstZone; i < zones; i++) {
            int chunks = chunks(i);
            long zone = HeapLayout.zone(descriptor.heapOffset(), i);
            while (chunk < chunks) {
                long found = inBlock(zone, chunk, unit);
                if (found != NONE) {
                    return found;
                }
                chunk += blockChunks(zone, chunk, chunks);
                unit = 0;
            }
            chunk = 0;
            unit = 0;
        }
        return NONE;
    }

    private long inBlock(long zone, int chunk, int firstUnit) {
        long word = header(zone, chunk);
        long start = HeapLayout.chunk(zone, chunk);
        if (ChunkHeader.type(word) == ChunkHeader.USED) {
            int header = ObjectHeader.bytes(ChunkHeader.flags(word));
            return isInternal(start, header) ? NONE : start + header;
        }
        if (ChunkHeader.type(word) != ChunkHeader.RUN) {
            return NONE;
        }
        RunGeometry run = run(zone, chunk);
        for (int w = firstUnit / Long.SIZE; w < run.words; w++) {
            long used = memory.getLong(run.bitmapWord(w)) & ~run.tail(w);
            long starts = used == 0 ? 0 : RunObjects.starts(memory, run, w, used);
            if (w == firstUnit / Long.SIZE) {
                starts &= -1L << firstUnit;
            }
            for (; starts != 0; starts &= starts - 1) {
                int unit = w * Long.SIZE + Long.numberOfTrailingZeros(starts);
                long real = run.unitOffset(unit);
                if (!isInternal(real, run.headerSize)) {
                    return real + run.headerSize;
                }
            }
        }
        return NONE;
    }

    private boolean isInternal(long real, int header) {
        return (ObjectHeader.flags(memory, real, header) & Heap.INTERNAL) != 0;
    }

    // ---- blocks; each checks what it reads before it goes on by it ----

    private long heapSize() {
        return Math.min(descriptor.heapSize(), memory.size() - descriptor.heapOffset());
    }

    private int index(long userOffset) {
        long distance = userOffset - HeapLayout.zone(descriptor.heapOffset(), 0);
        long index = distance / HeapLayout.ZONE_BYTES;
        if (distance < 0 || index >= HeapLayout.zones(heapSize())) {
            throw HeapErrors.notAnObject(userOffset);
        }
        return (int) index;
    }

    /** The zone that has the offset in one of its chunks. */
    private long zoneOf(long userOffset) {
        int index = index(userOffset);
        long zone = HeapLayout.zone(descriptor.heapOffset(), index);
        long distance = userOffset - HeapLayout.chunk(zone, 0);
        if (distance < 0 || distance / HeapLayout.CHUNK_BYTES >= chunks(index)) {
            throw HeapErrors.notAnObject(userOffset);
        }
        return zone;
    }

    /** Chunks of a zone that are in use or were. */
    private int chunks(int index) {
        long word = memory.getLong(HeapLayout.zone(descriptor.heapOffset(), index));
        int possible = HeapLayout.chunks(index, heapSize());
        return (int) word == HeapLayout.ZONE_MAGIC ? (int) Math.min(word >>> 32, possible) : 0;
    }

    private long header(long zone, int chunk) {
        return memory.getLong(HeapLayout.chunkHeader(zone, chunk));
    }

    private int blockChunks(long zone, int chunk, int chunks) {
        long size = ChunkHeader.sizeIdx(header(zone, chunk));
        if (size < 1 || size > chunks - chunk) {
            throw HeapErrors.bad(
                    HeapLayout.chunkHeader(zone, chunk),
                    "heap: chunk sizes mismatch: a block of " + size + " chunks");
        }
        return (int) size;
    }

    /** The header of the block that starts at the chunk, or that the chunk is of. */
    private long blockWord(long zone, int chunk, long userOffset) {
        int first = firstOf(zone, chunk, userOffset);
        long word = header(zone, first);
        int chunks = chunks(index(userOffset));
        if (ChunkHeader.sizeIdx(word) > chunks - first) {
            throw HeapErrors.notAnObject(userOffset);
        }
        return word;
    }

    private int firstOf(long zone, int chunk, long userOffset) {
        long word = header(zone, chunk);
        int type = ChunkHeader.type(word);
        long first = type == ChunkHeader.RUN_DATA ? chunk - ChunkHeader.sizeIdx(word) : chunk;
        int firstType = first < 0 ? 0 : ChunkHeader.type(header(zone, (int) first));
        boolean fits =
                type == ChunkHeader.RUN_DATA
                        ? firstType == ChunkHeader.RUN
                        : type == ChunkHeader.USED || type == ChunkHeader.RUN;
        if (!fits) {
            throw HeapErrors.notAnObject(userOffset);
        }
        return (int) first;
    }

    private RunGeometry run(long zone, int chunk) {
        long word = header(zone, chunk);
        long chunks = ChunkHeader.sizeIdx(word);
        if (chunks < 1 || chunks > HeapLayout.MAX_CHUNKS - chunk) {
            throw HeapErrors.bad(
                    HeapLayout.chunkHeader(zone, chunk), "heap: a run of " + chunks + " chunks");
        }
        return RunGeometry.read(
                memory, HeapLayout.chunk(zone, chunk), (int) chunks, ChunkHeader.flags(word));
    }
}
