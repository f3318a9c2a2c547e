package io.farheap.pool;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.Part;
import io.farheap.poolset.PoolSet;
import io.farheap.poolset.PoolSetParser;
import io.farheap.poolset.PoolSetRules;
import io.farheap.poolset.PoolSetSyntaxException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Where a pool is: a poolset file, told by its first 11 bytes, or one plain pool file, which is a
 * set of one part.
 *
 * @param path the file
 * @param size bytes of the plain file to create; 0 for a poolset file, for opening, and for an
 *     existing empty file whose own size counts
 */
public record PoolSource(Path path, long size) {

    public PoolSource {
        path = Objects.requireNonNull(path, "path").toAbsolutePath();
        if (size < 0) {
            throw FarheapException.wrongUse("a pool can't have %s bytes", size);
        }
    }

    /** A poolset file, or a plain pool file that exists. */
    public static PoolSource of(Path path) {
        return new PoolSource(path, 0);
    }

    /** A plain pool file of {@code size} bytes, to be created. */
    public static PoolSource newFile(Path path, long size) {
        return new PoolSource(path, size);
    }

    /** Whether the path names a poolset file. */
    public boolean isPoolSet() {
        try {
            return FileStatus.of(path).isRegular() && PoolSetParser.isPoolSet(path);
        } catch (IOException e) {
            throw FileStatus.unreadable(path, e);
        }
    }

    /**
     * The set of an existing pool, its rules checked; of a set of directories the files that are in
     * them.
     *
     * @throws FarheapException BAD_DATA for a mistake in the poolset file, ENVIRONMENT where
     *     nothing can be read
     */
    public PoolSet existing() {
        if (isPoolSet()) {
            PoolSet written = parsed();
            return written.isDirectorySet() ? DirectoryParts.of(written).existing() : written;
        }
        FileStatus file = requireFile();
        if (file.size() < PoolSetRules.MIN_PART_BYTES) {
            throw FarheapException.badData(
                    "%s: size %s smaller than %s: it is no pool, or was cut off; name a"
                            + " pool, or put it back from a backup",
                    path, file.size(), PoolSetRules.MIN_PART_BYTES);
        }
        return single(file.size());
    }

    /**
     * Refuses what can be neither a poolset file nor a pool file, without opening it.
     *
     * @return what is there
     * @throws FarheapException ENVIRONMENT where nothing is there, or it can't be looked at;
     *     BAD_DATA for a directory, a device or a pipe
     */
    public FileStatus requireFile() {
        FileStatus found = FileStatus.of(path);
        if (!found.exists()) {
            throw FarheapException.environment(
                    "%s: No such file or directory; name a pool or a poolset file that is"
                            + " there",
                    path);
        }
        if (!found.isRegular()) {
            throw FarheapException.badData(
                    "%s, neither a poolset file nor a pool file: name one of these",
                    path + (Files.isDirectory(path) ? " is a directory" : " is no regular file"));
        }
        return found;
    }

    /** What is in its directories; null for a pool of files. */
    DirectoryParts directories() {
        PoolSet written = isPoolSet() ? parsed() : null;
        return written != null && written.isDirectorySet() ? DirectoryParts.of(written) : null;
    }

    /** Every part file in the directories of a set of directories; of another pool none. */
    public List<Path> filesInDirectories() {
        DirectoryParts directories = directories();
        return directories == null ? List.of() : directories.files();
    }

    /**
     * The set of a pool to create, its part files named.
     *
     * @throws FarheapException WRONG_USE where size and path do not fit together
     */
    public PoolSet forCreation() {
        if (isPoolSet()) {
            if (size != 0) {
                throw FarheapException.wrongUse(
                        "%s is a poolset file: its parts have their sizes there, give none", path);
            }
            PoolSet written = parsed();
            return written.isDirectorySet() ? DirectoryParts.of(written).forCreation() : written;
        }
        boolean exists = FileStatus.of(path).exists();
        if (exists && size != 0) {
            throw FarheapException.wrongUse(
                    "file %s already exists: open it, or name another", path);
        }
        if (!exists && size == 0) {
            throw FarheapException.wrongUse("%s does not exist: give the size of the pool", path);
        }
        long bytes = exists ? existingSize() : size;
        if (bytes < PoolSetRules.MIN_POOL_BYTES) {
            throw FarheapException.wrongUse(
                    "%s: size %s smaller than %s: a pool needs 8 MiB at least",
                    path, bytes, PoolSetRules.MIN_POOL_BYTES);
        }
        return single(bytes);
    }

    private long existingSize() {
        FileStatus file = FileStatus.of(path);
        if (!file.isRegular()) {
            throw FarheapException.wrongUse("%s is not a file: name a file", path);
        }
        return file.size();
    }

    private PoolSet single(long bytes) {
        return PoolSet.of(Set.of(), List.of(new LocalReplica(List.of(Part.file(path, bytes)))));
    }

    /**
     * What a poolset file says by itself, its rules checked.
     *
     * @throws FarheapException BAD_DATA for a mistake in it, or where it is none
     */
    PoolSet written() {
        if (!isPoolSet()) {
            throw FarheapException.badData(
                    "%s is no poolset file any more: its first line is not %s",
                    path, PoolSet.SIGNATURE);
        }
        return parsed();
    }

    private PoolSet parsed() {
        try {
            PoolSet set = PoolSetParser.parse(path);
            PoolSetRules.checkLocal(set);
            return set;
        } catch (IOException e) {
            throw FileStatus.unreadable(path, e);
        } catch (PoolSetSyntaxException e) {
            throw new FarheapException(Category.BAD_DATA, e.getMessage(), e);
        }
    }
}
