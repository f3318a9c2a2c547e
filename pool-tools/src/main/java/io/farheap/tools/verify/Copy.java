package io.farheap.tools.verify;

/** The image of one copy, of which only checksums are known. */
interface Copy {
    /**
     * CRC32C of each {@code chunk} bytes of {@code length} bytes at {@code from}; the last less.
     *
     * @param chunk at least 64
     */
    int[] sums(long from, long length, long chunk);

    /**
     * Whether this copy and another are known to hold the same bytes there, without checksums.
     * False where that can't be told so.
     */
    default boolean isSame(Copy other, long from, long length) {
        return false;
    }
}
