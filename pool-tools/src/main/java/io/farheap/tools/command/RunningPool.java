package io.farheap.tools.command;

import io.farheap.layout.PoolHeader;
import io.farheap.memory.NativeFile;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/** A pool that a program has open, by which it is asked for. */
public final class RunningPool {
    private RunningPool() {}

    /**
     * The number by which its program knows the pool.
     *
     * @param firstPart of the pool
     */
    public static long poolId(Path firstPart) {
        byte[] page = new byte[(int) PoolHeader.SIZE];
        try (NativeFile part = NativeFile.openReadOnly(firstPart)) {
            long unused = part.read(MemorySegment.ofArray(page), 0);
        }
        return new PoolHeader(MemorySegment.ofArray(page)).poolsetUuid().poolId();
    }
}
