package io.farheap.pool;

/**
 * How a pool is created.
 *
 * @param layout the name that programs give when they open it; at most 1023 bytes of UTF-8
 * @param mode permission bits of the part files, once the pool is complete
 */
public record CreateOptions(String layout, int mode) {
    /** Only the owner. */
    public static final int DEFAULT_MODE = 0600;

    /** The usual mode. */
    public static CreateOptions withLayout(String layout) {
        return new CreateOptions(layout, DEFAULT_MODE);
    }
}
