package io.farheap.memory;

import java.lang.invoke.VarHandle;
import java.util.Objects;

/** A platform that flushes CPU caches itself: stores are durable once they left the CPU's core. */
final class StoreFencing implements Persistence {
    private final MappedImage image;

    StoreFencing(MappedImage image) {
        this.image = image;
    }

    @Override
    public void flush(long offset, long length) {
        Objects.checkFromIndexSize(offset, length, image.size());
    }

    @Override
    public void fence() {
        VarHandle.fullFence();
    }
}
