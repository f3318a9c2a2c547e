package io.farheap.tools.survey;

import io.farheap.base.FarheapException;
import io.farheap.heap.HeapWalk;
import io.farheap.layout.Descriptor;
import io.farheap.layout.PoolHeader;
import io.farheap.objects.type.RootLayout;
import io.farheap.pool.JournalLook;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.PoolSet;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * What a load of a dump leaves that did not come to its end: a sound pool, which no program can
 * open. Whoever judges a pool has to say so, or it passes for one that has its data.
 */
public final class CutLoad {
    /** What is wrong, in a clause. */
    public static final String WHAT =
            "a dump was loaded into it and did not come to its end, so no program can open it";

    /** Root objects are small and lie at a heap's beginning. */
    private static final long MOST_BEFORE_ROOT = 256 << 20;

    private CutLoad() {}

    /** A pool's bytes. */
    public interface Image {
        /** Fills the first {@code length} bytes of {@code to} with what is from an offset on. */
        void read(long offset, byte[] to, int length);
    }

    /** What to do about it. */
    public static String nextStep(Path pool) {
        return "farheap rm " + pool + ", and load the dump again";
    }

    /** Whether a pool is one. One that is damaged is not. */
    public static boolean isIn(Image image, long bytes) {
        long at = root(image, bytes);
        if (at == 0) {
            return false;
        }
        byte[] root = new byte[RootLayout.BYTES];
        image.read(at, root, root.length);
        return RootLayout.isBeingLoaded(ByteBuffer.wrap(root).order(ByteOrder.LITTLE_ENDIAN));
    }

    /** Where the root object of typed objects is; 0: there is none. */
    private static long root(Image image, long bytes) {
        if (bytes < Descriptor.END) {
            return 0;
        }
        byte[] start = new byte[(int) Descriptor.END];
        image.read(0, start, start.length);
        MemorySegment segment = MemorySegment.ofArray(start);
        if (Descriptor.faultIn(segment) != null) {
            return 0;
        }
        Descriptor descriptor = new Descriptor(HeapWalk.readOnly(segment));
        long root = descriptor.rootOffset();
        boolean typed =
                descriptor.layout().equals(RootLayout.LAYOUT)
                        && descriptor.rootSize() >= RootLayout.BYTES
                        && root >= Descriptor.END
                        && root <= bytes - RootLayout.BYTES;
        return typed ? root : 0;
    }

    /**
     * The same of a local replica that is whole, as it would be after a recovery. No lock is taken,
     * and nothing is changed.
     */
    public static boolean isIn(PoolSet set, int replica) {
        LocalReplica local = set.localReplicas().get(replica);
        try {
            Image files = (offset, to, length) -> read(set, local, offset, to, length);
            byte[] page = new byte[(int) PoolHeader.SIZE];
            files.read(0, page, page.length);
            PoolHeader header = new PoolHeader(MemorySegment.ofArray(page));
            if (!header.isMarked()) {
                return isIn(files, set.poolSize());
            }
            try (JournalLook journal = JournalLook.ofReplica(set, replica, header, header)) {
                return journal.fault() == null && isIn(through(journal, files), set.poolSize());
            }
        } catch (FarheapException unreadable) {
            return false; // who opens it says so
        }
    }

    private static Image through(JournalLook journal, Image files) {
        return (offset, to, length) -> {
            if (offset > MOST_BEFORE_ROOT) {
                files.read(offset, to, length);
                return;
            }
            byte[] start = new byte[(int) offset + length];
            files.read(0, start, start.length);
            journal.bringTo(MemorySegment.ofArray(start));
            System.arraycopy(start, (int) offset, to, 0, length);
        };
    }

    private static void read(PoolSet set, LocalReplica local, long offset, byte[] to, int length) {
        Arrays.fill(to, 0, length, (byte) 0);
        long start = 0;
        for (int p = 0; p < local.parts().size(); p++) {
            long end = start + set.imageSize(local, p);
            long from = Math.max(offset, start);
            long until = Math.min(offset + length, end);
            if (from < until) {
                ByteBuffer piece = ByteBuffer.wrap(to, (int) (from - offset), (int) (until - from));
                read(local.parts().get(p).path(), piece, set.imageStart(p) + from - start);
            }
            start = end;
        }
    }

    private static void read(Path file, ByteBuffer piece, long at) {
        try (FileChannel channel = FileChannel.open(file)) {
            long next = at;
            while (piece.hasRemaining()) {
                int count = channel.read(piece, next);
                if (count < 0) {
                    return; // it was cut off: the rest is zeros
                }
                next += count;
            }
        } catch (IOException e) {
            throw FarheapException.environment(e, "%s: %s", file, e.getMessage());
        }
    }
}
