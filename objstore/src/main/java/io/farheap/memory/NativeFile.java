package io.farheap.memory;

import io.farheap.base.FarheapException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/**
 * A file by its descriptor, with what Java's channels lack: BSD locks, which exclude C programs
 * (theirs, not the record locks of {@code FileChannel.lock}), guaranteed space, a mapping at a
 * given address. Calls that a signal interrupted are made again. Where the {@link
 * PortablePersistence} is used it is such a channel, with what that lacks.
 *
 * <p>The lock lasts until the file is closed. Errors are of category ENVIRONMENT unless said.
 * Thread-safe but for {@link #close}.
 */
public final class NativeFile implements AutoCloseable {
    private static final int OWNER = 0600;
    private final Path path;
    private final int descriptor;
    private final FileTransfer transfer = new FileTransfer(this);
    private boolean open = true;
    private volatile boolean locked;

    private NativeFile(Path path, int descriptor) {
        this.path = path;
        this.descriptor = descriptor;
    }

    /** Opens an existing file for reading and writing. */
    public static NativeFile open(Path path) {
        return opened(path, LibC.O_RDWR | LibC.O_CLOEXEC, 0);
    }

    /** This very file, whatever lies at its path by now, opened for itself; without its lock. */
    NativeFile openAgain() {
        String name = asOpened().toString();
        int flags = LibC.O_RDWR | LibC.O_CLOEXEC;
        long result = uninterrupted(() -> calls().open(name, flags, 0));
        return new NativeFile(path, (int) check("open once more", result));
    }

    /**
     * The same for writes past the page cache, each on the medium when it returns.
     *
     * @return null where its file system has none
     */
    NativeFile openDirect() {
        String name = asOpened().toString();
        int flags = LibC.O_RDWR | LibC.O_CLOEXEC | LibC.O_DSYNC | Platform.current().directFlag();
        long result = uninterrupted(() -> calls().open(name, flags, 0));
        return result == -LibC.EINVAL
                ? null
                : new NativeFile(path, (int) check("open for direct writes", result));
    }

    /** Whether its file system lets it be opened past the page cache. */
    public boolean isForDirectAccess() {
        String name = asOpened().toString();
        int flags = LibC.O_CLOEXEC | Platform.current().directFlag();
        long result = uninterrupted(() -> calls().open(name, flags, 0));
        if (result < 0) {
            return false;
        }
        new NativeFile(path, (int) result).close();
        return true;
    }

    /** Opens an existing file for reading. */
    public static NativeFile openReadOnly(Path path) {
        return opened(path, LibC.O_CLOEXEC, 0);
    }

    /**
     * Opens an existing file for reading and writing, not through a symbolic link: who may write to
     * its directory can't have another file written to in its place.
     */
    static NativeFile openNoFollow(Path path) {
        int noFollow = Platform.current().noFollowFlag();
        return opened(path, LibC.O_RDWR | LibC.O_CLOEXEC | noFollow, 0);
    }

    /**
     * Creates a file that must not exist, that nobody but its owner can open before {@link
     * #setMode}; who is killed before that leaves one that its owner can remove.
     *
     * @throws FarheapException WRONG_USE when it exists
     */
    public static NativeFile create(Path path) {
        return opened(path, LibC.O_RDWR | LibC.O_CREAT | LibC.O_EXCL | LibC.O_CLOEXEC, OWNER);
    }

    /**
     * Opens a file for reading and writing, not through a symbolic link, and creates it where there
     * is none.
     *
     * @param mode permission bits of a new one, of which the process's umask takes some away
     */
    public static NativeFile openOrCreate(Path path, int mode) {
        int flags = LibC.O_RDWR | LibC.O_CREAT | LibC.O_CLOEXEC;
        return opened(path, flags | Platform.current().noFollowFlag(), mode);
    }

    private static NativeFile opened(Path path, int flags, int mode) {
        SystemCalls calls = SystemCalls.current();
        String name = path.toString();
        int descriptor = (int) uninterrupted(() -> calls.open(name, flags, mode));
        if (descriptor == -LibC.EEXIST) {
            throw FarheapException.wrongUse(
                    "file %s already exists: open it, or name another", path);
        }
        if (descriptor < 0) {
            String verb = (flags & LibC.O_CREAT) == 0 ? "open" : "create";
            throw failure(verb, path, descriptor);
        }
        return new NativeFile(path, descriptor);
    }

    private static SystemCalls calls() {
        return SystemCalls.current();
    }

    /** What the call answers once no signal interrupts it. */
    static long uninterrupted(LongSupplier call) {
        long result;
        do {
            result = call.getAsLong();
        } while (result == -LibC.EINTR);
        return result;
    }

    public Path path() {
        return path;
    }

    int descriptor() {
        return descriptor;
    }

    /**
     * Takes the exclusive lock, at once or not at all.
     *
     * @throws FarheapException naming the process that holds it, where the system tells
     */
    public void lock() {
        if (!tryLock()) {
            throw FarheapException.environment(
                    "flock \"%s\": Resource temporarily unavailable: it is in use by %s,"
                            + " close it there first",
                    path, LockHolder.of(path));
        }
    }

    /** The same, false where another one has it. */
    public boolean tryLock() {
        long result = uninterrupted(() -> calls().lock(descriptor, LibC.LOCK_EXCLUSIVE_NOW));
        if (result == -LibC.EAGAIN) {
            return false;
        }
        check("lock", result);
        locked = true;
        if (isLockedOtherwise()) {
            locked = false;
            check("unlock", uninterrupted(() -> calls().lock(descriptor, LibC.UNLOCK)));
            return false;
        }
        return true;
    }

    /** Linux lets a program that uses the portable persistence and one that does not have both. */
    private boolean isLockedOtherwise() {
        try {
            return LockHolder.pidOfOtherKind(path).isPresent();
        } catch (IOException e) {
            return false; // no system that tells, or none that has both
        }
    }

    /**
     * The process that has a file locked, without touching the lock; empty: none that can be seen
     * from here, as one in another container can't.
     *
     * @throws IOException where the system does not tell
     */
    public static OptionalLong lockedBy(Path path) throws IOException {
        return LockHolder.pid(path);
    }

    /** The same in words: "process 4711", or "another process" where the system does not tell. */
    public static String lockHolder(Path path) {
        return LockHolder.of(path);
    }

    /**
     * Whether its path still names this file: nobody removed or replaced it since it was opened.
     */
    public boolean isAtItsPath() {
        try {
            return PortablePersistence.isUsed()
                    ? PortableFiles.isAt(descriptor, path)
                    : Files.isSameFile(asOpened(), path);
        } catch (NoSuchFileException e) {
            return false;
        } catch (IOException e) {
            throw FarheapException.environment(e, "cannot look at %s: %s", path, e.getMessage());
        }
    }

    /** The file's size in bytes. */
    public long size() {
        return check("find the size of", uninterrupted(() -> calls().size(descriptor)));
    }

    /** As {@link #size}; allocates nothing. */
    long sizeNow() {
        long size = calls().sizeNow(descriptor);
        return size < 0 ? size() : size;
    }

    /**
     * Makes the file {@code size} bytes long, zeros, with its space on the medium reserved: no
     * later store can fail for want of it.
     */
    public void allocate(long size) {
        allocate(0, size);
    }

    /** As {@link #allocate(long)}, of so many bytes from {@code offset} on; content stays. */
    public void allocate(long offset, long size) {
        long result = uninterrupted(() -> calls().allocate(descriptor, offset, size));
        if (result < 0) {
            throw FarheapException.environment(
                    "cannot reserve %s bytes for %s: %s; make room, or choose a smaller size",
                    size, path, SystemError.text((int) -result));
        }
    }

    /** Makes the file {@code size} bytes long; what it gains is zeros without space. */
    public void truncate(long size) {
        check("set the size of", uninterrupted(() -> calls().truncate(descriptor, size)));
    }

    /**
     * Reads from {@code offset} on until the buffer is full or the file ends.
     *
     * @return how many bytes there were
     */
    public long read(MemorySegment buffer, long offset) {
        return transfer.read(buffer, offset);
    }

    /** What one call reads into native memory; 0 at the file's end. */
    long readSome(MemorySegment buffer, long offset) {
        return check("read", uninterrupted(() -> calls().read(descriptor, buffer, offset)));
    }

    /** Whether the file lies in memory, on a tmpfs: nothing of it is more durable after a sync. */
    boolean isInMemory() {
        return isInMemory(-1);
    }

    /**
     * Whether what is written allocates the pages as well, and there is room for so many bytes:
     * tmpfs takes as long to allocate pages for later as to write them.
     */
    public boolean isAllocatedByWriting(long size) {
        return isInMemory(size);
    }

    private boolean isInMemory(long room) {
        try {
            FileStore store = Files.getFileStore(asOpened());
            return store.type().equals("tmpfs") && store.getUsableSpace() > room;
        } catch (IOException e) {
            return false; // synced, then, and allocated
        }
    }

    /** Makes these bytes all that the file has; whoever reads it meanwhile finds less, not more. */
    public void replace(byte[] bytes) {
        truncate(0);
        write(MemorySegment.ofArray(bytes), 0);
    }

    /** Writes all of the buffer to {@code offset} of the file and behind it. */
    public void write(MemorySegment buffer, long offset) {
        transfer.write(buffer, offset);
    }

    /** What one call writes out of native memory. */
    long writeSome(MemorySegment buffer, long offset) {
        return check("write", uninterrupted(() -> calls().write(descriptor, buffer, offset)));
    }

    /**
     * Gives the file another name in its directory, in one step; what has that name is replaced.
     *
     * @return the same open file, locked as before, under its new name; this one is done with
     */
    public NativeFile rename(Path name) {
        rename(path, name);
        open = false;
        NativeFile renamed = new NativeFile(name, descriptor);
        renamed.locked = locked;
        return renamed;
    }

    /**
     * Gives a file another name on its file system, in one step; what has that name is replaced.
     * Durable once the directories are synced.
     */
    public static void rename(Path from, Path to) {
        long result = calls().rename(from.toString(), to.toString());
        if (result < 0) {
            throw failure("rename to " + to + " the file", from, result);
        }
    }

    /**
     * Removes a file, or a symbolic link itself. Durable once the directory is synced.
     *
     * @return false where there was none
     */
    public static boolean delete(Path path) {
        long result = uninterrupted(() -> calls().unlink(path.toString()));
        if (result == -LibC.ENOENT) {
            return false;
        }
        if (result < 0) {
            throw failure("remove", path, result);
        }
        return true;
    }

    /** Sets the permission bits. */
    public void setMode(int mode) {
        check("set the mode of", uninterrupted(() -> calls().setMode(descriptor, mode)));
    }

    /** Sets owner and group, which clears the bits that run a program as somebody else. */
    public void setOwner(int user, int group) {
        check("set the owner of", uninterrupted(() -> calls().setOwner(descriptor, user, group)));
    }

    /**
     * A name under which the system shows this very file, whatever lies at its path by now; its
     * path where the system has no such name.
     */
    public Path asOpened() {
        if (PortablePersistence.isUsed()) {
            return PortableFiles.path(descriptor);
        }
        return Path.of("/proc/self/fd", Integer.toString(descriptor));
    }

    /**
     * Where its bytes lie on the block device of its file system, as that says.
     *
     * @throws FarheapException ENVIRONMENT where it does not
     */
    public List<FileExtent> extents() {
        return FileExtent.all(
                map -> {
                    long unused =
                            check(
                                    "find out where the blocks are of",
                                    uninterrupted(() -> calls().extents(descriptor, map)));
                });
    }

    /** Waits until content and size are on the medium. */
    public void sync() {
        check("sync", uninterrupted(() -> calls().sync(descriptor)));
    }

    /** As {@link #sync}; what a reader does not need, as its times, may stay behind. */
    public void syncData() {
        long result;
        do {
            result = calls().syncData(descriptor);
        } while (result == -LibC.EINTR);
        check("sync", result);
    }

    /** Writes memory by its address; how many bytes of it. Allocates nothing. */
    long writeNow(long address, long length, long offset) {
        return check("write", tryWriteNow(address, length, offset));
    }

    /** The same, with a negative errno where it fails. */
    long tryWriteNow(long address, long length, long offset) {
        long result;
        do {
            result = calls().writeNow(descriptor, address, length, offset);
        } while (result == -LibC.EINTR);
        return result;
    }

    /**
     * Waits until the entries of a directory (files created, renamed, removed) are durable. Windows
     * has nothing to ask for that, and its file system a log of its own.
     */
    public static void syncDirectory(Path directory) {
        if (!PortableFile.HAS_DIRECTORIES) {
            return;
        }
        Path named = directory == null ? Path.of(".") : directory;
        try (NativeFile opened =
                opened(named, Platform.current().directoryFlag() | LibC.O_CLOEXEC, 0)) {
            opened.sync();
        }
    }

    /** Lets the lock go and closes the file. Idempotent. */
    @Override
    public void close() {
        if (open) {
            open = false;
            // A process that another thread is just starting has a copy of the descriptor until it
            // runs its program, and with it the lock: closing alone would not let it go.
            long unlocked = locked ? uninterrupted(() -> calls().lock(descriptor, LibC.UNLOCK)) : 0;
            int closed = calls().close(descriptor);
            // Linux has closed it then, and somebody else may have the number already.
            check("close", closed == -LibC.EINTR ? 0 : closed);
            check("unlock", unlocked);
        }
    }

    private long check(String verb, long result) {
        if (result < 0) {
            throw failure(verb, path, result);
        }
        return result;
    }

    private static FarheapException failure(String verb, Path path, long errno) {
        return FarheapException.environment("cannot %s %s: %s", verb, path, SystemError.of(errno));
    }
}
