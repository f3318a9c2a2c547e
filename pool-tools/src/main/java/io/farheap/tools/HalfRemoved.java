package io.farheap.tools;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import java.util.List;

/** What is said of a removal that fails when some of it is done. */
final class HalfRemoved {
    private HalfRemoved() {}

    /**
     * What is thrown in its place.
     *
     * @param gone what is removed by then
     * @param command goes on
     */
    static FarheapException after(Exception failure, List<String> gone, String command) {
        return new FarheapException(
                failure instanceof FarheapException ours ? ours.category() : Category.ENVIRONMENT,
                Failure.of(failure).sentence()
                        + "; removed already: "
                        + String.join(", ", gone)
                        + "; "
                        + command
                        + " goes on then",
                failure);
    }
}
