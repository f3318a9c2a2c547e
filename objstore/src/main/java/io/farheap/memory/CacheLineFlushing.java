package io.farheap.memory;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/** Persistent memory: cache lines written back by libpmem, one store fence for any number. */
final class CacheLineFlushing implements Persistence {
    private final MappedImage image;

    /**
     * Whether the files are only taken for persistent memory, and lie in a tmpfs; null: unknown.
     */
    private volatile Boolean inMemory;

    CacheLineFlushing(MappedImage image) {
        this.image = image;
    }

    private boolean isInMemory() {
        Boolean known = inMemory;
        if (known == null) {
            known = image.hasFiles() && image.isInMemory();
            inMemory = known;
        }
        return known;
    }

    @Override
    public void flush(long offset, long length) {
        // libpmem gets a bare address: nothing else stands between a wrong offset and a fault.
        Objects.checkFromIndexSize(offset, length, image.size());
        LibPmem.flush(image.address() + offset, length);
    }

    @Override
    public boolean copyIn(long offset, MemorySegment source, long sourceOffset, long length) {
        if (!source.isNative()) {
            return false;
        }
        Objects.checkFromIndexSize(offset, length, image.size());
        Objects.checkFromIndexSize(sourceOffset, length, source.byteSize());
        if (isInMemory()) {
            image.write(offset, source.asSlice(sourceOffset, length));
            return true;
        }
        // Native code that does not reach a page ends the process, where a store of the JVM's
        // throws.
        image.requireWhole(offset, offset + length);
        LibPmem.copy(image.address() + offset, source.address() + sourceOffset, length);
        return true;
    }

    @Override
    public void fence() {
        LibPmem.drain();
    }
}
