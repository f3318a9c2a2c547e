package io.farheap.model.failover;

import io.farheap.model.failover.Cluster.Copy;
import io.farheap.model.failover.Cluster.Epoch;

/** Commits of a writer whose admission is open: each waits for all copies of the set. */
final class OpenAdmission {
    private static final String NOT_IN_THE_NEWEST =
            "a commit is acknowledged that the newest writer's pool lacks";

    private final Telling telling;

    OpenAdmission(Telling telling) {
        this.telling = telling;
    }

    void events(Cluster cluster, int node) {
        Writer writer = cluster.writers[node];
        if (writer.at != Writer.OPEN) {
            return;
        }
        claim(cluster, node);
        for (int member = 0; member < Cluster.NODES; member++) {
            if (member != node && Cluster.has(writer.set, member)) {
                travel(cluster, node, member);
            }
        }
        if (writer.committed < writer.posted && isHeardFromAll(writer, node)) {
            acknowledge(cluster, node);
        }
    }

    private void claim(Cluster cluster, int node) {
        Writer writer = cluster.writers[node];
        Epoch epoch = cluster.epoch(writer.epoch);
        if (cluster.lastCommit < telling.bounds.commits()
                && epoch.length < Cluster.RECORDS
                && writer.posted == epoch.length) {
            Cluster after = telling.change();
            Epoch longer = after.epoch(writer.epoch);
            longer.commits[longer.length++] = ++after.lastCommit;
            after.writers[node].posted++;
            telling.then("a commit sends its record", node, after);
        }
    }

    private void travel(Cluster cluster, int node, int member) {
        Writer writer = cluster.writers[node];
        Copy copy = cluster.copies[member];
        boolean ofEpoch = copy.epoch == writer.epoch && copy.next == 0;
        if (ofEpoch && copy.session == writer.term && copy.records < writer.posted) {
            Cluster after = telling.change();
            after.writers[node].answered[member] = ++after.copies[member].records;
            telling.then("durable there, answered", Telling.pair(node, member), after);
        }
        if (ofEpoch
                && copy.session == 0
                && copy.syncing == 0
                && telling.listens(cluster, member, writer.term)) {
            Cluster after = telling.change();
            after.copies[member].session = writer.term;
            after.writers[node].answered[member] = copy.records;
            telling.then("reconnects in its epoch", Telling.pair(node, member), after);
        }
        if (writer.heard[member] != writer.answered[member]) {
            Cluster after = telling.change();
            after.writers[node].heard[member] = writer.answered[member];
            telling.then("the answer arrives", Telling.pair(node, member), after);
        }
    }

    private static boolean isHeardFromAll(Writer writer, int node) {
        for (int member = 0; member < Cluster.NODES; member++) {
            if (member != node
                    && Cluster.has(writer.set, member)
                    && writer.heard[member] <= writer.committed) {
                return false;
            }
        }
        return true;
    }

    private void acknowledge(Cluster cluster, int node) {
        Writer writer = cluster.writers[node];
        // Without the rule, who has dropped a copy asks the store instead of telling it.
        boolean asks = !telling.holds(FailoverRule.NO_LEASE_AS_PROOF) && writer.set != Cluster.ALL;
        if (asks && writer.checked == 0) {
            if (cluster.record.writer == node) {
                Cluster after = telling.change();
                after.writers[node].checked = 1;
                telling.then("the store says: still the writer", node, after);
            }
            return;
        }
        Cluster after = telling.change();
        Writer mine = after.writers[node];
        int commit = Cluster.bit(cluster.epoch(writer.epoch).commits[writer.committed] - 1);
        after.copies[node].records = ++mine.committed;
        mine.checked = 0;
        after.acknowledged |= commit;
        if (writer.term >= cluster.openTerm) {
            after.openContent |= commit;
        }
        boolean isThere = (after.openContent & commit) != 0;
        telling.judged("the commit returns", node, after, isThere ? null : NOT_IN_THE_NEWEST);
    }
}
