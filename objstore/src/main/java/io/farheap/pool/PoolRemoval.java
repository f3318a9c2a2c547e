package io.farheap.pool;

import io.farheap.FarheapException;
import io.farheap.FarheapException.Category;
import io.farheap.memory.NativeFile;
import io.farheap.poolset.PoolSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Removes the part files of a pool: all of them, or none when one is in use. */
public final class PoolRemoval {

    private PoolRemoval() {}

    /**
     * Removes every local part file that exists; durable on return. The poolset file stays.
     *
     * @return the files removed
     * @throws FarheapException ENVIRONMENT when one is in use: nothing is removed then
     */
    public static List<Path> remove(PoolSet set) {
        List<NativeFile> locked = new ArrayList<>();
        try {
            for (Path path : paths(set)) {
                if (Files.isRegularFile(path)) {
                    NativeFile file = NativeFile.openReadOnly(path);
                    locked.add(file);
                    file.lock();
                }
            }
            List<Path> removed = new ArrayList<>();
            for (NativeFile file : locked) {
                Files.delete(file.path());
                removed.add(file.path());
            }
            removed.stream().map(Path::getParent).distinct().forEach(NativeFile::syncDirectory);
            return removed;
        } catch (IOException e) {
            throw new FarheapException(
                    Category.ENVIRONMENT, "cannot remove the pool's files: " + e.getMessage(), e);
        } finally {
            locked.forEach(NativeFile::close);
        }
    }

    private static List<Path> paths(PoolSet set) {
        return set.localReplicas().stream()
                .flatMap(replica -> replica.parts().stream())
                .map(part -> part.path())
                .toList();
    }
}
