package io.farheap.check;

import io.farheap.base.FarheapException;
import io.farheap.memory.NativeFile;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.PoolSet;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Reads and writes the image of one local replica in its files, past any mapping. */
final class ReplicaChannels implements AutoCloseable {
    private final PoolSet set;
    private final LocalReplica replica;
    private final List<NativeFile> files = new ArrayList<>();

    ReplicaChannels(PoolSet set, LocalReplica replica) {
        this.set = set;
        this.replica = replica;
        try {
            replica.parts().forEach(part -> files.add(NativeFile.open(part.path())));
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Fills a buffer from an image offset on; it lies in one part. */
    void read(MemorySegment bytes, long offset) {
        int part = part(offset);
        if (files.get(part).read(bytes, inFile(part, offset)) < bytes.byteSize()) {
            throw FarheapException.environment(
                    "%s was cut off meanwhile", replica.parts().get(part).path());
        }
    }

    /** Writes all of a buffer from an image offset on; it lies in one part. */
    void write(MemorySegment bytes, long offset) {
        int part = part(offset);
        files.get(part).write(bytes, inFile(part, offset));
    }

    /** Waits until all is on the medium. */
    void force() {
        files.forEach(NativeFile::sync);
    }

    private int part(long offset) {
        int part = replica.parts().size() - 1;
        while (part > 0 && set.imageOffset(replica, part) > offset) {
            part--;
        }
        return part;
    }

    private long inFile(int part, long offset) {
        return set.imageStart(part) + offset - set.imageOffset(replica, part);
    }

    @Override
    public void close() {
        files.forEach(NativeFile::close);
    }
}
