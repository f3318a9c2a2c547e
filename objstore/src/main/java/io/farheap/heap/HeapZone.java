package io.farheap.heap;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * What DRAM knows of one zone. Its tables are made at the first need of the zone; they are written
 * under the heap's lock; {@link #runAt}, {@link #loadedRunAt} and {@link #hugeAt} may be read
 * without it.
 */
final class HeapZone {
    private static final VarHandle RUN = MethodHandles.arrayElementVarHandle(HeapRun[].class);

    final int index;

    /** Image offset of the zone header. */
    final long offset;

    /** How many chunks the zone can get if the heap grows to all that it may have. */
    private final int mostChunks;

    /**
     * For the first and the last chunk of a free stretch: how many chunks it has; else 0. Of {@link
     * FreeChunks}.
     */
    int[] freeBorder;

    private volatile int possibleChunks;
    private volatile int chunks;
    private volatile boolean visited;
    private HeapRun[] runs;
    private AtomicIntegerArray huge;

    HeapZone(int index, long offset, int mostChunks, int possibleChunks, int chunks) {
        this.index = index;
        this.offset = offset;
        this.mostChunks = mostChunks;
        this.possibleChunks = possibleChunks;
        this.chunks = chunks;
    }

    /** How many chunks the heap's size gives the zone. */
    int possibleChunks() {
        return possibleChunks;
    }

    /** The heap has grown. */
    void setPossibleChunks(int count) {
        possibleChunks = count;
    }

    /** How many chunks the zone has, as stored; 0: it is not initialised. */
    int chunks() {
        return chunks;
    }

    /** The zone was initialised or has grown. */
    void setChunks(int count) {
        chunks = count;
    }

    boolean visited() {
        return visited;
    }

    void makeTables() {
        freeBorder = new int[mostChunks];
        runs = new HeapRun[mostChunks];
        huge = new AtomicIntegerArray(mostChunks);
    }

    /** The tables are filled. */
    void setVisited() {
        visited = true;
    }

    /** The run that the chunk belongs to, or null. */
    HeapRun runAt(int chunk) {
        return (HeapRun) RUN.getVolatile(runs, chunk);
    }

    /**
     * The run that the chunk belongs to, if its state was read before, else null: for who can ask
     * {@link #runAt} then. Any number may be asked, also of a zone without tables.
     */
    HeapRun loadedRunAt(long chunk) {
        HeapRun[] known = runs;
        if (known == null || chunk < 0 || chunk >= known.length) {
            return null;
        }
        HeapRun run = (HeapRun) RUN.getOpaque(known, (int) chunk);
        return run != null && run.loaded() ? run : null;
    }

    void putRun(HeapRun run) {
        for (int i = 0; i < run.geometry.chunks; i++) {
            RUN.setVolatile(runs, run.chunk + i, run);
        }
    }

    void removeRun(HeapRun run) {
        for (int i = 0; i < run.geometry.chunks; i++) {
            RUN.setVolatile(runs, run.chunk + i, null);
        }
    }

    /**
     * How many chunks the huge object has that starts at this chunk, reserved or allocated;
     * negative when a free of it has begun; 0: none starts there.
     */
    int hugeAt(int chunk) {
        return huge.get(chunk);
    }

    void putHuge(int chunk, int count) {
        huge.set(chunk, count);
    }

    /** How many chunks the free stretch has that starts at this chunk; 0: none does. */
    int freeFrom(int chunk) {
        int length = freeBorder[chunk];
        int last = chunk + length - 1;
        return length > 0 && last < chunks && freeBorder[last] == length ? length : 0;
    }

    long chunkHeader(int chunk) {
        return HeapLayout.chunkHeader(offset, chunk);
    }

    long chunkOffset(int chunk) {
        return HeapLayout.chunk(offset, chunk);
    }
}
