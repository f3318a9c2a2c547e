package io.farheap.heap;

import io.farheap.base.FarheapException;
import io.farheap.memory.Persistence;
import io.farheap.memory.PoolMemory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads a heap from its bytes alone, visits all there is in it and reports every inconsistency
 * (docs/format.md#consistency). For checker and info: needs no booted heap, changes nothing, and
 * goes on after an inconsistency as far as what follows can be found.
 *
 * <p>The image must not change meanwhile. Whatever the bytes are, nothing outside the heap is read.
 */
public final class HeapWalk {
    private final PoolMemory memory;
    private final Visitor visitor;

    private HeapWalk(PoolMemory memory, Visitor visitor) {
        this.memory = memory;
        this.visitor = visitor;
    }

    /** What is told about one heap, in the order of offsets. */
    public interface Visitor {
        /** The heap's header, whatever it says; where it is not valid nothing follows. */
        default void header(Header header) {}

        /** A zone; its blocks follow. */
        default void zone(Zone zone) {}

        /** A block; if it is used or a run, its objects follow. */
        default void block(Block block) {}

        /** An allocated object, internal ones included. */
        default void object(HeapObject object) {}

        /** Something that should not be. */
        default void inconsistency(Inconsistency inconsistency) {}
    }

    /**
     * The heap's header as stored (docs/format.md#heap-header).
     *
     * @param offset image offset
     */
    public record Header(
            long offset,
            String signature,
            long major,
            long minor,
            long chunkSize,
            long chunksPerZone,
            long checksum,
            long computedChecksum) {}

    /**
     * One zone.
     *
     * @param index from 0
     * @param offset image offset of the zone header
     * @param initialised false: no memory of it was ever used, there are no blocks
     * @param chunks how many it has, as stored (0 if not initialised)
     * @param possibleChunks how many the heap's size gives it
     */
    public record Zone(
            int index, long offset, boolean initialised, int chunks, int possibleChunks) {}

    /** What a block is. */
    public enum BlockType {
        FREE,
        USED,
        RUN
    }

    /**
     * One block.
     *
     * @param zone index of its zone
     * @param chunk index of its first chunk
     * @param type what it is
     * @param flags of its chunk header (docs/format.md#chunks)
     * @param chunks how many it has
     * @param offset image offset of its first chunk
     * @param run more about a RUN whose header is valid, else null
     */
    public record Block(
            int zone, int chunk, BlockType type, int flags, int chunks, long offset, Run run) {
        /** Bytes of the header of each object in it. */
        public int headerBytes() {
            return ObjectHeader.bytes(flags);
        }

        /** The names of its flags. */
        public List<String> flagNames() {
            List<String> names = new ArrayList<>();
            for (int i = 0; i < ChunkHeader.FLAG_NAMES.size(); i++) {
                if ((flags >>> i & 1) != 0) {
                    names.add(ChunkHeader.FLAG_NAMES.get(i));
                }
            }
            return names;
        }
    }

    /**
     * A run's units.
     *
     * @param unitSize bytes
     * @param alignment of user data in bytes, 0: none
     * @param headerSize bytes of each object's header
     * @param units how many there are
     * @param usedUnits how many of them the bitmap says are in use
     * @param lostUnits how many of these belong to no object and never will, because of a defect of
     *     the C library 1.12 (docs/format.md#runs); harmless
     * @param bitmapWords words of the bitmap that hold units
     * @param bitmapOffset image offset of the bitmap's first word
     * @param dataOffset image offset of the first unit
     */
    public record Run(
            long unitSize,
            long alignment,
            int headerSize,
            int units,
            int usedUnits,
            int lostUnits,
            int bitmapWords,
            long bitmapOffset,
            long dataOffset) {}

    /**
     * One allocated object.
     *
     * @param userOffset image offset of its user data
     * @param typeNumber its type number
     * @param usableSize bytes of user data
     * @param flags object flags; {@link Heap#INTERNAL} is the only known one
     */
    public record HeapObject(long userOffset, long typeNumber, long usableSize, int flags) {
        /** Whether it is the root object or a log extension. */
        public boolean internal() {
            return (flags & Heap.INTERNAL) != 0;
        }
    }

    /**
     * Something wrong.
     *
     * @param offset image offset of the structure in question
     * @param message one sentence, with the exact offset
     */
    public record Inconsistency(long offset, String message) {}

    /** Walks the heap of a pool image. */
    public static void walk(MemorySegment image, long heapOffset, long heapSize, Visitor visitor) {
        PoolMemory memory = readOnly(image);
        try {
            if (HeapHeader.isInside(memory, heapOffset)) {
                visitor.header(HeapHeader.read(memory, heapOffset));
            }
            HeapHeader.validate(memory, heapOffset, heapSize);
        } catch (FarheapException e) {
            visitor.inconsistency(new Inconsistency(heapOffset, e.getMessage()));
            return;
        }
        HeapWalk walk = new HeapWalk(memory, visitor);
        for (int i = 0; i < HeapLayout.zones(heapSize); i++) {
            walk.zone(i, HeapLayout.zone(heapOffset, i), HeapLayout.chunks(i, heapSize));
        }
    }

    private void zone(int index, long offset, int possibleChunks) {
        try {
            int chunks = HeapHeader.zoneChunks(memory, offset, possibleChunks);
            visitor.zone(new Zone(index, offset, chunks > 0, chunks, possibleChunks));
            if (chunks == 0 && HeapRepair.isUsed(memory, offset, possibleChunks)) {
                report(
                        offset,
                        "heap: the header of zone "
                                + index
                                + " is zero, and there are blocks in it: nothing of them is found");
            }
            BlockCursor blocks = new BlockCursor(memory, offset, chunks);
            while (blocks.advance()) {
                block(index, offset, blocks);
            }
        } catch (FarheapException e) {
            visitor.inconsistency(new Inconsistency(offset, e.getMessage()));
        }
    }

    private void block(int zone, long zoneOffset, BlockCursor at) {
        long offset = HeapLayout.chunk(zoneOffset, at.chunk());
        if (ChunkHeader.contradicts(at.type(), at.flags())) {
            report(
                    HeapLayout.chunkHeader(zoneOffset, at.chunk()),
                    "heap: chunk flags " + at.flags() + " contradict each other or the chunk");
        }
        if (at.type() == ChunkHeader.RUN) {
            runDataHeaders(zoneOffset, at);
            RunGeometry geometry = geometry(offset, at);
            Run run = geometry == null ? null : describe(geometry);
            visitor.block(
                    new Block(
                            zone, at.chunk(), BlockType.RUN, at.flags(), at.chunks(), offset, run));
            if (geometry != null) {
                objectsOf(geometry);
            }
        } else {
            boolean used = at.type() == ChunkHeader.USED;
            BlockType type = used ? BlockType.USED : BlockType.FREE;
            visitor.block(new Block(zone, at.chunk(), type, at.flags(), at.chunks(), offset, null));
            if (!used) {
                footer(zoneOffset, at);
            } else {
                object(
                        offset,
                        ObjectHeader.bytes(at.flags()),
                        at.chunks() * HeapLayout.CHUNK_BYTES);
            }
        }
    }

    private void footer(long zoneOffset, BlockCursor free) {
        long offset = HeapLayout.chunkHeader(zoneOffset, free.chunk() + free.chunks() - 1);
        if (ChunkHeader.leadsAstray(memory.getLong(offset), free.chunks())) {
            report(
                    offset,
                    "heap: the footer of the free block of "
                            + free.chunks()
                            + " chunks at chunk "
                            + free.chunk()
                            + " says "
                            + ChunkHeader.sizeIdx(memory.getLong(offset))
                            + " chunks: libpmemobj would merge memory in use with it");
        }
    }

    private void runDataHeaders(long zoneOffset, BlockCursor run) {
        for (int k = 1; k < run.chunks(); k++) {
            long offset = HeapLayout.chunkHeader(zoneOffset, run.chunk() + k);
            long word = memory.getLong(offset);
            if (ChunkHeader.type(word) != ChunkHeader.RUN_DATA || ChunkHeader.sizeIdx(word) != k) {
                report(offset, "heap: chunk " + k + " of a run does not lead back to its start");
            }
        }
    }

    private RunGeometry geometry(long offset, BlockCursor run) {
        try {
            return RunGeometry.read(memory, offset, run.chunks(), run.flags());
        } catch (FarheapException e) {
            visitor.inconsistency(new Inconsistency(offset, e.getMessage()));
            return null;
        }
    }

    private Run describe(RunGeometry run) {
        int used = 0;
        int lost = 0;
        for (int word = 0; word < run.words; word++) {
            long bits = usedBits(run, word);
            used += Long.bitCount(bits);
            lost += RunObjects.lost(memory, run, word, bits) ? Long.SIZE : 0;
        }
        return new Run(
                run.unit,
                run.alignment,
                run.headerSize,
                run.units,
                used,
                lost,
                run.words,
                run.bitmapWord(0),
                run.dataOffset);
    }

    private long usedBits(RunGeometry run, int word) {
        return memory.getLong(run.bitmapWord(word)) & ~run.tail(word);
    }

    private void objectsOf(RunGeometry run) {
        for (int word = 0; word < run.words; word++) {
            long offset = run.bitmapWord(word);
            if ((~memory.getLong(offset) & run.tail(word)) != 0) {
                report(offset, "heap: a run's bitmap calls units free that lie behind its end");
            }
            try {
                long starts = RunObjects.starts(memory, run, word, usedBits(run, word));
                for (; starts != 0; starts &= starts - 1) {
                    int unit = word * Long.SIZE + Long.numberOfTrailingZeros(starts);
                    int units = RunObjects.unitsOf(memory, run, unit);
                    object(run.unitOffset(unit), run.headerSize, units * run.unit);
                }
            } catch (FarheapException e) {
                visitor.inconsistency(new Inconsistency(offset, e.getMessage()));
            }
        }
    }

    private void object(long realOffset, int headerSize, long realSize) {
        long size = ObjectHeader.size(memory, realOffset, headerSize, realSize);
        HeapObject object = objectAt(memory, realOffset, headerSize, realSize);
        if (size != realSize) {
            report(
                    realOffset,
                    "heap: an object's header says "
                            + Long.toUnsignedString(size)
                            + " bytes, its place has "
                            + realSize);
        }
        if ((object.flags() & ~Heap.INTERNAL) != 0) {
            report(
                    realOffset,
                    "heap: unknown flags 0x"
                            + Integer.toHexString(object.flags())
                            + " in an object's header");
        }
        visitor.object(object);
    }

    /** What the header of an allocated object says. */
    static HeapObject objectAt(PoolMemory memory, long realOffset, int headerSize, long realSize) {
        return new HeapObject(
                realOffset + headerSize,
                ObjectHeader.typeNumber(memory, realOffset, headerSize),
                realSize - headerSize,
                ObjectHeader.flags(memory, realOffset, headerSize));
    }

    private void report(long offset, String what) {
        visitor.inconsistency(new Inconsistency(offset, HeapErrors.bad(offset, what).getMessage()));
    }

    /** An image as memory that nobody may store to. */
    public static PoolMemory readOnly(MemorySegment image) {
        return new PoolMemory(image, new NoStores());
    }

    /** A walk makes no store. */
    private static final class NoStores implements Persistence {
        @Override
        public void flush(long offset, long length) {
            throw new UnsupportedOperationException("a walk makes no store");
        }

        @Override
        public void fence() {
            throw new UnsupportedOperationException("a walk makes no store");
        }
    }
}
