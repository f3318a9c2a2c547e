package io.farheap.memory;

import io.farheap.memory.MappedImage.Share;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * The files of an image, read and written past its mapping: for bytes that are moved once and not
 * looked at again. A mapping costs a fault for the pages that it shows, and as much again when it
 * ends; the kernel keeps both views the same.
 */
final class ImageFiles {
    private ImageFiles() {}

    private interface Transfer {
        /**
         * @return how many bytes of the piece were moved
         */
        long move(NativeFile file, MemorySegment piece, long fileOffset);
    }

    /**
     * Fills the buffer with what the files have from an image offset on.
     *
     * @param buffer native
     * @return false: a file ends too early
     */
    static boolean read(Share[] shares, long offset, MemorySegment buffer) {
        return each(shares, offset, buffer, NativeFile::read);
    }

    /**
     * Writes the buffer to an image offset.
     *
     * @param buffer native
     */
    static void write(Share[] shares, long offset, MemorySegment buffer) {
        boolean unused =
                each(
                        shares,
                        offset,
                        buffer,
                        (file, piece, at) -> {
                            file.write(piece, at);
                            return piece.byteSize();
                        });
    }

    private static boolean each(
            Share[] shares, long offset, MemorySegment buffer, Transfer transfer) {
        long end = offset + buffer.byteSize();
        long start = 0;
        for (Share share : shares) {
            long from = Math.max(offset, start);
            long to = Math.min(end, start + share.length());
            if (from < to) {
                MemorySegment piece = buffer.asSlice(from - offset, to - from);
                long moved = transfer.move(share.file(), piece, share.offset() + from - start);
                if (moved < piece.byteSize()) {
                    return false;
                }
            }
            start += share.length();
        }
        Objects.checkFromIndexSize(offset, buffer.byteSize(), start);
        return true;
    }
}
