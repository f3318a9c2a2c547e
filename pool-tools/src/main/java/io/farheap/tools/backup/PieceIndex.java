package io.farheap.tools.backup;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.security.MessageDigest;

/**
 * Which pieces a backup has, and what they must be; little-endian, ascending, an entry for each:
 *
 * <pre>
 *   0 +----------+----------------------+
 *     | piece  8 | hash              32 |  see {@link PieceHashes}
 *  40 +----------+----------------------+
 * </pre>
 *
 * Read from its start to its end. For one thread.
 */
final class PieceIndex {
    static final int ENTRY_BYTES = 40;
    private static final int HASH = 8;
    private static final int READ_TOGETHER = 1024;

    private final BackupBytes file;
    private final BackupTrailer trailer;
    private final long pieces;
    private final ByteBuffer buffer =
            ByteBuffer.allocate(READ_TOGETHER * ENTRY_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private long read;
    private long last = -1;
    private int at = -ENTRY_BYTES;

    PieceIndex(BackupBytes file, BackupHeader header, BackupTrailer trailer) {
        this.file = file;
        this.trailer = trailer;
        this.pieces = BackupHeader.pieces(header.imageBytes());
        buffer.limit(0);
    }

    static void put(ByteBuffer to, long piece, PieceHashes hashes) {
        to.putLong(piece);
        hashes.copyTo(piece, to);
    }

    /**
     * Goes to the next entry.
     *
     * @param digest gets what is read; null: none
     * @return false: there is none
     */
    boolean next(MessageDigest digest) {
        at += ENTRY_BYTES;
        if (at >= buffer.limit()) {
            if (read == trailer.entries()) {
                return false;
            }
            fill(digest);
        }
        if (piece() <= last || piece() >= pieces) {
            throw BackupHeader.damaged(path(), "its index is not in order");
        }
        last = piece();
        return true;
    }

    private void fill(MessageDigest digest) {
        int count = (int) Math.min(READ_TOGETHER, trailer.entries() - read);
        buffer.limit(count * ENTRY_BYTES);
        file.read(buffer.array(), buffer.limit(), trailer.indexOffset() + read * ENTRY_BYTES);
        if (digest != null) {
            digest.update(buffer.array(), 0, buffer.limit());
        }
        read += count;
        at = 0;
    }

    private Path path() {
        return file.path();
    }

    /** Of the entry that {@link #next} went to. */
    long piece() {
        return buffer.getLong(at);
    }

    /** Whether that entry has this hash. */
    boolean has(byte[] hash) {
        return buffer.slice(at + HASH, PieceHashes.BYTES).equals(ByteBuffer.wrap(hash));
    }

    /** Copies that entry's. */
    void copyHash(byte[] to) {
        buffer.get(at + HASH, to);
    }
}
