package io.farheap.agent.session;

import io.farheap.agent.base.Refusal;
import io.farheap.agent.replica.ReplicaInspection;
import io.farheap.agent.replica.ReplicaPaths;
import io.farheap.base.FarheapException;
import io.farheap.replication.control.Reply.Code;

/**
 * A replica that is there and can't be opened, judged by what an inspection tells of it: so the
 * initiator says of a refusal what {@code farheap sync} is going to say.
 */
final class UnopenedReplica {
    private UnopenedReplica() {}

    /**
     * The refusal with the code that tells what makes the replica anew.
     *
     * @param paths where it is; its lock is held
     * @param why it can't be opened
     * @return DAMAGED where its journal tells how old it is, so that a sync may copy over it;
     *     EXISTS where only a person can know; else the same
     */
    static FarheapException refusal(ReplicaPaths paths, FarheapException why) {
        Refusal refusal = Refusal.of(why);
        boolean files =
                refusal.code() == Code.DAMAGED
                        || refusal.code() == Code.ACCESS
                        || refusal.code() == Code.NOT_FOUND;
        if (!files) {
            return why;
        }
        ReplicaInspection found = ReplicaInspection.of(paths, false);
        boolean isNumbered = found.slot() != null && !found.faults().isEmpty();
        if (isNumbered) {
            return new Refusal(Code.DAMAGED, refusal.getMessage(), "Mend that on the target.", why);
        }
        return refusal.code() == Code.ACCESS
                ? why
                : new Refusal(
                        Code.EXISTS,
                        message(refusal, paths),
                        "Nothing tells how old its content is.",
                        why);
    }

    private static String message(Refusal refusal, ReplicaPaths paths) {
        return refusal.code() == Code.NOT_FOUND
                ? "On the target the journal "
                        + paths.journal().path()
                        + " is empty, beside part files that are not."
                : refusal.getMessage();
    }
}
