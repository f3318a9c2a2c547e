package io.farheap.memory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A lock on a file beside another one, which nothing opens but who locks: POSIX lets the locks of a
 * process on a file go when anything in it opens and closes that file. The file is removed when the
 * lock is let go; a killed process leaves it, and the next one takes it.
 */
final class PortableLock {
    /** What it has behind the other file's name. */
    static final String SUFFIX = ".portable-lock";

    private static final int MOST_BYTES = 1 << 16;

    /** Those of this process: to open one a second time, and close it, would let the lock go. */
    private static final Set<Path> TAKEN = ConcurrentHashMap.newKeySet();

    private final Path path;
    private final AsynchronousFileChannel channel;
    private final FileLock lock;

    private PortableLock(Path path, AsynchronousFileChannel channel, FileLock lock) {
        this.path = path;
        this.channel = channel;
        this.lock = lock;
    }

    static Path beside(Path file) {
        return file.resolveSibling(file.getFileName() + SUFFIX);
    }

    /**
     * At once or not at all.
     *
     * @return null where somebody else has it
     * @throws CannotBeMadeException where this user may make no file there
     */
    static PortableLock tryTake(Path file) throws IOException {
        Path path = beside(file).toAbsolutePath().normalize();
        if (!TAKEN.add(path)) {
            return null;
        }
        PortableLock taken = null;
        try {
            taken = tryTakeFree(path);
        } finally {
            if (taken == null) {
                boolean unused = TAKEN.remove(path);
            }
        }
        return taken;
    }

    private static PortableLock tryTakeFree(Path path) throws IOException {
        while (true) {
            AsynchronousFileChannel channel = opened(path);
            try {
                FileLock lock = tryLock(channel);
                if (lock == null) {
                    channel.close();
                    return null;
                }
                if (isAt(path, channel)) {
                    return new PortableLock(path, channel, lock);
                }
            } catch (IOException | RuntimeException e) {
                channel.close();
                throw e;
            }
            channel.close();
        }
    }

    /**
     * Who had the lock may have removed the file in between. Nothing tells by a channel which file
     * it has, and to open the path once more would let the lock go: so only who has the lock gives
     * the file its size, and anybody can see that.
     */
    private static boolean isAt(Path path, AsynchronousFileChannel channel) throws IOException {
        int size = 1 + new SecureRandom().nextInt(MOST_BYTES);
        AsynchronousFileChannel unused = channel.truncate(0);
        int written = PortableFile.await(channel.write(ByteBuffer.allocate(1), size - 1L));
        try {
            return written == 1 && Files.size(path) == size;
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    private static AsynchronousFileChannel opened(Path path) throws IOException {
        try {
            return AsynchronousFileChannel.open(
                    path,
                    Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE),
                    PortableFile.executor());
        } catch (AccessDeniedException e) {
            throw new CannotBeMadeException(e);
        } catch (FileSystemException e) {
            if (String.valueOf(e.getReason()).contains("Read-only file system")) {
                throw new CannotBeMadeException(e);
            }
            throw e;
        }
    }

    private static FileLock tryLock(AsynchronousFileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null;
        }
    }

    void release() throws IOException {
        try (channel) {
            boolean unused = Files.deleteIfExists(path);
            lock.release();
        } finally {
            boolean unused = TAKEN.remove(path);
        }
    }

    /** There is none; the record lock on the file itself is all that excludes. */
    static final class CannotBeMadeException extends IOException {
        private static final long serialVersionUID = 1;

        CannotBeMadeException(IOException cause) {
            super(cause.getMessage(), cause);
        }
    }
}
