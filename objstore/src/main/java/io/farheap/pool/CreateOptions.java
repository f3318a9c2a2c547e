package io.farheap.pool;

/**
 * How a pool is created.
 *
 * @param layout the name that programs give when they open it; at most 1023 bytes of UTF-8
 * @param mode permission bits of the part files, once the pool is complete
 * @param shutdownState whether the pool keeps its shutdown state (ctl {@code sds.at_create})
 * @param allocated whether existing files get all their space on the medium (ctl {@code
 *     fallocate.at_create}); new ones always do, but for the next
 * @param fillsUp whether new files in memory get their space when they are written to, if there is
 *     enough: whoever fills them reserves it before their content counts
 * @param prefault whether every page is touched (ctl {@code prefault.at_create})
 */
public record CreateOptions(
        String layout,
        int mode,
        boolean shutdownState,
        boolean allocated,
        boolean fillsUp,
        boolean prefault) {
    /** Only the owner. */
    public static final int DEFAULT_MODE = 0600;

    /** The usual way in all else. */
    public CreateOptions(String layout, int mode) {
        this(layout, mode, true, true, false, false);
    }

    /** For files whose content comes from elsewhere. */
    static CreateOptions fillingUp(int mode) {
        return new CreateOptions("", mode, true, true, true, false);
    }

    /** The usual mode. */
    public static CreateOptions withLayout(String layout) {
        return new CreateOptions(layout, DEFAULT_MODE);
    }
}
