package io.farheap.model.failover;

import io.farheap.model.failover.Cluster.Copy;
import io.farheap.model.failover.Cluster.Record;
import io.farheap.model.failover.FailoverBounds.Chance;

/** A node becomes the writer: it names itself in the record, then ends the old writer's session. */
final class TakeOver {
    private static final String MIXED = "a content that is taken over is at no commit boundary";

    private final Telling telling;

    TakeOver(Telling telling) {
        this.telling = telling;
    }

    void events(Cluster cluster, int node) {
        if (cluster.isIdle(node)
                && cluster.has(Chance.TAKE_OVER)
                && mayStand(cluster, node)
                && telling.trusts(cluster)) {
            name(cluster, node);
        }
        if (cluster.writers[node].at == Writer.NAMED) {
            fence(cluster, node);
        }
        hear(cluster, node);
    }

    /** A member by the record and by its own slot: one of them alone may be of another time. */
    private boolean mayStand(Cluster cluster, int node) {
        Copy copy = cluster.copies[node];
        Record record = cluster.record;
        boolean onlyMembers = telling.holds(FailoverRule.ONLY_MEMBERS);
        boolean numberCounts = onlyMembers && telling.holds(FailoverRule.NUMBER_CHECK);
        boolean whole = copy.syncing == 0 || copy.next == record.number;
        return whole
                && (Cluster.has(record.set, node) || !onlyMembers)
                && (copy.mayBecome(record.number) || !numberCounts);
    }

    private void name(Cluster cluster, int node) {
        Cluster after = telling.with(Chance.TAKE_OVER);
        Record record = after.record;
        record.version++;
        record.term++;
        record.writer = node;
        if (!telling.holds(FailoverRule.KEEP_SET)) {
            record.set = Cluster.bit(node);
        }
        Writer writer = after.writers[node];
        writer.clear();
        writer.at = Writer.NAMED;
        writer.term = record.term;
        writer.version = record.version;
        writer.set = record.set;
        if (!telling.holds(FailoverRule.FENCE_FIRST)) {
            writer.committed = cluster.copies[node].records;
        }
        telling.then("the record names it: take-over", node, after);
    }

    /**
     * The old session ends, the term is durable; then the journal is read, and all of it counts.
     */
    private void fence(Cluster cluster, int node) {
        Cluster after = telling.change();
        Copy copy = after.copies[node];
        Writer writer = after.writers[node];
        if (telling.holds(FailoverRule.FENCE_DURABLE)) {
            copy.term = Math.max(copy.term, writer.term);
        }
        copy.session = writer.term;
        if (copy.next != 0 && copy.next == cluster.record.number) {
            copy.adoptNext();
            writer.committed = 0;
        } else if (telling.holds(FailoverRule.FENCE_FIRST)) {
            writer.committed = copy.records;
        }
        copy.next = 0;
        writer.epoch = copy.epoch;
        writer.at = Writer.FENCED;
        telling.judged("fenced, tail replayed", node, after, copy.mixed == 0 ? null : MIXED);
    }

    private void hear(Cluster cluster, int node) {
        Writer writer = cluster.writers[node];
        if (writer.isAtWork() && cluster.record.term > writer.term) {
            Cluster after = telling.change();
            after.writers[node].depose();
            telling.then("hears that its term is over", node, after);
        }
        if (cluster.isIdle(node)
                && cluster.copies[node].asked == 0
                && telling.holds(FailoverRule.ASK_AFTER_START)) {
            Cluster after = telling.change();
            Copy copy = after.copies[node];
            copy.asked = 1;
            copy.term = Math.max(copy.term, cluster.record.term);
            telling.then("the agent asks the store for the term", node, after);
        }
    }
}
