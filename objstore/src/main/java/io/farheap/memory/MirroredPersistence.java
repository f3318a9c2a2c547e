package io.farheap.memory;

import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Local replicas: what is flushed in the master is copied to the same place of every other copy and
 * flushed there too (docs/format.md#local-replicas), so each copy can be opened at any instant.
 */
public final class MirroredPersistence implements Persistence {
    /** Bytes copied before another thread gets its turn. */
    private static final long CHUNK_BYTES = 4096;

    private final Object turn = new Object();
    private final Persistence master;
    private final Persistence[] persistences;

    /** Replaced when the pool grows; plain, as {@link PoolMemory}'s is. */
    private Images images;

    /** The master's image and the copies, each at least as long. */
    private record Images(MemorySegment master, MemorySegment[] copies) {}

    /**
     * @param master the image that stores go to
     * @param copies the other images, each at least {@code size} bytes
     * @param size bytes of the image that all have in common, a multiple of 8
     */
    public MirroredPersistence(MappedImage master, List<MappedImage> copies, long size) {
        this(
                master.segment().asSlice(0, size),
                master.persistence(),
                segments(copies),
                copies.stream().map(MappedImage::persistence).toArray(Persistence[]::new));
    }

    /**
     * As above, over any memory.
     *
     * @param copies each at least as long as the master's image
     * @param persistences of the copies, in their order; offsets count from each copy's start
     */
    public MirroredPersistence(
            MemorySegment masterImage,
            Persistence master,
            MemorySegment[] copies,
            Persistence[] persistences) {
        this.images = new Images(masterImage, copies.clone());
        this.master = master;
        this.persistences = persistences.clone();
    }

    private static MemorySegment[] segments(List<MappedImage> copies) {
        return copies.stream().map(MappedImage::segment).toArray(MemorySegment[]::new);
    }

    /**
     * All images have become longer; what the copies then have in common with the master is
     * mirrored. The same rules as for {@link PoolMemory#grow}.
     *
     * @param longer the master's image, {@code size} bytes
     */
    public void grow(MemorySegment longer, List<MappedImage> copies) {
        images = new Images(longer, segments(copies));
    }

    @Override
    public void flush(long offset, long length) {
        if (length == 0) {
            return;
        }
        // Whole words: an aligned 8-byte store is never torn on a copy either.
        long start = offset & -8L;
        long end = (offset + length + 7) & -8L;
        for (long at = start; at < end; at += CHUNK_BYTES) {
            copyChunk(at, Math.min(CHUNK_BYTES, end - at));
        }
        master.flush(offset, length);
        for (Persistence persistence : persistences) {
            persistence.flush(start, end - start);
        }
    }

    /**
     * Two threads may flush one word that both changed atomically (a bitmap). In turn, the copy
     * made last holds both changes; side by side, an older value could be written over a newer.
     */
    private void copyChunk(long offset, long length) {
        Images now = images;
        synchronized (turn) {
            for (MemorySegment copy : now.copies) {
                MemorySegment.copy(now.master, offset, copy, offset, length);
            }
        }
    }

    @Override
    public void fence() {
        master.fence();
        for (Persistence persistence : persistences) {
            persistence.fence();
        }
    }

    @Override
    public void order() {
        master.order();
        for (Persistence persistence : persistences) {
            persistence.order();
        }
    }

    @Override
    public void settle() {
        master.settle();
        for (Persistence persistence : persistences) {
            persistence.settle();
        }
    }

    @Override
    public boolean isMirrored() {
        return true;
    }
}
