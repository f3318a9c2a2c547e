package io.farheap.tools;

import io.farheap.base.FarheapException;
import io.farheap.layout.PoolHeader;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads pool headers from part files, as copies. */
final class PoolHeaders {
    private PoolHeaders() {}

    /** The first 4096 bytes of {@code file}. */
    static PoolHeader read(Path file) throws IOException {
        byte[] bytes;
        try (InputStream in = Files.newInputStream(file)) {
            bytes = in.readNBytes(Math.toIntExact(PoolHeader.SIZE));
        }
        if (bytes.length < PoolHeader.SIZE) {
            throw FarheapException.badData(
                    "%s ends inside its header: it is no pool, or was cut off; if it is"
                            + " not wanted, the system's rm removes it",
                    file);
        }
        MemorySegment copy = Arena.ofAuto().allocate(PoolHeader.SIZE, Long.BYTES);
        copy.copyFrom(MemorySegment.ofArray(bytes));
        return new PoolHeader(copy);
    }
}
