package io.farheap.tools.survey;

import io.farheap.poolset.RemoteReplica;
import java.nio.file.Path;

/**
 * What an operator can do, in the words that all commands have for it.
 *
 * @param poolset the poolset file, or the plain pool file
 */
public record NextStep(Path poolset) {

    /** Makes what is lost from what is whole; overwrites nothing that may be newer. */
    public String sync() {
        return "farheap sync " + poolset;
    }

    /** The pool here is right, this replica is not. */
    public String overwrite(RemoteReplica replica) {
        return "farheap sync --overwrite \"" + replica + "\" " + poolset;
    }

    /** This replica is right, the pool here is not. */
    public String from(RemoteReplica replica) {
        return "farheap sync --from \"" + replica + "\" " + poolset;
    }

    /**
     * Removes what is left of a pool, replicas included.
     *
     * @param poolsetFiles those on the targets, too
     */
    public String remove(boolean poolsetFiles) {
        return "farheap rm -f " + (poolsetFiles ? "-r " : "") + poolset;
    }

    /** Says how each copy is. */
    public String status() {
        return "farheap status " + poolset;
    }

    /** Repairs copies here. */
    public String repair() {
        return "farheap check -r " + poolset;
    }

    /** Says what {@link #repair} could do. */
    public String repairPlan() {
        return "farheap check -r -d " + poolset;
    }

    /**
     * A person has chosen which copy is not to be kept.
     *
     * @param what of it is to be moved away
     */
    public String syncWithout(String what) {
        return "move " + what + " away, then " + sync();
    }

    /** The files here and on a target are two pools, and each may be the only copy of itself. */
    public String ofAnotherPool() {
        return "both are left as they are: to go on with the pool here, name another poolset in the"
                + " REPLICA line; to get back the one on the target, "
                + syncWithout("the part files here");
    }
}
