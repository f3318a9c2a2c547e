package io.farheap.pool;

import io.farheap.layout.PoolHeader;
import io.farheap.memory.NativeFile;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.PoolSet;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * One lost part that is made anew: a file beside its place, which has that name once it is whole,
 * and the piece of the image that is to be copied into it.
 */
final class RestoredPart {
    private final PoolSet set;
    private final PartInspection lost;
    private final NativeFile file;

    /**
     * @param file made at {@link RestorationLeftovers#unfinished}
     */
    RestoredPart(PoolSet set, PartInspection lost, NativeFile file) {
        this.set = set;
        this.lost = lost;
        this.file = file;
    }

    PartInspection lost() {
        return lost;
    }

    NativeFile file() {
        return file;
    }

    private Path unfinished() {
        return RestorationLeftovers.unfinished(lost.path());
    }

    private LocalReplica replica() {
        return set.localReplicas().get(lost.replica());
    }

    /** From an offset in the image to one in the file. */
    private long shift() {
        return set.imageStart(lost.index()) - set.imageOffset(replica(), lost.index());
    }

    /** What is to be copied into it, which may be nothing. */
    PoolRestoration.Range range() {
        long start = set.imageOffset(replica(), lost.index());
        long end = start + set.imageSize(replica(), lost.index());
        // The header page is each part's own and written at the end.
        long from = Math.max(start, PoolHeader.SIZE);
        long to = Math.min(end, set.poolSize());
        return new PoolRestoration.Range(lost.replica(), from, Math.max(0, to - from));
    }

    /** Whether all of that is within {@link #range}. */
    boolean has(int replica, long from, long to) {
        PoolRestoration.Range range = range();
        return lost.replica() == replica
                && range.offset() <= from
                && to <= range.offset() + range.length();
    }

    /** Writes a piece of {@link #range}. */
    void write(long offset, MemorySegment source) {
        file.write(source, shift() + offset);
    }

    /** The header is stored to, and what lies behind the pool's end may be one day. */
    void allocateUnwritten() {
        PoolRestoration.Range written = range();
        long size = lost.size();
        long begin = written.length() == 0 ? size : shift() + written.offset();
        long end = begin + written.length();
        if (begin > 0) {
            file.allocate(0, begin);
        }
        if (end < size) {
            file.allocate(end, size - end);
        }
    }

    /** Removes what is in its place. */
    void removeOld() {
        UnfinishedFiles.delete(lost.path());
        NativeFile.syncDirectory(lost.path().getParent());
    }

    /**
     * Durably.
     *
     * @param moved is told its place once it is in it, before that is durable
     */
    void moveIntoPlace(Consumer<Path> moved) {
        NativeFile.rename(unfinished(), lost.path());
        moved.accept(lost.path());
        NativeFile.syncDirectory(lost.path().getParent());
        file.close();
    }

    /** Lets it go; what was made stays beside its place. */
    void leave() {
        file.close();
    }

    /** Lets it go, and nothing of it stays. */
    void discard() {
        UnfinishedFiles.delete(unfinished());
        file.close();
    }
}
