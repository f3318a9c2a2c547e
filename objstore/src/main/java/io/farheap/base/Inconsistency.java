package io.farheap.base;

import java.nio.file.Path;

/**
 * One thing that should not be.
 *
 * @param structure where in the pool
 * @param file the part file that holds it; null for a pool that lives in memory alone
 * @param offset of the structure in question: in the part file for {@link Structure#PART}, {@link
 *     Structure#HEADER} and {@link Structure#SHUTDOWN_STATE}, else in the image of the replica
 * @param meaning what is wrong and where, in a sentence
 */
public record Inconsistency(Structure structure, Path file, long offset, String meaning) {

    /** The sentence, with the file before it where there is one that it does not name itself. */
    @Override
    public String toString() {
        boolean named = file == null || meaning.contains(file.toString());
        return named ? meaning : file + ": " + meaning;
    }
}
