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
public abstract class SystemCalls {
    private static volatile SystemCalls installed;

    protected SystemCalls() {}

    /** Those in force: the kernel's own, or the portable persistence's, but for tests. */
    public static SystemCalls current() {
        SystemCalls calls = installed;
        return calls != null ? calls : kernel();
    }

    private static synchronized SystemCalls kernel() {
        if (installed == null) {
            Platform.requireLittleEndian();
            if (PortablePersistence.isUsed()) {
                installed = new PortableCalls();
            } else {
                Platform.requireKnown();
                if (!Platform.current().hasAlwaysSmallPages()) {
                    Platform.requirePages(LibC.pageSize());
                }
                installed = new LibC();
            }
        }
        return installed;
    }

    /** Puts others in force, for the whole process. */
    public static synchronized void install(SystemCalls calls) {
        installed = calls;
    }

    /** A descriptor of the file. */
    public abstract int open(String path, int flags, int mode);

    public abstract int close(int descriptor);

    /** Reads into the buffer from {@code offset} of the file on; how many bytes, 0 at its end. */
    public abstract long read(int descriptor, MemorySegment buffer, long offset);

    /** Writes the buffer to {@code offset} of the file; how many bytes of it. */
    public abstract long write(int descriptor, MemorySegment buffer, long offset);

    public abstract int truncate(int descriptor, long size);

    /** Reserves space; zeros where the file had none. */
    public abstract int allocate(int descriptor, long offset, long length);

    public abstract int setMode(int descriptor, int mode);

    public abstract int setOwner(int descriptor, int user, int group);

    /** Content, size and all else of the file are on the medium after it. */
    public abstract int sync(int descriptor);

    /** As {@link #sync}, but for what tells of the file and is not needed to read it. */
    public int syncData(int descriptor) {
        return sync(descriptor);
    }

    /** As {@link #write}, of memory by its address. On the hot path: allocates nothing. */
    public long writeNow(int descriptor, long address, long length, long offset) {
        return write(descriptor, MemorySegment.ofAddress(address).reinterpret(length), offset);
    }

    public abstract int lock(int descriptor, int operation);

    /**
     * Where the file's bytes lie on a block device; changes nothing.
     *
     * @param map a {@code struct fiemap} with room for extents (layout:
     *     include/uapi/linux/fiemap.h)
     */
    public int extents(int descriptor, MemorySegment map) {
        return -LibC.ENOTTY;
    }

    /** The size of the file in bytes. */
    public abstract long size(int descriptor);

    /**
     * The same; a test's kernel may answer as it does there. On the hot path: allocates nothing.
     */
    long sizeNow(int descriptor) {
        return size(descriptor);
    }

    /** The address of the new mapping. */
    public abstract long map(
            long address, long length, int protection, int flags, int descriptor, long offset);

    public abstract int unmap(long address, long length);

    /** The pages are on the medium after it. On the hot path: allocates nothing. */
    public abstract int syncPages(long address, long length);

    /** One byte for each page, its lowest bit set where the page is in memory. */
    public abstract int residentPages(long address, long length, MemorySegment pages);

    /**
     * {@code madvise(MADV_DONTNEED)}: pages of a private mapping that were stored to become the
     * file's again.
     */
    public abstract int dropPages(long address, long length);

    public abstract int rename(String from, String to);

    public abstract int unlink(String path);

    /**
     * Starts a program; its streams are pipes.
     *
     * @throws IOException instead of a negative errno
     */
    public abstract Process start(List<String> command) throws IOException;
}
