package io.farheap.replication.session;

import io.farheap.base.FarheapException;
import io.farheap.base.ReplicaStatus.State;
import io.farheap.layout.PoolUuid;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.config.AttachOptions;
import io.farheap.replication.control.AttachDecision;
import io.farheap.replication.control.RefusedException;
import io.farheap.replication.control.Reply;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.dirty.DirtyMapSummary;
import io.farheap.spi.ReplicatedPool;
import java.nio.file.Path;
import java.util.List;

/**
 * What follows from an agent's verdict (docs/protocol.md#the-attach-decision), and what a person is
 * told of it.
 */
public final class AttachDecisions {
    private AttachDecisions() {}

    /**
     * Content of which nothing proves that the pool descends from it is overwritten by a person's
     * order only (docs/protocol.md#sync-needs-proof).
     *
     * @throws FarheapException category REPLICA when the replica must not be attached
     */
    public static void check(ReplicatedPool pool, ReplicaSession member, AttachOptions options) {
        boolean ordered = options.overwrite().contains(member.replica());
        switch (member.verdict().kind()) {
            case NEW, CURRENT, SYNC_INTERRUPTED, STALE -> {}
            case NOT_COMPARABLE, OPENED_ON_TARGET, TAKEN_OVER -> {
                if (!ordered) {
                    throw refused(pool, member);
                }
            }
            case NONE -> throw member.fault("its agent gave no verdict on the pool's number");
        }
    }

    /** What a replica is shown as that failed. */
    public static State stateAfter(FarheapException why) {
        boolean anotherPools =
                why instanceof RefusedException refused
                        && (refused.code() == Reply.Code.WRONG_POOL
                                || refused.code() == Reply.Code.OUTSIDE_RECORD);
        return anotherPools || why instanceof OverwriteRefusedException
                ? State.REFUSED
                : State.LOST;
    }

    /** In the same run, and yet the replica is not what this run left there. */
    public static FarheapException changedMeanwhile(ReplicatedPool pool, ReplicaSession member) {
        AttachDecision kind = member.verdict().kind();
        if (kind == AttachDecision.CURRENT) {
            return member.fault(
                    "its journal holds records of another run (number "
                            + member.verdict().slot().journalEpoch()
                            + "); close the pool and open it again");
        }
        if (wantsOrder(kind)) {
            return refused(pool, member);
        }
        if (kind == AttachDecision.STALE) {
            return member.fault(
                    "it had not caught up with the commits that returned; it gets them now");
        }
        return member.fault(
                "its files were removed or a full copy of it began while the pool was open; close"
                        + " the pool and open it again");
    }

    private static boolean wantsOrder(AttachDecision kind) {
        return kind == AttachDecision.NOT_COMPARABLE
                || kind == AttachDecision.OPENED_ON_TARGET
                || kind == AttachDecision.TAKEN_OVER;
    }

    private static FarheapException refused(ReplicatedPool pool, ReplicaSession member) {
        return new OverwriteRefusedException(
                refusal(
                        pool.poolsetFile(),
                        pool.runId(),
                        member.replica(),
                        member.verdict().kind(),
                        member.verdict().slot()));
    }

    /**
     * The numbers that a replica has if it is provably older than a local pool that nobody has
     * open: what changed since is noted beside that.
     *
     * @param beside {@link io.farheap.pool.SideFiles#beside} of the pool
     * @param runId the local pool's number
     * @return empty where nothing is proven
     */
    public static List<Long> ancestors(
            Path beside, PoolUuid poolset, RemoteReplica replica, long runId) {
        return DirtyMapSummary.of(beside, poolset, replica, runId)
                .map(DirtyMapSummary::bases)
                .orElse(List.of());
    }

    /**
     * Why a replica must not be overwritten with a local pool, with both directions.
     *
     * @param runId the local pool's number
     * @param kind what the numbers say: not comparable, taken over or opened on the target
     */
    public static FarheapException refusal(
            Path poolset, long runId, RemoteReplica replica, AttachDecision kind, SlotReport slot) {
        String why =
                switch (kind) {
                    case TAKEN_OVER ->
                            "it was taken over (promoted) and is a pool of its own now; what was"
                                    + " committed on both sides since is never merged";
                    case OPENED_ON_TARGET ->
                            "a program has opened its files on the target, past the agent";
                    default ->
                            "its history and the local pool's can't be compared, so neither is"
                                    + " known to be newer";
                };
        return FarheapException.replica(
                "replica %s: %s %s; %s",
                replica, why, numbers(runId, slot), directions(poolset, replica));
    }

    private static String numbers(long runId, SlotReport slot) {
        return "(local pool: number "
                + runId
                + "; replica: number "
                + slot.cur()
                + (slot.next() == 0 ? "" : ", prepared for " + slot.next())
                + ", run_id "
                + slot.headerRunId()
                + ")";
    }

    /**
     * A refusal with what makes the replica anew, where the target can't open what it has of it.
     * What may be newer than the pool here is never overwritten by {@code sync} alone, and what the
     * target's owner has to mend is no matter of it.
     */
    public static RefusedException advised(
            Path poolset, RemoteReplica replica, RefusedException refused) {
        return switch (refused.code()) {
            case DAMAGED ->
                    refused.with(
                            "if the pool here is whole, this makes the replica anew: farheap sync "
                                    + poolset);
            case EXISTS -> refused.with(overwriting(poolset, replica));
            default -> refused;
        };
    }

    /** What to type to keep the local pool. */
    public static String overwriting(Path poolset, RemoteReplica replica) {
        return "to keep the local pool: farheap sync --overwrite \"" + replica + "\" " + poolset;
    }

    /** What to type to keep the one, or the other. */
    public static String directions(Path poolset, RemoteReplica replica) {
        return overwriting(poolset, replica)
                + "; to keep the replica: farheap sync --from \""
                + replica
                + "\" "
                + poolset;
    }
}
