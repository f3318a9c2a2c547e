package io.farheap.tools;

import io.farheap.base.FarheapException;
import io.farheap.tools.destruction.ConsentToLoss;
import io.farheap.tools.destruction.Destruction;
import io.farheap.tools.report.Output;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The pool that goes before a new one is created in its place, and what is said of it where that
 * fails.
 */
final class ReplacedPool {
    private static final String REMOVED = "the old pool is removed, as was agreed";

    private final Path file;
    private final List<String> gone = new ArrayList<>();
    private final List<String> staying = new ArrayList<>();

    ReplacedPool(Path file) {
        this.file = file;
    }

    /**
     * Removes it, after a question.
     *
     * @param newBytes of the plain file that comes in its place; 0: they are in a poolset file;
     *     negative: it takes what is free then
     */
    void remove(long newBytes, ConsentToLoss consent, Output output) throws IOException {
        try (PoolRemoval removal = PoolRemoval.prepare(file, true, false, false)) {
            removal.requireNoneLeft(); // no pool could be made there, and the old one would be gone
            if (newBytes >= 0) {
                RoomForPool.require(file, newBytes);
            }
            Destruction destruction = new Destruction(consent, output);
            removal.tell(destruction);
            destruction.require("remove all that is there of " + file);
            remove(removal);
        }
    }

    private void remove(PoolRemoval removal) throws IOException {
        try {
            removal.remove(
                    removed -> gone.add(removed.toString()),
                    (stays, why) -> staying.add(stays + " stays, " + why));
        } catch (IOException | FarheapException e) {
            if (gone.isEmpty()) {
                throw e;
            }
            throw HalfRemoved.after(e, gone, "the same command");
        }
    }

    /** How it is with the old one and the new one when the process ends. */
    String ended(BegunPool begun) {
        return gone.isEmpty() ? begun.ended() : standing() + "; " + begun.ended();
    }

    /** What is thrown in place of the failure of the creation. */
    FarheapException after(FarheapException failure, BegunPool begun) {
        return gone.isEmpty()
                ? failure
                : new FarheapException(
                        failure.category(),
                        failure.getMessage()
                                + "; "
                                + standing()
                                + (begun.isAbsent() ? ", and nothing is in its place" : ""),
                        failure);
    }

    private String standing() {
        return staying.isEmpty() ? REMOVED : "of the old pool " + String.join("; ", staying);
    }
}
