package io.farheap.pool;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import java.nio.file.Path;

/**
 * Something about the files of a pool for which it is not opened.
 *
 * @param kind what it is about
 * @param path the part file
 * @param text what is wrong with it
 */
public record PoolFault(Kind kind, Path path, String text) {

    /** What a fault is about. */
    public enum Kind {
        HEADER,
        SHUTDOWN_STATE
    }

    /** File and text. */
    public String sentence() {
        return path + ": " + text;
    }

    /** For those who go no further than the first. */
    void refuse() {
        throw new FarheapException(Category.BAD_DATA, sentence());
    }
}
