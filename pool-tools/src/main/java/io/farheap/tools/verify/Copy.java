package io.farheap.tools.verify;

/** The image of one copy, of which only checksums are known. */
@FunctionalInterface
interface Copy {
    /**
     * CRC32C of each {@code chunk} bytes of {@code length} bytes at {@code from}; the last less.
     *
     * @param chunk at least 64
     */
    int[] sums(long from, long length, long chunk);
}
