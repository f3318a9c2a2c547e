package io.farheap.pool;

import io.farheap.FarheapException;
import io.farheap.FarheapException.Category;
import io.farheap.memory.NativeFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

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

    private static void setReadable(Path file) {
        boolean unused = file.toFile().setReadable(true, true);
    }

    /** Gives a complete file its own name, durably; what has that name is replaced. */
    public static void moveIntoPlace(Path unfinished, Path path) {
        try {
            Files.move(
                    unfinished,
                    path,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
            NativeFile.syncDirectory(path.getParent());
        } catch (IOException e) {
            throw new FarheapException(
                    Category.ENVIRONMENT,
                    "cannot put the new part " + path + " in its place: " + e.getMessage(),
                    e);
        }
    }

    static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new FarheapException(
                    Category.ENVIRONMENT,
                    "cannot remove the file " + file + ": " + e.getMessage(),
                    e);
        }
    }
}
