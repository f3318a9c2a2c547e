package io.farheap.heap;

import java.lang.foreign.MemorySegment;

/**
 * Reads a heap from its bytes alone, visits all there is in it and reports every inconsistency
 * (spec: heap, 8, and bitmaps against object headers). For checker and info: needs no booted heap,
 * changes nothing, and goes on after an inconsistency as far as what follows can be found.
 *
 * <p>The image must not change meanwhile. Whatever the bytes are, nothing outside the heap is read.
 */
public final class HeapWalk {
    private HeapWalk() {}

    /** What is told about one heap, in the order of offsets. */
    public interface Visitor {
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
     * One zone.
     *
     * @param index from 0
     * @param offset image offset of the zone header
     * @param initialised false: no memory of it was ever used, there are no blocks
     * @param chunks how many it has, as stored (0 if not initialised)
     * @param possibleChunks how many the heap's size gives it
     */
    public record Zone(
            int index, long offset, boolean initialised, long chunks, int possibleChunks) {}

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
     * @param flags of its chunk header (spec: heap, 3)
     * @param chunks how many it has
     * @param offset image offset of its first chunk
     * @param run more about a RUN, else null
     */
    public record Block(
            int zone, int chunk, BlockType type, int flags, int chunks, long offset, Run run) {}

    /**
     * A run's units.
     *
     * @param unitSize bytes
     * @param alignment of user data in bytes, 0: none
     * @param units how many there are
     * @param usedUnits how many bits are set
     * @param bitmapWords words of the bitmap that hold units
     * @param dataOffset image offset of the first unit
     */
    public record Run(
            long unitSize,
            long alignment,
            int units,
            int usedUnits,
            int bitmapWords,
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
     * @param offset image offset of the bytes in question
     * @param message one sentence, offset included
     */
    public record Inconsistency(long offset, String message) {}

    /** Walks the heap. */
    public static void walk(MemorySegment image, long heapOffset, long heapSize, Visitor visitor) {
        throw new UnsupportedOperationException();
    }
}
