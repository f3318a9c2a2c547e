package io.farheap.tools;

import io.farheap.base.FarheapException;
import io.farheap.layout.PoolHeader;
import io.farheap.pool.FileStatus;
import io.farheap.poolset.Part;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Whether what lies at a part's path is that part, or what is left of it: a poolset file with a
 * wrong path must not remove somebody's file. A part without a header, or one that is damaged, is
 * told by its size.
 */
final class PartRemains {
    private static final int CHUNK = 1 << 16;

    private PartRemains() {}

    /**
     * @param set the poolset file, for the message
     * @throws FarheapException BAD_DATA for any other file
     */
    static void require(Path set, Part part) throws IOException {
        Path path = part.path();
        FileStatus found = FileStatus.of(path);
        boolean is =
                found.isRegular()
                        && (found.size() == part.size()
                                || found.size() == 0
                                || isPool(path, found)
                                || isZero(path));
        if (!is) {
            throw FarheapException.badData(
                    "%s: it is no part of a pool, nothing was removed; correct its line in"
                            + " %s, or move it away",
                    path
                            + (found.isRegular()
                                    ? " has " + found.size() + " bytes and no pool header"
                                    : " is not a regular file"),
                    set);
        }
    }

    private static boolean isPool(Path path, FileStatus found) throws IOException {
        return found.size() >= PoolHeader.SIZE
                && PoolHeaders.read(path).signature().equals(PoolHeader.SIGNATURE);
    }

    private static boolean isZero(Path path) throws IOException {
        try (InputStream in = Files.newInputStream(path)) {
            byte[] bytes = in.readNBytes(CHUNK);
            while (bytes.length > 0) {
                for (byte each : bytes) {
                    if (each != 0) {
                        return false;
                    }
                }
                bytes = in.readNBytes(CHUNK);
            }
            return true;
        }
    }
}
