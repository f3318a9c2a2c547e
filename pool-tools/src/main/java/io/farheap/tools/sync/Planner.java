package io.farheap.tools.sync;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.check.OpeningCheck;
import io.farheap.pool.PartInspection;
import io.farheap.pool.PoolFiles;
import io.farheap.pool.PoolInspection;
import io.farheap.pool.PoolSource;
import io.farheap.replication.control.AttachDecision;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.tools.survey.NextStep;
import io.farheap.tools.survey.RemoteFinding;
import io.farheap.tools.survey.Survey;
import io.farheap.tools.sync.Placement.Row;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/**
 * Decides what is copied from where; changes nothing. Its first rule is that nothing is copied over
 * what may be newer: where numbers do not prove which one is, it refuses and names both ways.
 */
final class Planner {
    private final Path poolset;
    private final NextStep next;
    private final PoolInspection local;
    private final FoundReplicas findings;
    private final SyncOptions orders;
    private final List<String> problems = new ArrayList<>();
    private final List<SyncStep> steps = new ArrayList<>();
    private final CopyPlans fates;
    private final RestorationSource sources;
    private final Combination parts;
    private final SyncRefusals refusals;
    private final RemoteUpdates remotes;

    private Planner(Path poolset, FoundReplicas findings, SyncOptions orders, Set<Row> unplaced) {
        this.poolset = poolset;
        this.next = new NextStep(poolset);
        this.findings = findings;
        this.local = findings.local();
        this.orders = orders;
        this.fates = new CopyPlans(findings);
        this.sources = new RestorationSource(poolset, findings, orders);
        this.parts = new Combination(findings, unplaced);
        this.refusals = new SyncRefusals(poolset, findings, orders);
        this.remotes = new RemoteUpdates(poolset, findings, refusals, fates, problems);
    }

    /**
     * @param poolset the poolset file, for messages
     * @throws FarheapException when nothing can, or nothing may, be done
     */
    static SyncPlan plan(Path poolset, FoundReplicas findings, SyncOptions orders) {
        return plan(poolset, findings, orders, Set.of());
    }

    /**
     * @param unplaced local parts that nothing places, as was seen in their bytes
     */
    static SyncPlan plan(
            Path poolset, FoundReplicas findings, SyncOptions orders, Set<Row> unplaced) {
        findings.local().requireKnown();
        return new Planner(poolset, findings, orders, unplaced).planPastRecord();
    }

    /** Where a record says which copies count, no advice is given to overwrite one of them. */
    private SyncPlan planPastRecord() {
        SyncPlan plan;
        try {
            plan = plan();
        } catch (FarheapException e) {
            if (e.category() == Category.REPLICA) {
                refusals.requireNoRecord(e);
            }
            throw e;
        }
        if (!plan.staysHere()) {
            refusals.requireNoRecord(null);
        }
        return plan;
    }

    private SyncPlan plan() {
        refusals.requireConsistent();
        refusals.requireOnePool();
        refusals.requireRoom();
        problems.addAll(findings.localProblems());
        String lacking = Survey.lacks(local, findings.remotes());
        if (lacking != null) {
            problems.add(lacking);
        }
        int source = Survey.newest(local);
        findings.unreached().forEach(remote -> requireOrderWithout(remote, source));
        if (orders.from() != null) {
            goBack(source);
        } else if (source < 0) {
            combineOrRestorePool();
        } else {
            if (!local.lost().isEmpty()) {
                new RunsHere(poolset, findings, parts).requireSame(source);
                String text = "restore these parts from replica " + findings.numberOf(source);
                steps.add(new SyncStep.RestoreParts(source, text));
                fates.partsFrom(source);
            }
            if (local.lost().isEmpty()) {
                requireOpenable();
            }
            long number = part0(source).runId();
            findings.remotes().forEach(remote -> remotes.bringUp(remote, number));
        }
        if (orders.takeOver() && findings.remotes().stream().anyMatch(RemoteFinding::isHeld)) {
            remotes.attach();
        }
        remotes.addTo(steps);
        return new SyncPlan(problems, fates.all(), steps);
    }

    /**
     * What can't be looked at may be the newest of all, so only who names the source decides to go
     * on without it. It never has the number that the pool gets then, and is refused until ordered.
     */
    private void requireOrderWithout(Unreached remote, int source) {
        boolean named =
                remote.replica().equals(orders.from())
                        || orders.overwrite().contains(remote.replica());
        boolean other = findings.remotes().stream().anyMatch(RemoteFinding::isUsable);
        boolean isHere = source >= 0 || arePartsNewest();
        if (named || isHere && orders.from() == null || !other) {
            throw remote.why();
        }
        if (orders.from() == null) {
            RemoteFinding instead = sources.choose(parts.doubt());
            throw FarheapException.replica(
                    "%s can't be reached, and may be newer than %s (%s); make it"
                            + " reachable, or go on without it%s: %s",
                    remote.name(),
                    instead.name(),
                    remote.why().getMessage(),
                    parts.doubt().isEmpty() ? "" : " and what is left here (" + parts.doubt() + ")",
                    next.from(instead.replica()));
        }
        problems.add(remote.name() + ": " + remote.why().getMessage());
    }

    private PartInspection part0(int replica) {
        return local.replicas().get(replica).get(0);
    }

    /** Replicas of different runs are left alone, unless a program could open them together. */
    private void requireOpenable() {
        boolean differ =
                local.replicas().stream().anyMatch(r -> r.get(0).runId() != part0(0).runId());
        if (differ) {
            PoolFiles.openPrivate(PoolSource.of(poolset), null, OpeningCheck.ofRuns()).close();
        }
    }

    // ---- no local replica is whole ----

    /**
     * A remote replica that has all of it comes first: it needs no proof that parts fit. One that
     * lacks something is brought up to date.
     */
    private void combineOrRestorePool() {
        if (arePartsNewest()) {
            List<Piece> pieces = parts.pieces();
            steps.add(
                    new SyncStep.CombineParts(
                            pieces, "make these parts anew from what the replicas have together"));
            fates.combined(pieces);
            remotes.ofCombinedPool();
            findings.remotes().forEach(remote -> remotes.bringUp(remote, parts.number()));
            return;
        }
        RemoteFinding source = sources.choose(parts.doubt());
        if (parts.isMendable() && !sources.hasAllOf(parts.number())) {
            refusals.requireNoRecord(null);
            throw FarheapException.badData(
                    "%s: no local replica is whole, and together they may have what %s lacks%s, but"
                            + " %s; nothing was changed. If that can be mended, mend it and run this"
                            + " again; to go on with the remote replica all the same: %s",
                    poolset,
                    source.name(),
                    source.mayLag() ? " (commits did not wait for it)" : "",
                    parts.doubt(),
                    next.from(source.replica()));
        }
        if (!parts.doubt().isEmpty()) {
            problems.add("the local replicas can't be put together: " + parts.doubt());
        }
        restorePool(source);
    }

    /** Whether parts that fit together have what no remote replica is known to have. */
    private boolean arePartsNewest() {
        return parts.isPossible() && !sources.hasAllOf(parts.number());
    }

    /** As ordered, whatever is here, unless numbers prove that it is newer. */
    private void goBack(int newest) {
        RemoteFinding source =
                findings.remotes().stream()
                        .filter(remote -> remote.replica().equals(orders.from()))
                        .findFirst()
                        .orElseThrow();
        if (!source.isUsable()) {
            throw SyncRefusals.refusal(
                    source,
                    sources.whyNot(source) + ": the local pool can't be replaced with what it has");
        }
        if (newest >= 0 || parts.isPossible()) {
            long number = parts.isPossible() ? parts.number() : part0(newest).runId();
            if (source.report().slot().decisionOn(number, remotes.ancestors(source, number))
                    == AttachDecision.STALE) {
                throw SyncRefusals.refusal(
                        source,
                        "was left out and lacks what was committed here since (number "
                                + number
                                + "); to go back to what it has: "
                                + next.syncWithout("the part files here"));
            }
        }
        restoreFrom(source);
    }

    private void restorePool(RemoteFinding source) {
        sources.requireNothingNewer(source);
        restoreFrom(source);
    }

    /** Else it may have commits that are nowhere else, and may be repaired. */
    private boolean isNoMoreThanParts(RemoteFinding source) {
        SlotReport slot = source.report().slot();
        return parts.isPossible()
                && source.hasState(ReplicaState.INSYNC)
                && (slot.cur() == parts.number() || slot.next() == parts.number());
    }

    private void restoreFrom(RemoteFinding source) {
        steps.add(
                new SyncStep.RestorePool(
                        source,
                        findings.remotes().stream()
                                .filter(remote -> remote != source)
                                .filter(remote -> remote.isUsable() && !refusals.isOrdered(remote))
                                .sorted(Comparator.comparing(RemoteFinding::mayLag))
                                .toList(),
                        isNoMoreThanParts(source) ? next.overwrite(source.replica()) : "",
                        "restore the whole local pool from "
                                + source.name()
                                + (source.mayLag()
                                        ? ", which commits did not wait for: the last ones may be"
                                                + " missing"
                                        : "")));
        fates.poolFrom(source);
        remotes.attach();
        for (RemoteFinding remote : findings.remotes()) {
            if (remote == source) {
                continue;
            }
            remote.report().faults().forEach(fault -> problems.add(remote.name() + ": " + fault));
            if (remote.hasContent() && !refusals.isOrdered(remote) && !source.contains(remote)) {
                throw sources.undecided(source, remote);
            }
            remotes.fullCopy(remote, "gets a full copy of the restored pool");
        }
    }
}
