package io.farheap.tools.sync;

import io.farheap.base.FarheapException;
import io.farheap.layout.PoolUuid;
import io.farheap.pool.CutFeature;
import io.farheap.pool.PoolInspection;
import io.farheap.tools.survey.NextStep;
import io.farheap.tools.survey.RemoteFinding;
import java.nio.file.Path;

/** Why a sync of what was found must not be planned, with what to do instead; changes nothing. */
final class SyncRefusals {
    private final Path poolset;
    private final FoundReplicas findings;
    private final PoolInspection local;
    private final SyncOptions orders;
    private final NextStep next;

    SyncRefusals(Path poolset, FoundReplicas findings, SyncOptions orders) {
        this.poolset = poolset;
        this.findings = findings;
        this.local = findings.local();
        this.orders = orders;
        this.next = new NextStep(poolset);
    }

    /** Refuses local files that are not what the poolset file says, or not of one pool. */
    void requireConsistent() {
        if (local.edit() != null) {
            throw FarheapException.badData("cannot restore: %s", local.edit().text());
        }
        if (local.conflict() != null) {
            CutFeature cut = local.cutFeature();
            throw FarheapException.badData(
                    "cannot restore: %s%s",
                    local.conflict(),
                    cut == null
                            ? "; name the files in the poolset file that belong there;"
                                    + " nothing was changed"
                            : "; first: " + cut.command(poolset));
        }
    }

    /**
     * Refuses everything where a record in a store says which copies count.
     *
     * @param cause what would have been said without the record; or null
     */
    void requireNoRecord(FarheapException cause) {
        findings.record().ifPresent(why -> refuseFor(why, cause));
    }

    private void refuseFor(String why, FarheapException cause) {
        throw FarheapException.replica(
                cause,
                "%s is under automatic fail-over (%s): the record in the store says which copies"
                        + " count, and whoever writes brings the others up to date by itself;"
                        + " nothing was changed. Start the program on a node that the record has in"
                        + " its set (farheap ha status); only where the record is lost for good, or"
                        + " no copy of its set is left, make one copy a pool without fail-over"
                        + " (farheap promote --despite-record, there)",
                poolset,
                why);
    }

    void requireOnePool() {
        PoolUuid pool = local.anyHeader() == null ? null : local.anyHeader().poolsetUuid();
        for (RemoteFinding remote : findings.remotes()) {
            PoolUuid uuid = remote.poolsetUuid();
            if (pool != null && uuid != null && !pool.equals(uuid)) {
                throw refusal(
                        remote,
                        "belongs to another pool than the files here; " + next.ofAnotherPool());
            }
            boolean source = remote.isComplete() && !isOrdered(remote);
            pool = pool == null && source ? uuid : pool;
        }
    }

    /** In the end all remote replicas are attached, which one that is too small can't be. */
    void requireRoom() {
        long size = local.poolSet().poolSize();
        for (RemoteFinding remote : findings.remotes()) {
            if (remote.report().imageSize() < size) {
                throw refusal(
                        remote,
                        "has room for "
                                + remote.report().imageSize()
                                + " bytes, the pool that "
                                + poolset
                                + " describes has "
                                + size
                                + ": give the parts here the sizes they had, or the target's"
                                + " poolset larger ones");
            }
        }
    }

    /** Refuses while another program has a remote replica, unless it is to be taken over. */
    void requireFree() {
        if (!orders.takeOver()) {
            findings.remotes().stream()
                    .filter(RemoteFinding::isHeld)
                    .findFirst()
                    .ifPresent(SyncRefusals::refuseHeld);
        }
    }

    private static void refuseHeld(RemoteFinding remote) {
        if (!remote.report().faults().isEmpty()) {
            throw refusal(
                    remote,
                    "is in use by "
                            + remote.report().holder()
                            + ", and may get commits that nothing else has: nothing was changed; end"
                            + " that program first");
        }
        throw refusal(
                remote,
                "is attached to "
                        + remote.report().holder()
                        + ", also after it was waited for; end that program, or take over if it"
                        + " hangs (--take-over)");
    }

    boolean isOrdered(RemoteFinding remote) {
        return orders.overwrite().contains(remote.replica());
    }

    void requireOrder(RemoteFinding remote) {
        if (!isOrdered(remote)) {
            throw refusal(
                    remote,
                    "has files on the target, but nothing tells how old they are ("
                            + remote.report().faults().get(0)
                            + "); to copy the local pool over them: "
                            + next.overwrite(remote.replica()));
        }
    }

    /** What it has may be right where what the local replicas have together is not. */
    FarheapException notUnasked(RemoteFinding remote, String why) {
        return refusal(
                remote,
                "is not copied over unasked while no local replica is whole: "
                        + why
                        + "; to make the local pool from what its replicas have together, and copy"
                        + " that over it: "
                        + next.overwrite(remote.replica()));
    }

    static FarheapException refusal(RemoteFinding remote, String why) {
        return FarheapException.replica("%s %s", remote.name(), why);
    }
}
