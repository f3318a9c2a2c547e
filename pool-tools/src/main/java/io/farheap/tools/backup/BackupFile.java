package io.farheap.tools.backup;

import io.farheap.base.FarheapException;
import io.farheap.layout.PoolHeader;
import io.farheap.memory.NativeFile;
import io.farheap.pool.FileStatus;
import io.farheap.tools.command.LongWork;
import io.farheap.tools.report.Progress;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Optional;
import java.util.zip.Inflater;

/**
 * A backup that is there: beginning, end and index were looked at when it was opened, and what they
 * say of sizes is right. For one thread.
 */
final class BackupFile implements AutoCloseable {
    private final NativeFile file;
    private final BackupBytes bytes;
    private final BackupHeader header;
    private final BackupTrailer trailer;

    /** Takes the content of a piece. */
    interface Visitor {
        /**
         * @param from where it begins in {@code content}
         */
        void piece(long piece, byte[] content, int from);
    }

    private BackupFile(NativeFile file) {
        this.file = file;
        this.bytes = new BackupBytes(file);
        long size = file.size();
        if (size < BackupHeader.SIZE + BackupTrailer.SIZE) {
            throw FarheapException.badData(
                    "%s has %s bytes: it is no backup, or was cut off", file.path(), size);
        }
        byte[] head = new byte[BackupHeader.SIZE];
        bytes.read(head, head.length, 0);
        header = BackupHeader.decode(file.path(), head);
        byte[] end = new byte[BackupTrailer.SIZE];
        bytes.read(end, end.length, size - end.length);
        trailer = BackupTrailer.decode(file.path(), end, size, header);
        requireSeal(head);
        if (!header.ofPool().signature().equals(PoolHeader.SIGNATURE)) {
            throw BackupHeader.damaged(file.path(), "it has no header of a pool");
        }
    }

    private void requireSeal(byte[] head) {
        MessageDigest digest = PieceHashes.digest();
        digest.update(head);
        PieceIndex index = index();
        while (index.next(digest)) {
            continue;
        }
        if (!Arrays.equals(digest.digest(), trailer.seal())) {
            throw BackupHeader.damaged(file.path(), "its seal is wrong");
        }
    }

    /**
     * @throws FarheapException BAD_DATA for what is no backup or a damaged one, ENVIRONMENT where
     *     nothing can be read
     */
    static BackupFile open(Path path) {
        FileStatus found = FileStatus.of(path);
        if (!found.exists()) {
            throw FarheapException.environment(
                    "%s: No such file or directory; name a backup that is there", path);
        }
        if (!found.isRegular()) {
            throw FarheapException.badData("%s is no regular file: name a backup", path);
        }
        NativeFile file = NativeFile.openReadOnly(path);
        try {
            return new BackupFile(file);
        } catch (Throwable e) {
            file.close();
            throw e;
        }
    }

    /** The beginning of a file, whatever the rest is; empty where it is none of a backup's. */
    static Optional<BackupHeader> headerOf(Path path) {
        try {
            return FileStatus.of(path).isRegular()
                    ? Optional.of(readHeader(path))
                    : Optional.empty();
        } catch (FarheapException e) {
            return Optional.empty();
        }
    }

    private static BackupHeader readHeader(Path path) {
        try (NativeFile file = NativeFile.openReadOnly(path)) {
            byte[] head = new byte[BackupHeader.SIZE];
            new BackupBytes(file).read(head, head.length, 0);
            return BackupHeader.decode(path, head);
        }
    }

    Path path() {
        return file.path();
    }

    BackupHeader header() {
        return header;
    }

    byte[] seal() {
        return trailer.seal();
    }

    long fileBytes() {
        return trailer.fileBytes();
    }

    /** How many pieces it has. */
    long pieces() {
        return trailer.entries();
    }

    private PieceIndex index() {
        return new PieceIndex(bytes, header, trailer);
    }

    /** Lays what it has over what it builds on. */
    void addTo(PieceHashes hashes) {
        byte[] hash = new byte[PieceHashes.BYTES];
        PieceIndex index = index();
        while (index.next(null)) {
            index.copyHash(hash);
            hashes.put(index.piece(), hash);
        }
    }

    /**
     * Reads all content, each piece of which is what the index says.
     *
     * @throws FarheapException BAD_DATA where one is not
     */
    void each(Visitor visitor) {
        Inflater inflater = new Inflater(true);
        try {
            each(visitor, inflater);
        } finally {
            inflater.end();
        }
    }

    /**
     * The same, for nothing but that.
     *
     * @param work how fast it goes
     */
    void verify(LongWork work) {
        try (Progress progress = work.begin("verifying", pieces() * BackupHeader.PIECE)) {
            each(
                    (piece, content, from) -> {
                        work.pacer().take(BackupHeader.PIECE);
                        progress.advanced(BackupHeader.PIECE);
                    });
            progress.complete();
        }
    }

    private void each(Visitor visitor, Inflater inflater) {
        PieceIndex index = index();
        MessageDigest digest = PieceHashes.digest();
        byte[] head = new byte[PieceFrame.HEAD_BYTES];
        byte[] stored = new byte[PieceFrame.MOST_BYTES];
        byte[] content = new byte[PieceFrame.MOST_BYTES];
        long at = BackupHeader.SIZE;
        while (at < trailer.indexOffset()) {
            if (trailer.indexOffset() - at < head.length) {
                throw BackupHeader.damaged(path(), "what begins at byte " + at + " is no content");
            }
            bytes.read(head, head.length, at);
            PieceFrame frame = PieceFrame.decode(path(), head, at, trailer.indexOffset());
            bytes.read(stored, frame.stored(), at + head.length);
            frame.unpack(path(), stored, inflater, content);
            for (int i = 0; i < frame.count(); i++) {
                int from = i * BackupHeader.PIECE;
                boolean right =
                        index.next(null)
                                && index.piece() == frame.first() + i
                                && index.has(PieceHashes.of(digest, content, from));
                if (!right) {
                    throw BackupHeader.damaged(
                            path(), "piece " + (frame.first() + i) + " is not what its index says");
                }
                visitor.piece(frame.first() + i, content, from);
            }
            at += head.length + frame.stored();
        }
        if (index.next(null)) {
            throw BackupHeader.damaged(path(), "piece " + index.piece() + " is missing");
        }
    }

    @Override
    public void close() {
        file.close();
    }
}
