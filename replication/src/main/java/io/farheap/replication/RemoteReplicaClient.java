package io.farheap.replication;

import io.farheap.base.FarheapException;
import io.farheap.layout.PoolUuid;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.control.Purpose;
import io.farheap.replication.control.Reply;
import io.farheap.replication.control.Request;
import io.farheap.replication.control.SessionOwner;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.fabric.FabricKind;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.replication.session.AgentConnector;
import io.farheap.replication.session.ComparedReplica;
import io.farheap.replication.session.Fabrics;
import io.farheap.replication.session.KeptAgents;
import io.farheap.replication.session.PoolIdentity;
import io.farheap.replication.session.ReplicaReport;
import io.farheap.replication.session.ReplicaSession;
import java.lang.foreign.Arena;
import java.security.SecureRandom;
import java.util.List;

/**
 * What tools do with one remote replica while no pool is open: look at it, compare it, read it
 * back, remove it. To bring a replica up to date is RemoteReplication.attach, since that concerns
 * all replicas of a set. Every call has an agent of its own. Thread-safe.
 */
public final class RemoteReplicaClient {
    private static final long NO_RECORDS = 64;

    private final RemoteReplica replica;
    private final int index;
    private final ReplicationSettings settings;
    private final AgentConnector connector;
    private final Fabrics fabrics;

    /**
     * @param index the replica's place among the remote ones of its poolset, from 0
     */
    public RemoteReplicaClient(RemoteReplica replica, int index, ReplicationSettings settings) {
        this(replica, index, settings, AgentConnector.of(settings), Fabrics.of(settings));
    }

    public RemoteReplicaClient(
            RemoteReplica replica,
            int index,
            ReplicationSettings settings,
            AgentConnector connector,
            Fabrics fabrics) {
        this.replica = replica;
        this.index = index;
        this.settings = settings;
        this.connector = connector;
        this.fabrics = fabrics;
    }

    /**
     * Looks at the replica; changes nothing, and needs nobody's leave.
     *
     * @throws io.farheap.replication.control.RefusedException when the target has no such replica,
     *     or can't show it
     * @throws FarheapException category REPLICA when the target can't be reached
     */
    public ReplicaReport inspect() {
        try (ReplicaSession member = greet(Purpose.INSPECT, 0, false)) {
            return ReplicaReport.of(member.verdict());
        }
    }

    /**
     * The same; its agent stays for what is done with the replica next.
     *
     * @param agents those that this starts its agents by
     */
    public ReplicaReport inspect(KeptAgents agents) {
        ReplicaSession member = greet(Purpose.INSPECT, 0, false);
        boolean kept = false;
        try {
            ReplicaReport report = ReplicaReport.of(member.verdict());
            agents.keep(member);
            kept = true;
            return report;
        } finally {
            if (!kept) {
                member.abandon();
            }
        }
    }

    /**
     * Removes the replica's part files and journal.
     *
     * @param pool the uuid of the pool that is meant: the target refuses where its files say that
     *     they are another pool's; null: whatever is there is meant
     * @param force also when they are damaged or locked
     * @param poolsetFile the target's poolset file too
     * @param takeOver end the right of whoever holds the replica
     */
    public void remove(PoolUuid pool, boolean force, boolean poolsetFile, boolean takeOver) {
        PoolIdentity named = pool == null ? PoolIdentity.UNKNOWN : PoolIdentity.named(pool);
        try (ReplicaSession member = greet(named, Purpose.REMOVE, 0, takeOver, 0)) {
            member.control().perform(new Request.Remove(force, poolsetFile));
        }
    }

    /**
     * Takes the replica over, to rebuild the local pool from it.
     *
     * @param takeOver end the right of whoever holds it: an initiator that hangs
     * @throws FarheapException category REPLICA when it has no complete copy, is held, or can't be
     *     reached
     */
    public Restoration restore(boolean takeOver) {
        ReplicaSession member = greet(Purpose.RESTORE, 0, takeOver);
        boolean begun = false;
        try {
            ReplicaState state =
                    member.verdict().slot() == null ? null : member.verdict().slot().state();
            if (state != ReplicaState.INSYNC && state != ReplicaState.PROMOTED) {
                throw member.fault(
                        "it holds no complete copy (state "
                                + (state == null ? "unreadable" : state)
                                + "); restore from another one");
            }
            connectData(member);
            Restoration restoration = new Restoration(member, new SecureRandom());
            begun = true;
            return restoration;
        } finally {
            if (!begun) {
                member.abandon();
            }
        }
    }

    /**
     * Makes the replica a pool of its own, on its machine: its whole tail is applied, and nobody
     * who had it can write to it any more.
     *
     * @param takeOver end the right of whoever holds it
     * @throws FarheapException category REPLICA when it has no complete copy, is held, or can't be
     *     reached
     */
    public Reply.Promoted promote(boolean takeOver) {
        return promote(takeOver, 0);
    }

    /**
     * The same of one that has heard a writer under automatic fail-over.
     *
     * @param term the highest that the caller knows it has heard: whoever was here since then is
     *     not passed over
     */
    public Reply.Promoted promote(boolean takeOver, long term) {
        try (ReplicaSession member =
                greet(PoolIdentity.UNKNOWN, Purpose.RESTORE, 0, takeOver, term)) {
            return member.control().call(new Request.Promote(), Reply.Promoted.class);
        }
    }

    /**
     * Takes the replica, so that it stands still, to compare it by checksums; no image byte travels
     * and none is changed.
     *
     * @throws FarheapException category REPLICA when it is held, can't be read or can't be reached
     */
    public ComparedReplica compare() {
        ReplicaSession member = greet(Purpose.VERIFY, 0, false);
        boolean begun = false;
        try {
            connectData(member);
            ComparedReplica compared = new ComparedReplica(member);
            begun = true;
            return compared;
        } finally {
            if (!begun) {
                member.abandon();
            }
        }
    }

    private void connectData(ReplicaSession member) {
        try {
            member.connectData(connector, fabrics, Arena.ofAuto().allocate(NO_RECORDS, 64));
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private ReplicaSession greet(Purpose purpose, long runId, boolean takeOver) {
        return greet(PoolIdentity.UNKNOWN, purpose, runId, takeOver, 0);
    }

    private ReplicaSession greet(
            PoolIdentity pool, Purpose purpose, long runId, boolean takeOver, long term) {
        boolean needsData = purpose == Purpose.RESTORE || purpose == Purpose.VERIFY;
        Request.Hello hello =
                pool.hello(
                        purpose,
                        replica.descriptor(),
                        runId,
                        0,
                        List.of(),
                        SlotReport.NOT_KNOWN,
                        false,
                        takeOver,
                        SessionOwner.NONE,
                        needsData ? fabrics.offeredTo(replica) : FabricKind.TCP_ONLY,
                        settings,
                        term);
        try {
            return ReplicaSession.greet(connector, replica, index, hello, settings);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private FarheapException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return FarheapException.replica(
                e, "replica %s: interrupted while waiting for its agent", replica);
    }
}
