package io.farheap.tools;

import io.farheap.base.FarheapException;
import io.farheap.memory.NativeFile;
import io.farheap.pool.FilesInMaking;
import io.farheap.pool.PoolSource;
import io.farheap.pool.SideFiles;
import io.farheap.poolset.Part;
import io.farheap.poolset.PoolSet;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The files here of a pool that is being created: what becomes of them if the process ends. */
final class BegunPool {
    private final Path file;
    private final List<Path> parts;
    private final boolean hasRemotes;

    /** Beside its parts; a disk journal may be all that is left of another pool. */
    private final List<Path> before;

    private BegunPool(Path file, List<Path> parts, boolean hasRemotes) {
        this.file = file;
        this.parts = parts;
        this.hasRemotes = hasRemotes;
        this.before = parts.stream().flatMap(BegunPool::beside).filter(BegunPool::isThere).toList();
    }

    /**
     * @param file a pool's
     * @param set whether it is a poolset file
     */
    static BegunPool of(Path file, boolean set) {
        if (!set) {
            return new BegunPool(file, List.of(file), false);
        }
        PoolSet poolSet = PoolSource.of(file.toAbsolutePath()).forCreation();
        List<Path> parts =
                poolSet.localReplicas().stream()
                        .flatMap(replica -> replica.parts().stream())
                        .filter(part -> part.kind() == Part.Kind.FILE)
                        .map(Part::path)
                        .toList();
        return new BegunPool(file, parts, !poolSet.remoteReplicas().isEmpty());
    }

    /** Whether none of its parts is there. */
    boolean isAbsent() {
        return parts.stream().noneMatch(BegunPool::isThere);
    }

    private static boolean isThere(Path part) {
        return Files.exists(part, LinkOption.NOFOLLOW_LINKS);
    }

    /**
     * Removes what this process has made and nobody else has had, and says so. What another program
     * made meanwhile stays, as does a pool that is complete.
     */
    String ended() {
        boolean any = false;
        try {
            for (Path part : parts) {
                any |= remove(part);
            }
        } catch (FarheapException e) {
            return "a part file that was begun is left ("
                    + e.getMessage()
                    + "): farheap rm -f "
                    + file;
        }
        if (!any && !isAbsent()) {
            return "what is in place here is complete, or was not made by this command, and stays:"
                    + " farheap status "
                    + file;
        }
        return (any ? "the part files here that were begun are removed" : "no part file was begun")
                + "; give the same command again"
                + (any && hasRemotes
                        ? ", with -f where a target holds what was begun of a replica"
                        : "");
    }

    /** The part first: a marked one without its disk journal would be worse. */
    private boolean remove(Path part) {
        if (!FilesInMaking.delete(part)) {
            return false;
        }
        beside(part).filter(side -> !before.contains(side)).forEach(NativeFile::delete);
        return true;
    }

    private static Stream<Path> beside(Path part) {
        SideFiles beside = new SideFiles(part);
        Stream<Path> dirtyMaps =
                isThere(part.toAbsolutePath().getParent())
                        ? beside.dirtyMaps().stream()
                        : Stream.empty();
        return Stream.concat(
                Stream.of(beside.unfinishedDiskJournal(), beside.diskJournal(), beside.status()),
                dirtyMaps);
    }
}
