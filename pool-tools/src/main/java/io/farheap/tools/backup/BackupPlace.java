package io.farheap.tools.backup;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.memory.NativeFile;
import io.farheap.pool.FileStatus;
import io.farheap.pool.UnfinishedFiles;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Where a backup goes, and what a backup that was cut has left there. */
final class BackupPlace {
    static final String SUFFIX = ".farheap-backup";
    static final String UNFINISHED = ".farheap-unfinished";
    private static final String IMAGE = UNFINISHED + "-image";
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

    private final Path file;
    private final boolean inDirectory;
    private volatile boolean hasName;

    private BackupPlace(Path file, boolean inDirectory) {
        this.file = file;
        this.inDirectory = inDirectory;
    }

    /**
     * @param named a directory, in which it gets a name of its own, or the file
     * @throws FarheapException WRONG_USE where there is a file
     */
    static BackupPlace of(Path named, Path pool, UUID id, Instant now) {
        Path absolute = named.toAbsolutePath();
        if (Files.isDirectory(absolute)) {
            String base = pool.getFileName().toString().replaceFirst("\\.set$", "");
            String number = id.toString().substring(0, 8);
            return new BackupPlace(
                    absolute.resolve(base + "-" + TIME.format(now) + "-" + number + SUFFIX), true);
        }
        if (FileStatus.of(absolute).exists()) {
            throw FarheapException.wrongUse(
                    "%s already exists, and no backup replaces a file: name another, or a directory",
                    named);
        }
        return new BackupPlace(absolute, false);
    }

    Path file() {
        return file;
    }

    /** Whether what was made has its name; for any thread. */
    boolean hasBackup() {
        return hasName;
    }

    Path directory() {
        return file.getParent();
    }

    boolean isInDirectory() {
        return inDirectory;
    }

    /** As somebody would name it who makes another one there. */
    Path named() {
        return inDirectory ? directory() : file;
    }

    /** Where it is until it is complete. */
    Path unfinished() {
        return file.resolveSibling(file.getFileName() + UNFINISHED);
    }

    /** Where the copy of an open pool has a name for a moment. */
    Path image() {
        return file.resolveSibling(file.getFileName() + IMAGE);
    }

    /**
     * Gives what was made its name.
     *
     * @param made at {@link #unfinished}, complete, synced and locked
     * @throws FarheapException WRONG_USE where there is a file by now; ENVIRONMENT where what was
     *     made has lost its name, or can't be moved
     */
    void put(NativeFile made) {
        if (FileStatus.of(file).exists()) {
            throw FarheapException.wrongUse(
                    "%s was made by somebody else meanwhile, and is not replaced", file);
        }
        if (!made.isAtItsPath()) {
            throw FarheapException.environment(
                    "%s was removed or replaced while it was written: no backup was made; give the"
                            + " same command again",
                    unfinished());
        }
        NativeFile.rename(unfinished(), file);
        hasName = true;
        try {
            NativeFile.syncDirectory(directory());
        } catch (FarheapException e) {
            throw FarheapException.environment(
                    e,
                    "%s; the backup is there and complete, %s, but may not outlive a loss of power:"
                            + " look at it again then (farheap backup --verify %s), or make"
                            + " another",
                    e.getMessage(),
                    file,
                    file);
        }
    }

    /** Removes what failed; not what another one has made under that name. */
    void discard(NativeFile made, FarheapException failure) {
        try {
            if (made.isAtItsPath()) {
                UnfinishedFiles.deleteAfter(unfinished(), failure);
            }
        } catch (FarheapException e) {
            failure.addSuppressed(e);
        }
    }

    /**
     * Removes what backups to here have left that were cut; of those that are under way nothing.
     *
     * @return what was removed
     */
    List<Path> removeLeftovers() {
        List<Path> left = new ArrayList<>();
        if (inDirectory) {
            try (DirectoryStream<Path> found =
                    Files.newDirectoryStream(directory(), "*" + SUFFIX + UNFINISHED + "*")) {
                found.forEach(left::add);
            } catch (IOException e) {
                throw FileStatus.unreadableDirectory(directory(), e);
            }
        } else {
            left.add(unfinished());
            left.add(image());
        }
        return left.stream().filter(Files::exists).filter(this::isRemoved).toList();
    }

    private boolean isRemoved(Path leftover) {
        try {
            UnfinishedFiles.removeLeftover(leftover);
            return true;
        } catch (FarheapException e) {
            if (inDirectory && e.category() == Category.ENVIRONMENT) {
                return false; // another backup is under way
            }
            throw e;
        }
    }
}
