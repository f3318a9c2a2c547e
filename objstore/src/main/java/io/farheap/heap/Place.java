package io.farheap.heap;

/** Which units or chunks an object has; image offsets and bytes. Reusable. */
final class Place {
    long realOffset;
    long realSize;
    int headerSize;

    /** Where it is: in a run, at {@link #index}; or null: chunks of its own from index on. */
    HeapRun run;

    /** Null: the place is not in use. */
    HeapZone zone;

    int index;
    int count;

    void inRun(HeapRun newRun, int unit, int units) {
        RunGeometry geometry = newRun.geometry;
        run = newRun;
        zone = newRun.zone;
        index = unit;
        count = units;
        realOffset = geometry.unitOffset(unit);
        realSize = units * geometry.unit;
        headerSize = geometry.headerSize;
    }

    void ofChunks(HeapZone newZone, int chunk, int chunks, int newHeaderSize) {
        run = null;
        zone = newZone;
        index = chunk;
        count = chunks;
        realOffset = newZone.chunkOffset(chunk);
        realSize = chunks * HeapLayout.CHUNK_BYTES;
        headerSize = newHeaderSize;
    }

    /** Of units: the bitmap word that says whether they are in use. */
    long bitmapWord() {
        return run.geometry.bitmapWord(index / Long.SIZE);
    }

    /** Of units: their bits in it. */
    long mask() {
        return HeapRun.mask(index % Long.SIZE, count);
    }

    boolean open() {
        return zone != null;
    }

    void close() {
        zone = null;
        run = null;
    }

    long userOffset() {
        return realOffset + headerSize;
    }
}
