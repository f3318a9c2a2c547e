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
     * To link a function takes milliseconds, and few where another of the same shape was: so most
     * have this one. Linux passes six integers in registers, of which a function looks at as many,
     * and at as much of each, as it has parameters.
     */
    private static final FunctionDescriptor SIX_WORDS =
            FunctionDescriptor.of(LONG, LONG, LONG, LONG, LONG, LONG, LONG);

    /** Linux passes what is variadic in it as anything else. */
    private static final MethodHandle OPEN = function("open", SIX_WORDS);

    private static final MethodHandle CLOSE = function("close", SIX_WORDS);
    private static final MethodHandle FLOCK = function("flock", SIX_WORDS);
    private static final MethodHandle LSEEK = function("lseek", SIX_WORDS);
    private static final MethodHandle MMAP = function("mmap", SIX_WORDS);
    private static final MethodHandle MUNMAP = function("munmap", SIX_WORDS);
    private static final MethodHandle PREAD = function("pread", SIX_WORDS);

    /** Whose image is private. */
    private static final class Dropping {
        static final MethodHandle MADVISE = function("madvise", SIX_WORDS);
    }

    /** Who asks for bad blocks. */
    private static final class Looking {
        static final MethodHandle IOCTL = function("ioctl", SIX_WORDS);
    }

    /** Whoever only looks at a pool needs none of these. */
    private static final class Writing {
        static final MethodHandle FSYNC = function("fsync", SIX_WORDS);
        static final MethodHandle FCHMOD = function("fchmod", SIX_WORDS);
        static final MethodHandle FCHOWN = function("fchown", SIX_WORDS);
        static final MethodHandle FALLOCATE = function("posix_fallocate", SIX_WORDS);
        static final MethodHandle FTRUNCATE = function("ftruncate", SIX_WORDS);
        static final MethodHandle PWRITE = function("pwrite", SIX_WORDS);
        static final MethodHandle RENAME = function("rename", SIX_WORDS);
        static final MethodHandle UNLINK = function("unlink", SIX_WORDS);
        static final MethodHandle MINCORE = function("mincore", SIX_WORDS);
    }

    private static final class Syncing {
        static final MethodHandle MSYNC =
                LINKER.downcallHandle(
                        LINKER.defaultLookup().findOrThrow("msync"),
                        FunctionDescriptor.of(INT, LONG, LONG, INT));
        static final MethodHandle LSEEK =
                LINKER.downcallHandle(
                        LINKER.defaultLookup().findOrThrow("lseek"),
                        FunctionDescriptor.of(LONG, LONG, LONG, LONG));
        static final MethodHandle MSYNC_WITH_ERRNO =
                function("msync", FunctionDescriptor.of(INT, LONG, LONG, INT));
    }

    /** Each commit on an ordinary disk ends with one of these: without errno, which allocates. */
    private static final class Journaling {
        static final MethodHandle PWRITE =
                LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow("pwrite"), SIX_WORDS);
        static final MethodHandle FDATASYNC =
                LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow("fdatasync"), SIX_WORDS);
    }

    private static final class Errors {
        static final MethodHandle STRERROR =
                LINKER.downcallHandle(
                        LINKER.defaultLookup().findOrThrow("strerror"),
                        FunctionDescriptor.of(ValueLayout.ADDRESS, INT));
    }

    LibC() {}

    private static MethodHandle function(String name, FunctionDescriptor descriptor) {
        return LINKER.downcallHandle(
                LINKER.defaultLookup().findOrThrow(name),
                descriptor,
                Linker.Option.captureCallState("errno"));
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
        return callForLong(
                Writing.PWRITE, descriptor, buffer.address(), buffer.byteSize(), offset, 0, 0);
    }

    @Override
    public int extents(int descriptor, MemorySegment map) {
        return callForInt(Looking.IOCTL, descriptor, FIEMAP, map.address());
    }

    @Override
    public int truncate(int descriptor, long size) {
        return callForInt(Writing.FTRUNCATE, descriptor, size, 0);
    }

    @Override
    public int setOwner(int descriptor, int user, int group) {
        return callForInt(Writing.FCHOWN, descriptor, user, group);
    }

    /** Unlike the other calls posix_fallocate returns its error. */
    @Override
    public int allocate(int descriptor, long offset, long length) {
        return -callForInt(Writing.FALLOCATE, descriptor, offset, length);
    }

    @Override
    public int setMode(int descriptor, int mode) {
        return callForInt(Writing.FCHMOD, descriptor, mode, 0);
    }

    @Override
    public int sync(int descriptor) {
        return callForInt(Writing.FSYNC, descriptor, 0, 0);
    }

    @Override
    public int syncData(int descriptor) {
        try {
            int result =
                    (int)
                            (long)
                                    Journaling.FDATASYNC.invokeExact(
                                            (long) descriptor, 0L, 0L, 0L, 0L, 0L);
            return result == 0 ? 0 : failed(callForInt(Writing.FSYNC, descriptor, 0, 0));
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
                    : failed(
                            callForLong(Writing.PWRITE, descriptor, address, length, offset, 0, 0));
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
        return callForInt(Writing.MINCORE, address, length, pages.address());
    }

    @Override
    public int dropPages(long address, long length) {
        return callForInt(Dropping.MADVISE, address, length, DONT_NEED);
    }

    @Override
    public int rename(String from, String to) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment old = arena.allocateFrom(from);
            return callForInt(Writing.RENAME, old.address(), arena.allocateFrom(to).address(), 0);
        }
    }

    @Override
    public int unlink(String path) {
        try (Arena arena = Arena.ofConfined()) {
            return callForInt(Writing.UNLINK, arena.allocateFrom(path).address(), 0, 0);
        }
    }

    @Override
    public Process start(List<String> command) throws IOException {
        return new ProcessBuilder(command).start();
    }

    private static int callForInt(MethodHandle function, long a, long b, long c) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = newErrnoState(arena);
            // what an int function leaves in the other half of the register is nobody's
            int result = (int) (long) function.invokeExact(state, a, b, c, 0L, 0L, 0L);
            return (int) orErrno(result, state);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    private static long callForLong(
            MethodHandle function, long a, long b, long c, long d, long e, long f) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = newErrnoState(arena);
            return orErrno((long) function.invokeExact(state, a, b, c, d, e, f), state);
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
        return callForInt(function("getpagesize", SIX_WORDS), 0, 0, 0);
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
