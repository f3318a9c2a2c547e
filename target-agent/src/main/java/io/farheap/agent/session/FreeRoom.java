package io.farheap.agent.session;

import io.farheap.agent.log.AgentLog;
import io.farheap.agent.replica.ReplicaPaths;
import io.farheap.poolset.Part;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What the file systems still take that a replica's parts are on, or would be: whoever places new
 * copies asks for it, by a poolset whose parts were never made.
 */
final class FreeRoom {
    private FreeRoom() {}

    /** The least of them in bytes; null: it can't be found out. */
    static Long of(ReplicaPaths paths, AgentLog log) {
        List<Path> folders =
                paths.parts().stream().map(Part::path).map(Path::getParent).distinct().toList();
        long least = Long.MAX_VALUE;
        for (Path folder : folders) {
            try {
                least = Math.min(least, Files.getFileStore(folder).getUsableSpace());
            } catch (IOException e) {
                log.info("How much room " + folder + " has is not known: " + e.getMessage());
                return null;
            }
        }
        return least;
    }
}
