package io.farheap.memory;

import java.util.Objects;

/** Persistent memory: cache lines written back by libpmem, one store fence for any number. */
final class CacheLineFlushing implements Persistence {
    private final MappedImage image;

    CacheLineFlushing(MappedImage image) {
        this.image = image;
    }

    @Override
    public void flush(long offset, long length) {
        // libpmem gets a bare address: nothing else stands between a wrong offset and a fault.
        Objects.checkFromIndexSize(offset, length, image.size());
        LibPmem.flush(image.address() + offset, length);
    }

    @Override
    public void fence() {
        LibPmem.drain();
    }
}
