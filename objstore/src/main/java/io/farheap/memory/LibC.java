package io.farheap.memory;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.List;

/** The kernel, by the C library; and those of its numbers that are the same on each machine. */
class LibC extends SystemCalls {
    static final int O_RDWR = 2;
    static final int O_CREAT = 0x40;
    static final int O_EXCL = 0x80;
    static final int O_DSYNC = 0x1000;
    static final int O_CLOEXEC = 0x80000;

    static final int PROT_NONE = 0;
    static final int PROT_READ = 1;
    static final int PROT_READ_WRITE = 3;
    static final int MAP_SHARED = 1;
    static final int MAP_PRIVATE = 2;
    static final int MAP_SHARED_VALIDATE = 3;
    static final int MAP_FIXED = 0x10;
    static final int MAP_ANONYMOUS = 0x20;
    static final int MAP_NORESERVE = 0x4000;
    static final int MAP_SYNC = 0x80000;
    static final int MS_SYNC = 4;
    static final int DONT_NEED = 4;
    static final long FROM_END = 2;

    static final int LOCK_EXCLUSIVE_NOW = 2 | 4;
    static final int UNLOCK = 8;

    static final int EINTR = 4;
    static final int EIO = 5;
    static final int EAGAIN = 11;
    static final int EACCES = 13;
    static final int EEXIST = 17;
    static final int EINVAL = 22;
    static final int ENOENT = 2;
    static final int ENOTTY = 25;

    /** FS_IOC_FIEMAP. */
    private static final long FIEMAP = 0xC020660BL;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final StructLayout ERRNO_STATE = Linker.Option.captureStateLayout();
    private static final long ERRNO =
            ERRNO_STATE.byteOffset(MemoryLayout.PathElement.groupElement("errno"));

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    /**
     * Linux passes six integers in registers, of which a function looks at as many, and at as much
     * of each, as it has parameters; and what is variadic as anything else.
     */
    private static final FunctionDescriptor SIX_WORDS =
            FunctionDescriptor.of(LONG, LONG, LONG, LONG, LONG, LONG, LONG);

    /** To link a function takes milliseconds: this calls any that is given to it. */
    private static final MethodHandle CALL =
            LINKER.downcallHandle(SIX_WORDS, Linker.Option.captureCallState("errno"));

    private static final MemorySegment OPEN = function("open");
    private static final MemorySegment CLOSE = function("close");
    private static final MemorySegment FLOCK = function("flock");
    private static final MemorySegment LSEEK = function("lseek");
    private static final MemorySegment MMAP = function("mmap");
    private static final MemorySegment MUNMAP = function("munmap");
    private static final MemorySegment MADVISE = function("madvise");
    private static final MemorySegment MINCORE = function("mincore");
    private static final MemorySegment PREAD = function("pread");
    private static final MemorySegment PWRITE = function("pwrite");
    private static final MemorySegment IOCTL = function("ioctl");
    private static final MemorySegment FSYNC = function("fsync");
    private static final MemorySegment FCHMOD = function("fchmod");
    private static final MemorySegment FCHOWN = function("fchown");
    private static final MemorySegment FALLOCATE = function("posix_fallocate");
    private static final MemorySegment FTRUNCATE = function("ftruncate");
    private static final MemorySegment RENAME = function("rename");
    private static final MemorySegment UNLINK = function("unlink");

    private static final class Syncing {
        static final MethodHandle MSYNC =
                LINKER.downcallHandle(
                        function("msync"), FunctionDescriptor.of(INT, LONG, LONG, INT));
        static final MethodHandle LSEEK =
                LINKER.downcallHandle(
                        function("lseek"), FunctionDescriptor.of(LONG, LONG, LONG, LONG));
        static final MethodHandle MSYNC_WITH_ERRNO =
                LINKER.downcallHandle(
                        function("msync"),
                        FunctionDescriptor.of(INT, LONG, LONG, INT),
                        Linker.Option.captureCallState("errno"));
    }

    /** Each commit on an ordinary disk ends with one of these: without errno, which allocates. */
    private static final class Journaling {
        static final MethodHandle PWRITE = LINKER.downcallHandle(function("pwrite"), SIX_WORDS);
        static final MethodHandle FDATASYNC =
                LINKER.downcallHandle(function("fdatasync"), SIX_WORDS);
    }

    private static final class Errors {
        static final MethodHandle STRERROR =
                LINKER.downcallHandle(
                        function("strerror"), FunctionDescriptor.of(ValueLayout.ADDRESS, INT));
    }

    LibC() {}

    private static MemorySegment function(String name) {
        return LINKER.defaultLookup().findOrThrow(name);
    }

    private static MemorySegment newErrnoState(Arena arena) {
        return arena.allocate(ERRNO_STATE);
    }

    @Override
    public int open(String path, int flags, int mode) {
        try (Arena arena = Arena.ofConfined()) {
            return callForInt(OPEN, arena.allocateFrom(path).address(), flags, mode);
        }
    }

    @Override
    public int close(int descriptor) {
        return callForInt(CLOSE, descriptor, 0, 0);
    }

    @Override
    public long read(int descriptor, MemorySegment buffer, long offset) {
        return callForLong(PREAD, descriptor, buffer.address(), buffer.byteSize(), offset, 0, 0);
    }

    @Override
    public long write(int descriptor, MemorySegment buffer, long offset) {
        return callForLong(PWRITE, descriptor, buffer.address(), buffer.byteSize(), offset, 0, 0);
    }

    @Override
    public int extents(int descriptor, MemorySegment map) {
        return callForInt(IOCTL, descriptor, FIEMAP, map.address());
    }

    @Override
    public int truncate(int descriptor, long size) {
        return callForInt(FTRUNCATE, descriptor, size, 0);
    }

    @Override
    public int setOwner(int descriptor, int user, int group) {
        return callForInt(FCHOWN, descriptor, user, group);
    }

    /** Unlike the other calls posix_fallocate returns its error. */
    @Override
    public int allocate(int descriptor, long offset, long length) {
        return -callForInt(FALLOCATE, descriptor, offset, length);
    }

    @Override
    public int setMode(int descriptor, int mode) {
        return callForInt(FCHMOD, descriptor, mode, 0);
    }

    @Override
    public int sync(int descriptor) {
        return callForInt(FSYNC, descriptor, 0, 0);
    }

    @Override
    public int syncData(int descriptor) {
        try {
            int result =
                    (int)
                            (long)
                                    Journaling.FDATASYNC.invokeExact(
                                            (long) descriptor, 0L, 0L, 0L, 0L, 0L);
            return result == 0 ? 0 : failed(callForInt(FSYNC, descriptor, 0, 0));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    @Override
    public long writeNow(int descriptor, long address, long length, long offset) {
        try {
            long result =
                    (long)
                            Journaling.PWRITE.invokeExact(
                                    (long) descriptor, address, length, offset, 0L, 0L);
            return result >= 0
                    ? result
                    : failed(callForLong(PWRITE, descriptor, address, length, offset, 0, 0));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /**
     * Why a call failed, by one that captures errno, which allocates. When that one succeeds, the
     * first was told of a failure that the kernel tells only once.
     */
    private static int failed(long again) {
        return again >= 0 ? -EIO : (int) again;
    }

    @Override
    public int lock(int descriptor, int operation) {
        return callForInt(FLOCK, descriptor, operation, 0);
    }

    /** Taken from its end. */
    @Override
    public long size(int descriptor) {
        return callForLong(LSEEK, descriptor, 0, FROM_END, 0, 0, 0);
    }

    /** Without errno: there is none where the descriptor is open. */
    @Override
    public long sizeNow(int descriptor) {
        try {
            return (long) Syncing.LSEEK.invokeExact((long) descriptor, 0L, FROM_END);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    @Override
    public long map(
            long address, long length, int protection, int flags, int descriptor, long offset) {
        return callForLong(MMAP, address, length, protection, flags, descriptor, offset);
    }

    @Override
    public int unmap(long address, long length) {
        return callForInt(MUNMAP, address, length, 0);
    }

    @Override
    public int residentPages(long address, long length, MemorySegment pages) {
        return callForInt(MINCORE, address, length, pages.address());
    }

    @Override
    public int dropPages(long address, long length) {
        return callForInt(MADVISE, address, length, DONT_NEED);
    }

    @Override
    public int rename(String from, String to) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment old = arena.allocateFrom(from);
            return callForInt(RENAME, old.address(), arena.allocateFrom(to).address(), 0);
        }
    }

    @Override
    public int unlink(String path) {
        try (Arena arena = Arena.ofConfined()) {
            return callForInt(UNLINK, arena.allocateFrom(path).address(), 0, 0);
        }
    }

    @Override
    public Process start(List<String> command) throws IOException {
        return new ProcessBuilder(command).start();
    }

    private static int callForInt(MemorySegment function, long a, long b, long c) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = newErrnoState(arena);
            // what an int function leaves in the other half of the register is nobody's
            int result = (int) (long) CALL.invokeExact(function, state, a, b, c, 0L, 0L, 0L);
            return (int) orErrno(result, state);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    private static long callForLong(
            MemorySegment function, long a, long b, long c, long d, long e, long f) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = newErrnoState(arena);
            return orErrno((long) CALL.invokeExact(function, state, a, b, c, d, e, f), state);
        } catch (Throwable failed) {
            throw unexpected(failed);
        }
    }

    @Override
    public int syncPages(long address, long length) {
        try {
            int result = (int) Syncing.MSYNC.invokeExact(address, length, MS_SYNC);
            return result == 0 ? 0 : msyncAgain(address, length);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /**
     * Why it failed. The call that captures errno allocates, so only this second one does; when it
     * succeeds, the first was told of a failed write-back, which the kernel tells only once.
     */
    private static int msyncAgain(long address, long length) throws Throwable {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = newErrnoState(arena);
            int result =
                    (int) Syncing.MSYNC_WITH_ERRNO.invokeExact(state, address, length, MS_SYNC);
            return result == 0 ? -EIO : (int) orErrno(result, state);
        }
    }

    /** Bytes of the pages that the kernel maps. */
    static long pageSize() {
        return callForInt(function("getpagesize"), 0, 0, 0);
    }

    /** The system's text for an errno, such as "No space left on device". */
    static String text(int errno) {
        try {
            MemorySegment text = (MemorySegment) Errors.STRERROR.invokeExact(errno);
            return text.reinterpret(1024).getString(0);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    private static long orErrno(long result, MemorySegment state) {
        return result == -1 ? -state.get(INT, ERRNO) : result;
    }

    private static RuntimeException unexpected(Throwable e) {
        if (e instanceof Error error) {
            throw error;
        }
        return e instanceof RuntimeException runtime ? runtime : new IllegalStateException(e);
    }
}
