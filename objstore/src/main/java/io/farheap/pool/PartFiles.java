package io.farheap.pool;

import io.farheap.base.FarheapException;
import io.farheap.memory.NativeFile;
import io.farheap.poolset.Part;
import io.farheap.poolset.PoolSetRules;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The files of one local replica's parts, as files: found as the set says and locked, or made.
 * Those that were made here are removed again unless they are {@link #keep kept}. What is in them
 * is for {@link ReplicaFiles}.
 */
final class PartFiles {
    private final List<NativeFile> files = new ArrayList<>();
    private final List<Path> created = new ArrayList<>();
    private boolean kept;

    /** Opens one that exists, as it should be. */
    void open(Part part, boolean readOnly, boolean lock) {
        requireFile(part);
        NativeFile file =
                readOnly ? NativeFile.openReadOnly(part.path()) : NativeFile.open(part.path());
        files.add(file);
        if (lock) {
            file.lock();
        }
        requireSize(part, file.size());
    }

    private static void requireFile(Part part) {
        if (part.kind() == Part.Kind.DIRECTORY) {
            throw FarheapException.wrongUse(
                    "%s is a directory: name part files in the set of a replica that"
                            + " belongs to a pool elsewhere",
                    part.path());
        }
        boolean special = Files.exists(part.path()) && !Files.isRegularFile(part.path());
        if (part.kind() == Part.Kind.DEVICE_DAX || special) {
            throw FarheapException.wrongUse(
                    "%s is not a regular file: only part files are supported", part.path());
        }
    }

    private static void requireSize(Part part, long size) {
        if (size != part.size()) {
            throw FarheapException.badData(
                    "file size does not match config: %s, %s != %s%s",
                    part.path(),
                    size,
                    part.size(),
                    size == 0
                            ? ": it is empty; if the pool ever had data, farheap sync makes it anew"
                                    + " of another copy; farheap status says what is left, also of"
                                    + " a creation that was cut"
                            : "");
        }
        if (size < PoolSetRules.MIN_PART_BYTES) {
            throw FarheapException.badData(
                    "%s: size %s smaller than %s", part.path(), size, PoolSetRules.MIN_PART_BYTES);
        }
    }

    /**
     * Makes one that is missing; opens one that exists.
     *
     * @param poolBytes what all of the pool takes
     */
    void create(Part part, CreateOptions options, long poolBytes) {
        requireFile(part);
        if (Files.isSymbolicLink(part.path()) && !FileStatus.of(part.path()).exists()) {
            throw FarheapException.environment(
                    "%s is a symbolic link, and what it leads to is not there: nothing was made; is"
                            + " its disk mounted? If it is lost, remove the link",
                    part.path());
        }
        if (Files.exists(part.path(), LinkOption.NOFOLLOW_LINKS)) {
            open(part, false, true);
            if (options.allocated()) {
                files.get(files.size() - 1).allocate(part.size());
            }
            return;
        }
        NativeFile file = NativeFile.create(part.path());
        created.add(part.path());
        FilesInMaking.add(part.path());
        files.add(file);
        file.lock();
        if (options.fillsUp() && file.isAllocatedByWriting(poolBytes)) {
            file.truncate(part.size());
        } else {
            file.allocate(part.size());
        }
    }

    /** Has one more, which the caller has opened. */
    void add(NativeFile file) {
        files.add(file);
    }

    int count() {
        return files.size();
    }

    NativeFile get(int part) {
        return files.get(part);
    }

    /**
     * Waits until the content and the names of the files are on the medium; then anybody may use
     * them.
     */
    void complete(int mode) {
        for (NativeFile file : files) {
            file.sync();
            if (created.contains(file.path())) {
                file.setMode(mode);
                file.sync();
            }
        }
        created.stream().map(Path::getParent).distinct().forEach(NativeFile::syncDirectory);
    }

    /** The files are a pool's now. */
    void keep() {
        kept = true;
    }

    /**
     * Removes all that was made here, kept or not, with what notes that other replicas lack
     * something of it.
     */
    void remove(AllSteps steps) {
        for (Path path : created) {
            steps.run(() -> new SideFiles(path).dirtyMaps().forEach(PartFiles::remove));
        }
        removeCreated(steps);
    }

    private void removeCreated(AllSteps steps) {
        created.forEach(FilesInMaking::remove);
        for (Path path : created) {
            steps.run(() -> remove(path));
        }
        created.clear();
    }

    /** Removes what was made here and not kept, then closes all. */
    void close(AllSteps steps) {
        created.forEach(FilesInMaking::remove);
        // Removed before the lock goes: nobody can have opened a half-made file.
        if (!kept) {
            removeCreated(steps);
        }
        for (NativeFile file : files) {
            steps.run(file::close);
        }
    }

    /** Removes a file that no pool uses, durably. */
    static void remove(Path path) {
        boolean unused = NativeFile.delete(path);
        NativeFile.syncDirectory(path.getParent());
    }
}
