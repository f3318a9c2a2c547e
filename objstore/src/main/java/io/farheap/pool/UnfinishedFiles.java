package io.farheap.pool;

import io.farheap.base.FarheapException;
import io.farheap.memory.NativeFile;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/** Part files that lie beside their places until they are complete. */
public final class UnfinishedFiles {
    private UnfinishedFiles() {}

    /** What somebody who was killed left under this name; one who still runs holds its lock. */
    public static void removeLeftover(Path unfinished) {
        if (Files.exists(unfinished, LinkOption.NOFOLLOW_LINKS)) {
            setReadable(unfinished);
            try (NativeFile leftover = NativeFile.openReadOnly(unfinished)) {
                leftover.lock();
                delete(unfinished);
            }
        }
    }

    /** Gives what somebody who was killed left under a name another one, durably. */
    static void keepLeftover(Path unfinished, Path kept) {
        if (Files.exists(unfinished, LinkOption.NOFOLLOW_LINKS)) {
            setReadable(unfinished);
            try (NativeFile leftover = NativeFile.openReadOnly(unfinished)) {
                leftover.lock();
                moveIntoPlace(unfinished, kept);
            }
        }
    }

    static void setReadable(Path file) {
        boolean unused = file.toFile().setReadable(true, true);
    }

    /** Gives a complete file its own name, durably; what has that name is replaced. */
    public static void moveIntoPlace(Path unfinished, Path path) {
        NativeFile.rename(unfinished, path);
        NativeFile.syncDirectory(path.getParent());
    }

    /** Removes one that {@code failure} left; where that fails, too, it says so. */
    public static void deleteAfter(Path unfinished, FarheapException failure) {
        try {
            delete(unfinished);
        } catch (FarheapException e) {
            failure.addSuppressed(e);
        }
    }

    static void delete(Path file) {
        boolean unused = NativeFile.delete(file);
    }
}
