package io.farheap.tools.survey;

import io.farheap.base.FarheapException;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.control.RefusedException;
import io.farheap.replication.control.Reply;
import io.farheap.replication.session.ReplicaReport;

/**
 * What one target said of its replica, or why it did not.
 *
 * @param place of the replica in the poolset file, all replicas counted
 * @param index among the remote ones
 * @param replica the replica
 * @param report what there is; null: the target did not say
 * @param failure why not; null: it did
 */
public record TargetAnswer(
        int place,
        int index,
        RemoteReplica replica,
        ReplicaReport report,
        FarheapException failure) {

    /** Whether the target answers at all. */
    public boolean answers() {
        return report != null || failure instanceof RefusedException;
    }

    /**
     * Whether the target answers that it has no poolset of that name, so that nobody knows what
     * there is: the file system of its poolsets may not be mounted.
     */
    public boolean lacksPoolset() {
        return failure instanceof RefusedException refused
                && refused.code() == Reply.Code.NOT_FOUND;
    }

    /** Whether the target holds content of a pool, or may hold it. */
    public boolean mayHold() {
        return report == null || finding().hasContent();
    }

    /** What there is; only where the target said it. */
    public RemoteFinding finding() {
        return new RemoteFinding(place, index, replica, report);
    }

    /** How the replica is called in messages. */
    public String name() {
        return "replica " + place + " (" + replica + ")";
    }

    /** Why the target did not say what there is, without the replica's name. */
    public String why() {
        String said = failure.getMessage();
        String prefix = "replica " + replica + ": ";
        return said.startsWith(prefix) ? said.substring(prefix.length()) : said;
    }
}
