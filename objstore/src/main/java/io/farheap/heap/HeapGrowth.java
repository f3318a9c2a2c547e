package io.farheap.heap;

/**
 * Where a heap that has used all of its image gets more: a pool whose parts are made in directories
 * (docs/format.md#growth). Called by one thread at a time, which holds the heap's set-up lock.
 */
public interface HeapGrowth {

    /** A pool of fixed parts. */
    HeapGrowth NONE =
            new HeapGrowth() {
                @Override
                public long mostBytes() {
                    return 0;
                }

                @Override
                public void grow(long bytes) {
                    throw HeapErrors.cannotGrow();
                }
            };

    /** The most bytes that the image may have, here and on every replica; 0: it does not grow. */
    long mostBytes();

    /**
     * Makes the image so much longer, in every local replica, durably and with zeros; the memory
     * shows it when this returns.
     *
     * @param bytes a multiple of 4096, at least {@link HeapExtension#LEAST_BYTES}, within {@link
     *     #mostBytes}
     * @throws RuntimeException when that is impossible; everything is as before then
     */
    void grow(long bytes);
}
