package io.farheap.heap;

/** Which units or chunks an object has; image offsets and bytes. */
final class Place {
    long realOffset;
    long realSize;
    int headerSize;

    long userOffset() {
        return realOffset + headerSize;
    }
}
