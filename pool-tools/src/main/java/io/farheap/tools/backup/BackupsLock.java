package io.farheap.tools.backup;

import io.farheap.base.FarheapException;
import io.farheap.memory.NativeFile;
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

    private static final int MODE = 0644;
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
            NativeFile file = opened(path);
            if (isTaken(file)) {
                return new BackupsLock(file);
            }
            if (System.nanoTime() - begin > patience.toNanos()) {
                throw FarheapException.environment(
                        "%s has been locked for %s s by %s, another backup to that directory: wait"
                                + " until that has ended, then do this again",
                        path, patience.toSeconds(), NativeFile.lockHolder(path));
            }
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        }
    }

    private static NativeFile opened(Path path) {
        try {
            return NativeFile.openOrCreate(path, MODE);
        } catch (FarheapException e) {
            try {
                return NativeFile.openReadOnly(path); // another user's
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
