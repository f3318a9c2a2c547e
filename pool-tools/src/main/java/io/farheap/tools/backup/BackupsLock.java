package io.farheap.tools.backup;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.memory.NativeFile;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Taken by who puts a backup into a directory that builds on others there, and by who removes any:
 * neither sees the other's work half done. Held for moments, and not while anything is read as a
 * whole. The file goes with the lock; one that is left by somebody who was killed is locked by
 * nobody.
 */
final class BackupsLock implements AutoCloseable {
    static final String NAME = ".farheap-backups.lock";

    /** Removing large files may take a while, and a backup that took hours waits for it. */
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    /** For all users, whatever the umask: one may find what another one who was killed has left. */
    private static final int MODE = 0666;

    /** In which another user who has just made the file lets others open it, or has removed it. */
    private static final Duration GRACE = Duration.ofSeconds(5);

    private static final long PAUSE_MILLIS = 20;

    private final NativeFile file;

    private BackupsLock(NativeFile file) {
        this.file = file;
    }

    /**
     * Waits for whoever has it.
     *
     * @throws FarheapException ENVIRONMENT where that takes too long, or there can be no such lock
     */
    static BackupsLock take(Path directory) throws InterruptedException {
        return take(directory, PATIENCE);
    }

    static BackupsLock take(Path directory, Duration patience) throws InterruptedException {
        Path path = directory.resolve(NAME);
        long begin = System.nanoTime();
        while (true) {
            try {
                NativeFile file = opened(path);
                if (isTaken(file)) {
                    return new BackupsLock(file);
                }
            } catch (FarheapException e) {
                boolean mayPass = Files.isWritable(directory) && !isOver(begin, GRACE);
                if (!mayPass || isOver(begin, patience)) {
                    throw Files.exists(path, LinkOption.NOFOLLOW_LINKS) ? left(e) : e;
                }
            }
            if (isOver(begin, patience)) {
                throw FarheapException.environment(
                        "%s has been locked for %s s by %s, another backup to that directory: wait"
                                + " until that has ended, then do this again",
                        path, patience.toSeconds(), NativeFile.lockHolder(path));
            }
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        }
    }

    private static boolean isOver(long begin, Duration time) {
        return System.nanoTime() - begin > time.toNanos();
    }

    private static FarheapException left(FarheapException cause) {
        return FarheapException.environment(
                cause,
                "%s; remove that file if no backup to that directory is running: one that was"
                        + " killed has left it",
                cause.getMessage());
    }

    private static NativeFile opened(Path path) {
        try {
            return made(path);
        } catch (FarheapException e) {
            if (e.category() != Category.WRONG_USE) {
                throw e;
            }
            return existing(path);
        }
    }

    private static NativeFile made(Path path) {
        NativeFile file = NativeFile.create(path);
        try {
            file.setMode(MODE);
        } catch (FarheapException e) {
            Thread.yield(); // a file system without modes
        }
        return file;
    }

    /** NFS locks only what is open for writing. */
    private static NativeFile existing(Path path) {
        try {
            return NativeFile.openOrCreate(path, MODE); // it may have gone
        } catch (FarheapException e) {
            try {
                // Where all may write to the directory, Linux refuses to create what is another's.
                return Files.isWritable(path)
                        ? NativeFile.open(path)
                        : NativeFile.openReadOnly(path);
            } catch (FarheapException unreadable) {
                e.addSuppressed(unreadable);
                throw e;
            }
        }
    }

    /** Who had it before may have removed the file meanwhile: a lock of that excludes nobody. */
    private static boolean isTaken(NativeFile file) {
        boolean taken = false;
        try {
            taken = file.tryLock() && file.isAtItsPath();
            return taken;
        } finally {
            if (!taken) {
                file.close();
            }
        }
    }

    @Override
    public void close() {
        try (file) {
            boolean unused = NativeFile.delete(file.path());
        } catch (FarheapException e) {
            Thread.yield(); // another user's file: without a lock it is in nobody's way
        }
    }
}
