package io.farheap.tools;

import io.farheap.agent.Promotion;
import io.farheap.base.FarheapException;
import io.farheap.pool.SideFiles;
import io.farheap.poolset.Part;
import io.farheap.poolset.PoolSetParser;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Whether a pool can have room once another one with the same files is gone: asked before that
 * goes. Whatever is not known counts as room, and then the creation fails by itself.
 */
final class RoomForPool {
    /** What the new files of a file system take more than the old ones. */
    private final Map<FileStore, Long> more = new HashMap<>();

    private RoomForPool() {}

    /**
     * Requires it.
     *
     * @param bytes of a plain file; 0: of a poolset file, which has the sizes
     * @throws FarheapException ENVIRONMENT where there is too little
     */
    static void require(Path file, long bytes) throws IOException {
        RoomForPool room = new RoomForPool();
        for (Part part : parts(file.toAbsolutePath(), bytes)) {
            room.add(part);
        }
        for (Map.Entry<FileStore, Long> each : room.more.entrySet()) {
            long free = each.getKey().getUnallocatedSpace();
            if (each.getValue() > free) {
                throw FarheapException.environment(
                        "%s: the new pool takes %s bytes more than what is there now, and %s has %s"
                                + " free: make room, or choose a smaller size; nothing was changed",
                        file, each.getValue(), each.getKey(), free);
            }
        }
    }

    private static List<Part> parts(Path file, long bytes) throws IOException {
        return bytes != 0
                ? List.of(Part.file(file, bytes))
                : PoolSetParser.parse(file).localReplicas().stream()
                        .flatMap(replica -> replica.parts().stream())
                        .filter(part -> part.kind() == Part.Kind.FILE)
                        .toList();
    }

    private void add(Part part) throws IOException {
        Path directory = part.path().toAbsolutePath().getParent();
        if (!Files.isDirectory(directory)) {
            return;
        }
        more.merge(Files.getFileStore(directory), part.size() - freed(part.path()), Long::sum);
    }

    /** At the most: of another name of a file, or of one with holes, it is less. */
    private static long freed(Path part) throws IOException {
        List<Path> all = new ArrayList<>(Promotion.remains(part));
        all.addAll(new SideFiles(part).diskJournals());
        all.add(part);
        long bytes = 0;
        for (Path each : all) {
            if (Files.isRegularFile(each, LinkOption.NOFOLLOW_LINKS)) {
                bytes += Files.size(each);
            }
        }
        return bytes;
    }
}
