package io.farheap.memory;

import io.farheap.memory.MappedImage.Share;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** The pool files of one replica, laid one behind the other as its image is. */
public final class ImageDisk implements DiskFile {
    private volatile List<Share> shares;

    /** The files are open, and stay so. */
    public ImageDisk(List<Share> shares) {
        this.shares = List.copyOf(shares);
    }

    /** One more file behind the others. */
    public void append(Share share) {
        List<Share> longer = new ArrayList<>(shares);
        longer.add(share);
        shares = List.copyOf(longer);
    }

    /** What is done with a piece of a file. */
    private interface Piece {
        long of(NativeFile file, MemorySegment part, long at);
    }

    private long each(MemorySegment buffer, long at, long length, long offset, Piece action) {
        Objects.checkFromIndexSize(at, length, buffer.byteSize());
        long done = 0;
        long start = 0;
        for (Share share : shares) {
            long from = Math.max(offset + done, start);
            long to = Math.min(offset + length, start + share.length());
            if (from < to) {
                MemorySegment part = buffer.asSlice(at + from - offset, to - from);
                done += action.of(share.file(), part, share.offset() + from - start);
            }
            start += share.length();
        }
        return done;
    }

    @Override
    public long read(MemorySegment buffer, long at, long length, long offset) {
        return each(buffer, at, length, offset, NativeFile::read);
    }

    @Override
    public void write(MemorySegment buffer, long at, long length, long offset) {
        long unused =
                each(
                        buffer,
                        at,
                        length,
                        offset,
                        (file, part, to) -> {
                            file.write(part, to);
                            return part.byteSize();
                        });
    }

    @Override
    public void sync() {
        shares.forEach(share -> share.file().syncData());
    }
}
