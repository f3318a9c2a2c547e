package io.farheap.memory;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * What this package asks the kernel for: each call that can fail, so that tests can make it fail.
 * Everything that makes, changes, syncs or removes a file of ours goes through it.
 *
 * <p>Each answers as the kernel does: a result that is not negative, or the negative errno. None
 * tries again by itself.
 */
abstract class SystemCalls {
    private static volatile SystemCalls installed;

    SystemCalls() {}

    /** Those in force: the kernel's own, but for tests. */
    static SystemCalls current() {
        SystemCalls calls = installed;
        return calls != null ? calls : kernel();
    }

    private static synchronized SystemCalls kernel() {
        if (installed == null) {
            Platform.current();
            installed = new LibC();
        }
        return installed;
    }

    /** Puts others in force, for the whole process. */
    static synchronized void install(SystemCalls calls) {
        installed = calls;
    }

    /** A descriptor of the file. */
    abstract int open(String path, int flags, int mode);

    abstract int close(int descriptor);

    /** Reads into the buffer from {@code offset} of the file on; how many bytes, 0 at its end. */
    abstract long read(int descriptor, MemorySegment buffer, long offset);

    /** Writes the buffer to {@code offset} of the file; how many bytes of it. */
    abstract long write(int descriptor, MemorySegment buffer, long offset);

    abstract int truncate(int descriptor, long size);

    /** Reserves space; zeros where the file had none. */
    abstract int allocate(int descriptor, long offset, long length);

    abstract int setMode(int descriptor, int mode);

    abstract int setOwner(int descriptor, int user, int group);

    /** Content, size and all else of the file are on the medium after it. */
    abstract int sync(int descriptor);

    abstract int lock(int descriptor, int operation);

    /** The size of the file in bytes. */
    abstract long size(int descriptor);

    /**
     * The same; a test's kernel may answer as it does there. On the hot path: allocates nothing.
     */
    long sizeNow(int descriptor) {
        return size(descriptor);
    }

    /** The address of the new mapping. */
    abstract long map(
            long address, long length, int protection, int flags, int descriptor, long offset);

    abstract int unmap(long address, long length);

    /** The pages are on the medium after it. On the hot path: allocates nothing. */
    abstract int syncPages(long address, long length);

    /** One byte for each page, its lowest bit set where the page is in memory. */
    abstract int residentPages(long address, long length, MemorySegment pages);

    abstract int rename(String from, String to);

    abstract int unlink(String path);

    /**
     * Starts a program; its streams are pipes.
     *
     * @throws IOException instead of a negative errno
     */
    abstract Process start(List<String> command) throws IOException;
}
