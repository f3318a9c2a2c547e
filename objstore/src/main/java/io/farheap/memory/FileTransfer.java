package io.farheap.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Reads and writes of any length and out of any memory, made of what one system call does: that
 * takes native memory only, and may do less than was asked. Thread-safe.
 */
final class FileTransfer {
    private static final long PIECE = 1 << 20;

    private final NativeFile file;

    FileTransfer(NativeFile file) {
        this.file = file;
    }

    /**
     * Reads from {@code offset} on until the buffer is full or the file ends.
     *
     * @return how many bytes there were
     */
    long read(MemorySegment buffer, long offset) {
        if (buffer.isNative()) {
            return readNative(buffer, offset);
        }
        long at = 0;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment piece = arena.allocate(Math.min(PIECE, buffer.byteSize()));
            long read = piece.byteSize();
            while (at < buffer.byteSize() && read == piece.byteSize()) {
                long asked = Math.min(piece.byteSize(), buffer.byteSize() - at);
                read = readNative(piece.asSlice(0, asked), offset + at);
                MemorySegment.copy(piece, 0, buffer, at, read);
                at += read;
            }
        }
        return at;
    }

    private long readNative(MemorySegment buffer, long offset) {
        long at = 0;
        long read = 1;
        while (at < buffer.byteSize() && read > 0) {
            read = file.readSome(buffer.asSlice(at), offset + at);
            at += read;
        }
        return at;
    }

    /** Writes all of the buffer to {@code offset} of the file and behind it. */
    void write(MemorySegment buffer, long offset) {
        if (buffer.isNative()) {
            writeNative(buffer, offset);
            return;
        }
        long at = 0;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment piece = arena.allocate(Math.min(PIECE, buffer.byteSize()));
            while (at < buffer.byteSize()) {
                long length = Math.min(piece.byteSize(), buffer.byteSize() - at);
                MemorySegment.copy(buffer, at, piece, 0, length);
                writeNative(piece.asSlice(0, length), offset + at);
                at += length;
            }
        }
    }

    private void writeNative(MemorySegment buffer, long offset) {
        long at = 0;
        while (at < buffer.byteSize()) {
            at += file.writeSome(buffer.asSlice(at), offset + at);
        }
    }
}
