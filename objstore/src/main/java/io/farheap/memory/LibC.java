package io.farheap.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * The C library's calls that Java has no counterpart of. Each answers as the kernel does: a result
 * that is not negative, or the negative errno.
 */
final class LibC {
    static final int O_RDWR = 2;
    static final int O_CREAT = 0x40;
    static final int O_EXCL = 0x80;
    static final int O_CLOEXEC = 0x80000;
    static final int O_DIRECTORY = 0x10000;

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

    static final int LOCK_EXCLUSIVE_NOW = 2 | 4;
    static final int UNLOCK = 8;

    static final int EINTR = 4;
    static final int EIO = 5;
    static final int EAGAIN = 11;
    static final int EACCES = 13;
    static final int EEXIST = 17;
    static final int ENOENT = 2;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final StructLayout ERRNO_STATE = Linker.Option.captureStateLayout();
    private static final long ERRNO =
            ERRNO_STATE.byteOffset(MemoryLayout.PathElement.groupElement("errno"));

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final ValueLayout PTR = ValueLayout.ADDRESS;

    private static final MethodHandle OPEN =
            LINKER.downcallHandle(
                    LINKER.defaultLookup().findOrThrow("open"),
                    FunctionDescriptor.of(INT, PTR, INT, INT),
                    Linker.Option.firstVariadicArg(2),
                    Linker.Option.captureCallState("errno"));
    private static final MethodHandle CLOSE = function("close", FunctionDescriptor.of(INT, INT));
    private static final MethodHandle FLOCK =
            function("flock", FunctionDescriptor.of(INT, INT, INT));
    private static final MethodHandle LSEEK =
            function("lseek", FunctionDescriptor.of(LONG, INT, LONG, INT));
    private static final MethodHandle MMAP =
            function("mmap", FunctionDescriptor.of(LONG, LONG, LONG, INT, INT, INT, LONG));
    private static final MethodHandle MUNMAP =
            function("munmap", FunctionDescriptor.of(INT, LONG, LONG));

    /** To link a function takes milliseconds; whoever only looks at a pool needs none of these. */
    private static final class Writing {
        static final MethodHandle FSYNC = function("fsync", FunctionDescriptor.of(INT, INT));
        static final MethodHandle FCHMOD = function("fchmod", FunctionDescriptor.of(INT, INT, INT));
        static final MethodHandle FALLOCATE =
                function("posix_fallocate", FunctionDescriptor.of(INT, INT, LONG, LONG));
    }

    private static final class Syncing {
        static final MethodHandle MSYNC =
                LINKER.downcallHandle(
                        LINKER.defaultLookup().findOrThrow("msync"),
                        FunctionDescriptor.of(INT, LONG, LONG, INT));
        static final MethodHandle MSYNC_WITH_ERRNO =
                function("msync", FunctionDescriptor.of(INT, LONG, LONG, INT));
    }

    private static final class Errors {
        static final MethodHandle STRERROR =
                LINKER.downcallHandle(
                        LINKER.defaultLookup().findOrThrow("strerror"),
                        FunctionDescriptor.of(ValueLayout.ADDRESS, INT));
    }

    private LibC() {}

    private static MethodHandle function(String name, FunctionDescriptor descriptor) {
        return LINKER.downcallHandle(
                LINKER.defaultLookup().findOrThrow(name),
                descriptor,
                Linker.Option.captureCallState("errno"));
    }

    private static MemorySegment newErrnoState(Arena arena) {
        return arena.allocate(ERRNO_STATE);
    }

    static int open(String path, int flags, int mode) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = newErrnoState(arena);
            MemorySegment name = arena.allocateFrom(path);
            return (int) orErrno((int) OPEN.invokeExact(state, name, flags, mode), state);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int close(int fd) {
        return callWithInt(CLOSE, fd);
    }

    static int fsync(int fd) {
        return callWithInt(Writing.FSYNC, fd);
    }

    private static int callWithInt(MethodHandle function, int fd) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = newErrnoState(arena);
            return (int) orErrno((int) function.invokeExact(state, fd), state);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int flock(int fd, int operation) {
        return callWithInts(FLOCK, fd, operation);
    }

    static int fchmod(int fd, int mode) {
        return callWithInts(Writing.FCHMOD, fd, mode);
    }

    private static int callWithInts(MethodHandle function, int fd, int argument) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = newErrnoState(arena);
            return (int) orErrno((int) function.invokeExact(state, fd, argument), state);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** The size of the file in bytes, taken from its end. */
    static long size(int fd) {
        int fromEnd = 2;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = newErrnoState(arena);
            return orErrno((long) LSEEK.invokeExact(state, fd, 0L, fromEnd), state);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Allocates space; unlike the other calls posix_fallocate returns its error. */
    static int allocate(int fd, long offset, long length) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = newErrnoState(arena);
            int error;
            do {
                error = (int) Writing.FALLOCATE.invokeExact(state, fd, offset, length);
            } while (error == EINTR);
            return -error;
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** The address of the new mapping. */
    static long mmap(long address, long length, int protection, int flags, int fd, long offset) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = newErrnoState(arena);
            long result =
                    (long) MMAP.invokeExact(state, address, length, protection, flags, fd, offset);
            return orErrno(result, state);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int munmap(long address, long length) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = newErrnoState(arena);
            return (int) orErrno((int) MUNMAP.invokeExact(state, address, length), state);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Waits until the pages are on the medium. On the hot path: allocates nothing. */
    static int msync(long address, long length) {
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
