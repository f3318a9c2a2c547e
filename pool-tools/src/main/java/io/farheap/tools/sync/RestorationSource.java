package io.farheap.tools.sync;

import io.farheap.base.FarheapException;
import io.farheap.layout.PoolHeader;
import io.farheap.layout.PoolUuid;
import io.farheap.pool.PartInspection;
import io.farheap.pool.PoolInspection;
import io.farheap.pool.PoolSetEdit;
import io.farheap.pool.RestorationLeftovers;
import io.farheap.pool.SideFiles;
import io.farheap.replication.dirty.DirtyMapSummary;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.tools.survey.NextStep;
import io.farheap.tools.survey.RemoteFinding;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Which remote replica a local pool that is lost may be restored from: the newest one, where
 * numbers prove which that is, and none that lacks what may be left here.
 */
final class RestorationSource {
    private final Path poolset;
    private final NextStep next;
    private final PoolInspection local;
    private final FoundReplicas findings;
    private final SyncOptions orders;

    RestorationSource(Path poolset, FoundReplicas findings, SyncOptions orders) {
        this.poolset = poolset;
        this.next = new NextStep(poolset);
        this.findings = findings;
        this.local = findings.local();
        this.orders = orders;
    }

    private List<RemoteFinding> usable() {
        return findings.remotes().stream()
                .filter(remote -> remote.isUsable() && !isOrdered(remote))
                .toList();
    }

    /** Whether one has all that a pool with that number has, as its number proves. */
    boolean hasAllOf(long run) {
        return usable().stream().anyMatch(remote -> remote.continues(run) && !remote.mayLag());
    }

    /**
     * @param notFromParts why what is left here can't be put together, or empty
     * @throws FarheapException where there is none, or which one is the newest can't be known
     */
    RemoteFinding choose(String notFromParts) {
        List<RemoteFinding> usable = usable();
        if (usable.isEmpty()) {
            List<String> left = RestorationLeftovers.commandsForWholeCopy(local);
            String remotes =
                    findings.remotes().stream()
                            .map(remote -> "; " + remote.name() + " " + whyNot(remote))
                            .collect(Collectors.joining());
            throw FarheapException.badData(
                    "%s: no healthy replica found, nothing can be restored: %s%s%s%s",
                    poolset,
                    String.join("; ", findings.localProblems()),
                    remotes,
                    notFromParts.isEmpty() ? "" : "; " + notFromParts,
                    !left.isEmpty()
                            ? "; a run that was cut has left a whole copy, as old as that run; to take"
                                    + " it, if nothing newer is left anywhere: "
                                    + String.join(" && ", left)
                                    + ", then "
                                    + next.sync()
                            : isNothingThere()
                                    ? "; if the pool never was: farheap create " + poolset
                                    : local.isAbsent()
                                            ? "; put a backup in place"
                                            : "; "
                                                    + next.repairPlan()
                                                    + " says whether what is here can be repaired;"
                                                    + " else put a backup in place");
        }
        // A promoted one may have an owner by now; else the longer tail is the newer one.
        List<RemoteFinding> newestFirst =
                usable.stream()
                        .sorted(
                                Comparator.comparing(
                                                (RemoteFinding remote) ->
                                                        !remote.hasState(ReplicaState.PROMOTED))
                                        .thenComparing(
                                                remote -> -remote.report().slot().lastSequence()))
                        .toList();
        return newestFirst.stream()
                .filter(one -> usable.stream().allMatch(r -> r == one || one.contains(r)))
                .findFirst()
                .orElseThrow(() -> undecided(usable.get(0), usable.get(1)));
    }

    private boolean isNothingThere() {
        return local.isAbsent()
                && findings.unreached().isEmpty()
                && findings.remotes().stream().allMatch(RemoteFinding::isAbsent);
    }

    /** Why nothing can be restored from it. */
    String whyNot(RemoteFinding remote) {
        if (isOrdered(remote)) {
            return "is to be overwritten";
        } else if (remote.isAbsent()) {
            return "has no files";
        } else if (!remote.report().faults().isEmpty()) {
            return "is broken: " + remote.report().faults().get(0);
        } else if (!remote.isComplete()) {
            return "holds no complete copy";
        }
        return "was opened by a program on the target, past the agent";
    }

    /**
     * @throws FarheapException where what is left here may have what the source lacks
     */
    void requireNothingNewer(RemoteFinding source) {
        requireNoReplicaMore(source);
        for (int r = 0; r < local.replicas().size(); r++) {
            requireContinued(part0(r), source);
            requireNotLeftOut(r, source);
        }
    }

    private PartInspection part0(int replica) {
        return local.replicas().get(replica).get(0);
    }

    /** What is left here may name a replica that has more, and that the poolset file lacks. */
    private void requireNoReplicaMore(RemoteFinding source) {
        Set<PoolUuid> known =
                findings.remotes().stream()
                        .map(RemoteFinding::header)
                        .filter(Objects::nonNull)
                        .map(PoolHeader::uuid)
                        .collect(Collectors.toSet());
        PoolSetEdit edit = local.editBeside(known);
        if (edit != null) {
            throw FarheapException.badData(
                    "cannot restore: %s; if it was a remote one: %s",
                    edit.text(), next.from(source.replica()));
        }
    }

    /** What is left here, be it damaged, must not be newer than what it is replaced by. */
    private void requireContinued(PartInspection part, RemoteFinding source) {
        boolean known = part.runId() != 0;
        if (known && !source.continues(part.runId())) {
            throw SyncRefusals.refusal(
                    source,
                    "has the number "
                            + source.report().slot().cur()
                            + ", and "
                            + part.path()
                            + " is left of a pool with the number "
                            + part.runId()
                            + ": which is newer can't be known; to restore from the replica: "
                            + next.syncWithout(part.path().toString()));
        }
    }

    /** What lost its number has what the source lacks, where a map beside it notes that. */
    private void requireNotLeftOut(int replica, RemoteFinding source) {
        boolean left = local.replicas().get(replica).stream().anyMatch(RestorationSource::isLeft);
        if (!left || part0(replica).runId() != 0 || source.mayLag()) {
            return;
        }
        boolean noted =
                DirtyMapSummary.of(
                                SideFiles.of(local.poolSet()).beside(),
                                source.poolsetUuid(),
                                source.replica(),
                                source.report().slot().cur())
                        .isPresent();
        if (noted) {
            throw SyncRefusals.refusal(
                    source,
                    "was left out, and lacks what was committed since, which what is left of "
                            + part0(replica).path()
                            + " may have; "
                            + next.repairPlan()
                            + " says whether that can be repaired; to go on with the replica: "
                            + next.syncWithout("what is left"));
        }
    }

    private static boolean isLeft(PartInspection part) {
        return part.condition() == PartInspection.Condition.BROKEN;
    }

    FarheapException undecided(RemoteFinding one, RemoteFinding other) {
        return FarheapException.replica(
                "which one of %s and %s is newer can't be known; to keep the first:"
                        + " %s; to keep the other: %s",
                one.name(),
                other.name(),
                next.overwrite(other.replica()),
                next.overwrite(one.replica()));
    }

    private boolean isOrdered(RemoteFinding remote) {
        return orders.overwrite().contains(remote.replica());
    }
}
