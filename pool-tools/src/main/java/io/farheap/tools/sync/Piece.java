package io.farheap.tools.sync;

import io.farheap.layout.PoolHeader;
import io.farheap.memory.MappedImage.Share;
import io.farheap.memory.NativeFile;
import io.farheap.pool.PartInspection;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.PoolSet;

/**
 * A range of the pool's image in one part of a local replica.
 *
 * @param replica index among the local replicas
 * @param part index of the part in its replica
 * @param offset image offset of its first byte
 * @param end image offset behind its last byte
 */
record Piece(int replica, int part, long offset, long end) {
    /** All that a part has of the pool; of a part behind the pool's end nothing. */
    static Piece of(PoolSet set, PartInspection part) {
        LocalReplica replica = set.localReplicas().get(part.replica());
        long start = set.imageOffset(replica, part.index());
        long end = Math.min(start + set.imageSize(replica, part.index()), set.poolSize());
        return new Piece(part.replica(), part.index(), start, Math.max(start, end));
    }

    boolean isEmpty() {
        return end <= offset;
    }

    boolean contains(long imageOffset) {
        return offset <= imageOffset && imageOffset < end;
    }

    boolean isInSamePartAs(Piece other) {
        return replica == other.replica && part == other.part;
    }

    /** What it has of a range. */
    Piece within(long from, long to) {
        long first = Math.max(offset, from);
        return new Piece(replica, part, first, Math.max(first, Math.min(end, to)));
    }

    /** The same without the page of the header, which is each part's own. */
    Piece withoutHeader() {
        return within(PoolHeader.SIZE, end);
    }

    long length() {
        return end - offset;
    }

    /** Where an image offset lies in the part's file. */
    long inFile(PoolSet set, long imageOffset) {
        long start = set.imageOffset(set.localReplicas().get(replica), part);
        return set.imageStart(part) + imageOffset - start;
    }

    Share share(PoolSet set, NativeFile file) {
        return new Share(file, inFile(set, offset), length());
    }

    /** For a sentence. */
    String range() {
        return "image bytes " + offset + " to " + end;
    }
}
