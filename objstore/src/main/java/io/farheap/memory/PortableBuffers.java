package io.farheap.memory;

import java.nio.ByteBuffer;

/** What a thread moves bytes between memory and files through. */
final class PortableBuffers {
    static final int BYTES = 64 << 10;

    private static final ThreadLocal<ByteBuffer> OWN =
            ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(BYTES));

    private PortableBuffers() {}

    static ByteBuffer own() {
        return OWN.get();
    }
}
