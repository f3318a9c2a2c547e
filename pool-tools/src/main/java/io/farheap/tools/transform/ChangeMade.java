package io.farheap.tools.transform;

import io.farheap.base.FarheapException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Whether the local change is made, from where on the new poolset file names the pool: what is said
 * of an end after that.
 */
final class ChangeMade {
    private final Path source;
    private final Path target;
    private final boolean hasRemotes;
    private volatile boolean made;

    /**
     * @param hasRemotes whether replicas elsewhere come or go after it
     */
    ChangeMade(Path source, Path target, boolean hasRemotes) {
        this.hasRemotes = hasRemotes;
        this.source = source;
        this.target = target;
    }

    /** All new parts are in their places, as their files say that were read again. */
    void nowMade() {
        made = true;
    }

    boolean isMade() {
        return made;
    }

    /** What is so from then on, and what to do. */
    String said() {
        Path note = SwitchNote.beside(target);
        String done = "%s names the pool now, %s does not; ".formatted(target, source);
        if (Files.exists(note)) {
            return done + "give the same command again, which goes on and removes " + note;
        }
        return done
                + (hasRemotes
                        ? "give the same command again, which goes on with the replicas elsewhere"
                        : "to see that all is well: farheap status " + target);
    }

    /**
     * Takes a step.
     *
     * @throws FarheapException that of the step, which says what is so where the change is made
     */
    void then(Runnable step) {
        try {
            step.run();
        } catch (FarheapException e) {
            if (!made) {
                throw e;
            }
            throw new FarheapException(
                    e.category(), e.getMessage() + "; but the change is done here: " + said(), e);
        }
    }
}
