package io.farheap.memory;

import io.farheap.FarheapException;
import io.farheap.FarheapException.Category;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.OptionalLong;

/**
 * A file by its descriptor, with what Java's channels lack: BSD locks, which exclude C programs
 * (theirs, not the record locks of {@code FileChannel.lock}), guaranteed space, a mapping at a
 * given address.
 *
 * <p>The lock lasts until the file is closed. Errors are of category ENVIRONMENT unless said.
 * Thread-safe but for {@link #close}.
 */
public final class NativeFile implements AutoCloseable {
    private static final int OWNER = 0600;

    private final Path path;
    private final int descriptor;
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

    /** Opens an existing file for reading. */
    public static NativeFile openReadOnly(Path path) {
        return opened(path, LibC.O_CLOEXEC, 0);
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

    private static NativeFile opened(Path path, int flags, int mode) {
        int descriptor = LibC.open(path.toString(), flags, mode);
        if (descriptor == -LibC.EEXIST) {
            throw new FarheapException(
                    Category.WRONG_USE,
                    "file " + path + " already exists: name another, or remove it first");
        }
        if (descriptor < 0) {
            String verb = (flags & LibC.O_CREAT) == 0 ? "open" : "create";
            throw failure(verb, path, descriptor);
        }
        return new NativeFile(path, descriptor);
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
            throw new FarheapException(
                    Category.ENVIRONMENT,
                    "flock \""
                            + path
                            + "\": Resource temporarily unavailable: it is in use by "
                            + LockHolder.of(path)
                            + ", close it there first");
        }
    }

    /** The same, false where another one has it. */
    public boolean tryLock() {
        int result = LibC.flock(descriptor, LibC.LOCK_EXCLUSIVE_NOW);
        if (result == -LibC.EAGAIN) {
            return false;
        }
        check("lock", result);
        locked = true;
        return true;
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

    /**
     * Whether its path still names this file: nobody removed or replaced it since it was opened.
     */
    public boolean isAtItsPath() {
        try {
            return Files.isSameFile(asOpened(), path);
        } catch (NoSuchFileException e) {
            return false;
        } catch (IOException e) {
            throw new FarheapException(
                    Category.ENVIRONMENT, "cannot look at " + path + ": " + e.getMessage(), e);
        }
    }

    /** The file's size in bytes. */
    public long size() {
        return check("find the size of", LibC.size(descriptor));
    }

    /**
     * Makes the file {@code size} bytes long, zeros, with its space on the medium reserved: no
     * later store can fail for want of it.
     */
    public void allocate(long size) {
        int result = LibC.allocate(descriptor, 0, size);
        if (result < 0) {
            throw new FarheapException(
                    Category.ENVIRONMENT,
                    "cannot reserve "
                            + size
                            + " bytes for "
                            + path
                            + ": "
                            + LibC.text(-result)
                            + "; make room, or choose a smaller size");
        }
    }

    /**
     * Gives the file another name in its directory, in one step; what has that name is replaced.
     *
     * @return the same open file, locked as before, under its new name; this one is done with
     */
    public NativeFile rename(Path name) {
        try {
            Files.move(path, name, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new FarheapException(
                    Category.ENVIRONMENT, "cannot rename " + path + " to " + name + ": " + e, e);
        }
        open = false;
        NativeFile renamed = new NativeFile(name, descriptor);
        renamed.locked = locked;
        return renamed;
    }

    /** Sets the permission bits. */
    public void setMode(int mode) {
        check("set the mode of", LibC.fchmod(descriptor, mode));
    }

    /** Sets owner and group, which clears the bits that run a program as somebody else. */
    public void setOwner(int user, int group) {
        check("set the owner of", LibC.fchown(descriptor, user, group));
    }

    /** A name under which the system shows this very file, whatever lies at its path by now. */
    public Path asOpened() {
        return Path.of("/proc/self/fd", Integer.toString(descriptor));
    }

    /** Waits until content and size are on the medium. */
    public void sync() {
        check("sync", LibC.fsync(descriptor));
    }

    /** Waits until the entries of a directory (files created, renamed, removed) are durable. */
    public static void syncDirectory(Path directory) {
        Path named = directory == null ? Path.of(".") : directory;
        try (NativeFile opened = opened(named, LibC.O_DIRECTORY | LibC.O_CLOEXEC, 0)) {
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
            int unlocked = locked ? LibC.flock(descriptor, LibC.UNLOCK) : 0;
            check("close", LibC.close(descriptor));
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
        return new FarheapException(
                Category.ENVIRONMENT,
                "cannot " + verb + " " + path + ": " + LibC.text((int) -errno));
    }
}
