package io.farheap.pool;

import io.farheap.base.FarheapException;
import io.farheap.layout.Descriptor;
import io.farheap.layout.PoolHeader;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.PoolSet;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Whether the parts of a local replica are what a creation left that was cut. A creation writes
 * headers, descriptor, lanes and the heap's header into files of zeros, and the first open gives
 * the pool a number before anything is committed. So parts that hold anything else, or have a
 * number, may be a pool's, however damaged they are.
 */
final class NeverCompleted {
    private static final long PAGE = 4096;
    private static final int PIECE = 1 << 20;

    /** What a creation writes ends here; what is behind it is somebody's data. */
    private static final long CREATED_END = Descriptor.DEFAULT_HEAP_OFFSET + PAGE;

    private final PoolSet set;
    private final LocalReplica replica;

    NeverCompleted(PoolSet set, LocalReplica replica) {
        this.set = set;
        this.replica = replica;
    }

    /**
     * False where a part can't be read, and where the first one is missing, which a creation makes
     * first and which has the number: nothing is known then.
     *
     * @return whether all parts that are there hold nothing
     */
    boolean isSo() {
        if (!Files.exists(replica.parts().get(0).path())) {
            return false;
        }
        for (int p = 0; p < replica.parts().size(); p++) {
            Path path = replica.parts().get(p).path();
            try {
                boolean there = Files.exists(path);
                if (there && (!Files.isRegularFile(path) || !isUntouched(path, p))) {
                    return false;
                }
                if (there && HeaderMark.isMarked(path)) {
                    return false; // its number and its commits may be in its disk journal alone
                }
            } catch (IOException unreadable) {
                return false; // then it proves nothing
            }
        }
        return true;
    }

    /**
     * Whether a part that is there has no header and holds nothing: a pool may be made of it.
     *
     * @throws FarheapException ENVIRONMENT where it can't be read
     */
    boolean isBlank(int part) {
        Path path = replica.parts().get(part).path();
        if (!Files.isRegularFile(path)) {
            return true; // it is refused for what it is
        }
        try (FileChannel file = FileChannel.open(path)) {
            return isZero(file, 0, PoolHeader.SIZE) && isUntouched(path, part);
        } catch (IOException e) {
            throw FileStatus.unreadable(path, e);
        }
    }

    private boolean isUntouched(Path path, int part) throws IOException {
        try (FileChannel file = FileChannel.open(path)) {
            if (part == 0 && number(file) != 0) {
                return false;
            }
            long start = set.imageStart(part);
            long created = Math.max(0, CREATED_END - set.imageOffset(replica, part));
            return isZero(file, start + created, Long.MAX_VALUE);
        }
    }

    private static long number(FileChannel file) throws IOException {
        ByteBuffer word = ByteBuffer.allocate(Long.BYTES);
        while (word.hasRemaining() && file.read(word, Descriptor.RUN_ID + word.position()) >= 0) {
            continue;
        }
        return MemorySegment.ofArray(word.array()).get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
    }

    private static boolean isZero(FileChannel file, long from, long end) throws IOException {
        ByteBuffer zeros = ByteBuffer.allocate(PIECE);
        ByteBuffer piece = ByteBuffer.allocate(PIECE);
        for (long at = from; at < end; at += piece.limit()) {
            piece.clear().limit((int) Math.min(PIECE, end - at));
            if (file.read(piece, at) <= 0) {
                return true;
            }
            piece.flip();
            if (piece.mismatch(zeros.clear().limit(piece.limit())) >= 0) {
                return false;
            }
        }
        return true;
    }
}
