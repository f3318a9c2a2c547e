package io.farheap.tools.poolset;

import io.farheap.pool.FileStatus;
import io.farheap.poolset.Part;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What is at a part's path.
 *
 * @param state in words
 * @param advice what to do before the pool can be created or opened, or null
 * @param store the file system that has it or would get it, or null
 * @param missingBytes what creation still has to allocate there
 */
record PartFile(String state, String advice, Object store, long missingBytes) {

    static PartFile of(Part part) {
        Path path = part.path();
        try {
            Path directory = part.kind() == Part.Kind.DIRECTORY ? path : path.getParent();
            if (!Files.isDirectory(directory)) {
                String advice = "make the directory " + directory;
                return new PartFile("its directory is missing", advice, null, 0);
            }
            Object store = Files.getAttribute(directory, "unix:dev");
            if (part.kind() != Part.Kind.FILE) {
                String kind = part.kind() == Part.Kind.DIRECTORY ? "directory" : "device DAX";
                return new PartFile(kind, null, store, 0);
            }
            FileStatus file = FileStatus.of(path);
            if (!file.exists()) {
                return new PartFile("not there yet", null, store, part.size());
            }
            return existing(part, file, store);
        } catch (IOException e) {
            throw FileStatus.unreadable(path, e);
        }
    }

    private static PartFile existing(Part part, FileStatus file, Object store) {
        Path path = part.path();
        if (!file.isRegular()) {
            return new PartFile("not a file", "name another path for " + path, store, 0);
        }
        long size = file.size();
        if (size == part.size()) {
            return new PartFile("there", null, store, 0);
        }
        return new PartFile(
                "there, with " + size + " bytes",
                path
                        + " has "
                        + size
                        + " bytes, its line says "
                        + part.size()
                        + ": correct the line, or restore the file",
                store,
                0);
    }
}
