package io.farheap.model.failover;

import io.farheap.model.failover.Cluster.Copy;
import io.farheap.model.failover.Cluster.Late;
import io.farheap.model.failover.Cluster.Record;
import io.farheap.model.failover.FailoverBounds.Chance;

/** What breaks, what persons do, and requests that arrive late. */
final class Mishaps {
    private final Telling telling;

    Mishaps(Telling telling) {
        this.telling = telling;
    }

    void events(Cluster cluster, int node) {
        late(cluster, node);
        if (cluster.has(Chance.RESTART)) {
            Cluster after = telling.with(Chance.RESTART);
            after.writers[node].clear();
            after.copies[node].session = 0;
            after.copies[node].asked = 0;
            telling.then("CRASH AND RESTART", node, after);
        }
        int at = cluster.writers[node].at;
        if (cluster.has(Chance.LOST_NODE) && (at == Writer.NAMED || at == Writer.FENCED)) {
            Cluster after = telling.with(Chance.LOST_NODE);
            after.writers[node].clear();
            after.copies[node].clear();
            after.copies[node].syncing = 1;
            after.gone |= Cluster.bit(node);
            telling.then("LOST FOR GOOD BEFORE IT OPENED", node, after);
        }
        // Of an older epoch: one of the same epoch can't be told from a crash.
        if (cluster.has(Chance.OLD_BACKUP)
                && cluster.isIdle(node)
                && cluster.copies[node].epoch > 1) {
            Cluster after = telling.with(Chance.OLD_BACKUP);
            Copy copy = after.copies[node];
            copy.clear();
            copy.epoch = copy.term = 1;
            telling.then("OLD BACKUP PUT IN PLACE", node, after);
        }
    }

    /** To the store itself. */
    void events(Cluster cluster) {
        if (cluster.has(Chance.RESTORED_STORE) && cluster.record.version > 1) {
            Cluster after = telling.with(Chance.RESTORED_STORE);
            FailoverModel.first(after.record, telling.bounds);
            after.storeWentBack = 1;
            telling.then("STORE RESTORED FROM A BACKUP", 0, after);
        }
    }

    private void late(Cluster cluster, int node) {
        Late request = cluster.late[node];
        if (request.number == 0) {
            return;
        }
        Cluster after = telling.change();
        Record record = after.record;
        if (record.version == request.version) {
            record.set(record.version + 1, request.term, node, request.set, request.number);
        }
        after.late[node].set(0, 0, 0, 0);
        telling.then("a late request reaches the store", node, after);

        Cluster without = telling.change();
        without.late[node].set(0, 0, 0, 0);
        telling.then("a late request is lost", node, without);
    }
}
