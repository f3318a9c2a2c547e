package io.farheap.memory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * An open file, by the one channel of Java that an interrupt of the calling thread does not close,
 * and with it the lock. Kept open by whoever {@link #retain}s it.
 */
final class PortableFile {
    /** Behind everything that a file has: where locks are mandatory, content stays readable. */
    static final long LOCKED_BYTE = Long.MAX_VALUE - 1;

    private static final boolean WINDOWS =
            System.getProperty("os.name").toLowerCase(Locale.ROOT).startsWith("windows");

    /** Whether a directory can be opened as a file is. */
    static final boolean HAS_DIRECTORIES = !WINDOWS;

    private final AsynchronousFileChannel channel;
    private final boolean writable;
    private final Object key;
    private volatile Path path;
    private FileLock lock;
    private int users = 1;

    private PortableFile(
            Path path, Object key, boolean writable, AsynchronousFileChannel channel) {
        this.path = path;
        this.key = key;
        this.writable = writable;
        this.channel = channel;
    }

    static PortableFile open(
            Path path, Set<OpenOption> options, boolean writable, FileAttribute<?>... attributes)
            throws IOException {
        // Elsewhere its threads are handed in work of the system's, and must not be the caller's.
        ExecutorService executor = WINDOWS ? null : new CallersThread();
        AsynchronousFileChannel channel =
                AsynchronousFileChannel.open(path, options, executor, attributes);
        try {
            return new PortableFile(path, PortableFiles.key(path), writable, channel);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /** As it was opened, or renamed to. */
    Path path() {
        return path;
    }

    void renamed(Path name) {
        path = name;
    }

    boolean isWritable() {
        return writable;
    }

    /** The same for all that is opened of one file; null where the system does not tell. */
    Object key() {
        return key;
    }

    int read(ByteBuffer target, long offset) throws IOException {
        return Math.max(0, await(channel.read(target, offset)));
    }

    int write(ByteBuffer source, long offset) throws IOException {
        return await(channel.write(source, offset));
    }

    long size() throws IOException {
        return channel.size();
    }

    /** Makes it shorter; does nothing where it is not longer. */
    void cut(long size) throws IOException {
        AsynchronousFileChannel unused = channel.truncate(size);
    }

    void force(boolean metaData) throws IOException {
        channel.force(metaData);
    }

    /**
     * Excludes who wants the same, at once or not at all. Who may only read the file excludes
     * writers, and other processes that may only read it don't exclude each other.
     */
    boolean tryLock() throws IOException {
        if (lock != null) {
            return true;
        }
        try {
            lock = channel.tryLock(LOCKED_BYTE, 1, !writable);
            return lock != null;
        } catch (OverlappingFileLockException e) {
            return false; // somebody else in this process
        }
    }

    void unlock() throws IOException {
        FileLock held = lock;
        lock = null;
        if (held != null) {
            held.release();
        }
    }

    boolean isLocked() {
        return lock != null;
    }

    /** To be called where {@link PortableFiles} has its lock. */
    void retain() {
        users++;
    }

    /**
     * The same.
     *
     * @return whether nobody uses it any more
     */
    boolean release() {
        return --users == 0;
    }

    void close() throws IOException {
        channel.close();
    }

    private static int await(Future<Integer> result) throws IOException {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return result.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (ExecutionException e) {
                    throw e.getCause() instanceof IOException known
                            ? known
                            : new IOException(e.getCause());
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Has nothing to end. */
    private static final class CallersThread extends AbstractExecutorService {
        @Override
        public void execute(Runnable task) {
            task.run();
        }

        @Override
        public void shutdown() {
            throw new UnsupportedOperationException("the caller's thread goes on");
        }

        @Override
        public List<Runnable> shutdownNow() {
            throw new UnsupportedOperationException("the caller's thread goes on");
        }

        @Override
        public boolean isShutdown() {
            return false;
        }

        @Override
        public boolean isTerminated() {
            return false;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return false;
        }
    }
}
