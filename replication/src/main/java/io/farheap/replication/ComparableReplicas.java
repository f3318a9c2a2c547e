package io.farheap.replication;

import io.farheap.base.FarheapException;
import io.farheap.layout.PoolHeader;
import io.farheap.layout.PoolUuid;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.control.AttachDecision;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.epoch.Parallel;
import io.farheap.replication.fabric.Deadline;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.replication.session.AttachDecisions;
import io.farheap.replication.session.ReplicaReport;
import io.farheap.spi.ReplicatedPool;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Requires, before a record says that the pool here is the one that counts, that no target holds
 * what may be newer: once the record is there, copies that it does not name are overwritten without
 * a person's order.
 */
final class ComparableReplicas {
    private static final Logger LOG = LoggerFactory.getLogger(ComparableReplicas.class);

    /** After five missed ones a session ends, and its agent then lets go. */
    private static final int HEARTBEATS = 6;

    private static final long PAUSE_MILLIS = 500;

    private final ReplicatedPool pool;
    private final ReplicationSettings settings;

    ComparableReplicas(ReplicatedPool pool, ReplicationSettings settings) {
        this.pool = pool;
        this.settings = settings;
    }

    /**
     * Looks at them all at once. Of one that can't be asked nothing is required: its target refuses
     * to overwrite what no writer of the record was ever at. A session that is just ending is
     * waited for, as long as a target may take to notice that its program has ended.
     *
     * @throws FarheapException category REPLICA where one is held by another program, or holds what
     *     can't be compared with the pool here
     */
    void require() {
        List<RemoteReplica> remotes = pool.remotes();
        try {
            Parallel.throwFirst(Parallel.collect(remotes.size(), i -> require(remotes.get(i), i)));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw FarheapException.replica(
                    e, "%s: interrupted while its targets were asked", pool.poolsetFile());
        }
    }

    private void require(RemoteReplica replica, int index) throws InterruptedException {
        RemoteReplicaClient client = new RemoteReplicaClient(replica, index, settings);
        Deadline end = Deadline.in(settings.heartbeat().multipliedBy(HEARTBEATS));
        String holder = "";
        ReplicaReport found;
        try {
            found = client.inspect();
            holder = found.holder();
            while (!holder.isEmpty() && !end.isOver()) {
                Thread.sleep(PAUSE_MILLIS);
                found = client.inspect();
                holder = found.holder();
            }
        } catch (FarheapException e) {
            if (!holder.isEmpty()) {
                throw held(replica, holder);
            }
            LOG.warn(
                    "{} The pool is recorded without it. Where what that target has is of an earlier"
                            + " record, or can't be compared with the pool any more when it is back,"
                            + " it is left as it is, and is no copy until somebody has moved its"
                            + " files away there.",
                    e.getMessage());
            return;
        }
        SlotReport slot = found.slot();
        if (!holder.isEmpty()) {
            throw held(replica, holder);
        }
        if (slot == null) {
            requireNothing(replica, found);
            return;
        }
        if (slot.term() != 0 && slot.state() != ReplicaState.NEW) {
            throw ofAnotherRecord(replica, slot);
        }
        AttachDecision kind =
                slot.decisionOn(
                        pool.runId(),
                        AttachDecisions.ancestors(pool.sideFiles(), uuid(), replica, pool.runId()));
        switch (kind) {
            case NEW, CURRENT, SYNC_INTERRUPTED, STALE, NONE -> {}
            case NOT_COMPARABLE, TAKEN_OVER, OPENED_ON_TARGET ->
                    throw AttachDecisions.refusal(
                            pool.poolsetFile(), pool.runId(), replica, kind, slot);
        }
    }

    private static FarheapException held(RemoteReplica replica, String holder) {
        return FarheapException.replica(
                "replica %s: it is attached to %s, and nobody's copy is put under automatic fail-over"
                        + " while another program writes to it: end that program, or wait until its"
                        + " session has ended; nothing was recorded",
                replica, holder);
    }

    /** Its numbers say only what it has, and not what others of its set have besides. */
    private static FarheapException ofAnotherRecord(RemoteReplica replica, SlotReport slot) {
        return FarheapException.replica(
                "replica %s: it is a copy of an earlier record (%s, number %d%s, has heard a writer of"
                        + " its term %d), and nobody knows whether that has commits that the pool here"
                        + " lacks; compare the two; then move its files to another directory of the"
                        + " target, with what lies beside them, and keep them until you know; nothing"
                        + " was recorded",
                replica,
                slot.state(),
                slot.cur(),
                slot.next() == 0 ? "" : ", prepared for " + slot.next(),
                slot.term());
    }

    private PoolUuid uuid() {
        return new PoolHeader(pool.headerTemplate()).poolsetUuid();
    }

    private static void requireNothing(RemoteReplica replica, ReplicaReport found) {
        if (!found.faults().isEmpty()) {
            throw FarheapException.replica(
                    "replica %s: the target holds %s, and nobody knows whether that is newer than"
                            + " the pool here; mend it, or move its files to another directory of"
                            + " the target and keep them until you know; nothing was recorded",
                    replica, found.text());
        }
    }
}
