package io.farheap.check;

import io.farheap.FarheapException;
import io.farheap.FarheapException.Category;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.Part;
import io.farheap.poolset.PoolSet;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/** Reads and writes the image of one local replica in its files, past any mapping. */
final class ReplicaChannels implements AutoCloseable {
    private final PoolSet set;
    private final LocalReplica replica;
    private final List<FileChannel> channels = new ArrayList<>();

    ReplicaChannels(PoolSet set, LocalReplica replica) throws IOException {
        this.set = set;
        this.replica = replica;
        try {
            for (Part part : replica.parts()) {
                channels.add(
                        FileChannel.open(
                                part.path(), StandardOpenOption.READ, StandardOpenOption.WRITE));
            }
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    /** Fills a buffer from an image offset on; it lies in one part. */
    void read(ByteBuffer bytes, long offset) throws IOException {
        int part = part(offset);
        long from = inFile(part, offset) - bytes.position();
        while (bytes.hasRemaining()) {
            if (channels.get(part).read(bytes, from + bytes.position()) < 0) {
                throw new FarheapException(
                        Category.ENVIRONMENT,
                        replica.parts().get(part).path() + " was cut off meanwhile");
            }
        }
    }

    /** Writes all of a buffer from an image offset on; it lies in one part. */
    void write(ByteBuffer bytes, long offset) throws IOException {
        int part = part(offset);
        long from = inFile(part, offset) - bytes.position();
        while (bytes.hasRemaining()) {
            channels.get(part).write(bytes, from + bytes.position());
        }
    }

    /** Waits until all is on the medium. */
    void force() throws IOException {
        for (FileChannel channel : channels) {
            channel.force(true);
        }
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
    public void close() throws IOException {
        for (FileChannel channel : channels) {
            channel.close();
        }
    }
}
