package io.farheap.tools.survey;

import java.nio.file.Path;

/** What an operator can do, in the words that all commands have for it. */
public final class NextStep {
    private NextStep() {}

    /** The files here and on a target are two pools, and each may be the only copy of itself. */
    public static String ofAnotherPool(Path poolset) {
        return "both are left as they are: to go on with the pool here, name another poolset in the"
                + " REPLICA line; to get back the one on the target, move the part files here away,"
                + " then farheap sync "
                + poolset;
    }
}
