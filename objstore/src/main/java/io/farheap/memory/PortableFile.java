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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An open file, by the one channel of Java that an interrupt of the calling thread does not close,
 * and with it the lock. Kept open by whoever {@link #retain}s it.
 */
final class PortableFile {
    /** Behind everything that a file has: where locks are mandatory, content stays readable. */
    static final long LOCKED_BYTE = Long.MAX_VALUE - 1;

    private static final Logger LOG = LoggerFactory.getLogger(PortableFile.class);

    private static final boolean WINDOWS =
            System.getProperty("os.name").toLowerCase(Locale.ROOT).startsWith("windows");

    /** Whether a directory can be opened as a file is. */
    static final boolean HAS_DIRECTORIES = !WINDOWS;

    private final AsynchronousFileChannel channel;
    private final boolean writable;
    private final Object key;
    private volatile Path path;
    private FileLock lock;

    /** Null where locks of this file do not get lost, or no file can be made beside it. */
    private PortableLock beside;

    private int users = 1;

    private PortableFile(Path path, Object key, boolean writable, AsynchronousFileChannel channel) {
        this.path = path;
        this.key = key;
        this.writable = writable;
        this.channel = channel;
    }

    static PortableFile open(
            Path path, Set<OpenOption> options, boolean writable, FileAttribute<?>... attributes)
            throws IOException {
        AsynchronousFileChannel channel =
                AsynchronousFileChannel.open(path, options, executor(), attributes);
        try {
            return new PortableFile(path, PortableFiles.key(path), writable, channel);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /** On Windows its threads wait for work from the system, and must not be the caller's. */
    static ExecutorService executor() {
        return WINDOWS ? null : new CallersThread();
    }

    /** As it was opened, or renamed to. */
    Path path() {
        return path;
    }

    /** Its lock is one of the new name from here on, unless somebody else has that. */
    void renamed(Path name) throws IOException {
        path = name;
        PortableLock old = beside;
        if (old != null && tryLockBeside()) {
            old.release();
        } else {
            beside = old;
        }
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
        } catch (OverlappingFileLockException e) {
            return false; // somebody else in this process
        }
        if (lock == null) {
            return false;
        }
        boolean taken = false;
        try {
            taken = WINDOWS || tryLockBeside();
        } finally {
            if (!taken) {
                unlock();
            }
        }
        return taken;
    }

    private boolean tryLockBeside() throws IOException {
        try {
            beside = PortableLock.tryTake(path);
            return beside != null;
        } catch (PortableLock.CannotBeMadeException e) {
            LOG.debug("{} is locked by itself alone: {}", path, e.getMessage());
            return true;
        }
    }

    void unlock() throws IOException {
        FileLock held = lock;
        PortableLock other = beside;
        lock = null;
        beside = null;
        try (Closing both = other == null ? () -> {} : other::release) {
            if (held != null) {
                held.release();
            }
        }
    }

    private interface Closing extends AutoCloseable {
        @Override
        void close() throws IOException;
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

    static int await(Future<Integer> result) throws IOException {
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
