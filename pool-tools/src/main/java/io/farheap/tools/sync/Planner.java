package io.farheap.tools.sync;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.check.OpeningCheck;
import io.farheap.layout.PoolUuid;
import io.farheap.pool.CutFeature;
import io.farheap.pool.PartInspection;
import io.farheap.pool.PoolFiles;
import io.farheap.pool.PoolInspection;
import io.farheap.pool.PoolSource;
import io.farheap.pool.SideFiles;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.control.AttachDecision;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.replication.session.AttachDecisions;
import io.farheap.tools.survey.NextStep;
import io.farheap.tools.survey.RemoteFinding;
import io.farheap.tools.survey.Survey;
import io.farheap.tools.sync.Placement.Row;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
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
    private final Set<RemoteReplica> overwrite = new HashSet<>();
    private final List<String> copies = new ArrayList<>();
    private final CopyPlans fates;
    private final RestorationSource sources;
    private final Combination parts;
    private boolean attach;

    /** The local pool is made from what several replicas have together. */
    private boolean isCombined;

    private Planner(Path poolset, FoundReplicas findings, SyncOptions orders, Set<Row> unplaced) {
        this.poolset = poolset;
        this.next = new NextStep(poolset);
        this.findings = findings;
        this.local = findings.local();
        this.orders = orders;
        this.fates = new CopyPlans(findings);
        this.sources = new RestorationSource(poolset, findings, orders);
        this.parts = new Combination(findings, unplaced);
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
        SyncPlan plan = new Planner(poolset, findings, orders, unplaced).planPastRecord();
        if (!plan.staysHere()) {
            findings.record().ifPresent(why -> refuseFor(poolset, why, null));
        }
        return plan;
    }

    /** Where a record says which copies count, no advice is given to overwrite one of them. */
    private SyncPlan planPastRecord() {
        try {
            return plan();
        } catch (FarheapException e) {
            if (e.category() == Category.REPLICA) {
                findings.record().ifPresent(why -> refuseFor(poolset, why, e));
            }
            throw e;
        }
    }

    private static void refuseFor(Path poolset, String why, FarheapException cause) {
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

    private SyncPlan plan() {
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
        requireOnePool();
        requireRoom();
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
            findings.remotes().forEach(remote -> bringUp(remote, number));
        }
        attach |= orders.takeOver() && findings.remotes().stream().anyMatch(RemoteFinding::isHeld);
        if (attach) {
            addAttach();
        }
        return new SyncPlan(problems, fates.all(), steps);
    }

    private void requireOnePool() {
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
    private void requireRoom() {
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

    // ---- the local pool is there ----

    private void bringUp(RemoteFinding remote, long number) {
        if (remote.isAbsent()) {
            fullCopy(remote, "has no files on the target yet");
            return;
        }
        remote.report().faults().forEach(fault -> problems.add(remote.name() + ": " + fault));
        if (remote.isUnreadable()) {
            requireOrder(remote);
            fullCopy(remote, null);
            return;
        }
        AttachDecision kind = remote.report().slot().decisionOn(number, ancestors(remote, number));
        switch (kind) {
            case NEW -> fullCopy(remote, "has no content yet");
            case SYNC_INTERRUPTED -> fullCopy(remote, "a full copy of it never ended");
            case CURRENT -> current(remote);
            case STALE -> {
                bringUp(
                        remote,
                        remote.mayLag()
                                ? "commits did not wait for it, the last may be missing"
                                : "it was left out and lacks what changed since");
            }
            default -> {
                if (isOrdered(remote)) {
                    fullCopy(remote, "is to be overwritten, as ordered");
                } else if (isContainedInSourceOf(number, remote)) {
                    fullCopy(remote, "is older than the replica that the pool was restored from");
                } else {
                    throw AttachDecisions.refusal(
                            poolset, number, remote.replica(), kind, remote.report().slot());
                }
            }
        }
    }

    /** A run that was cut may have restored the local pool, and not yet attached anybody. */
    private boolean isContainedInSourceOf(long number, RemoteFinding remote) {
        return findings.remotes().stream()
                .filter(source -> source.isUsable() && source.hasState(ReplicaState.PROMOTED))
                .filter(source -> source.report().slot().next() == number)
                .anyMatch(source -> source.contains(remote));
    }

    private List<Long> ancestors(RemoteFinding remote, long number) {
        return AttachDecisions.ancestors(
                SideFiles.of(local.poolSet()).beside(),
                local.anyHeader().poolsetUuid(),
                remote.replica(),
                number);
    }

    private void current(RemoteFinding remote) {
        if (!remote.report().faults().isEmpty()) {
            fullCopy(remote, null);
        } else if (isOrdered(remote)) {
            fullCopy(remote, "is to be overwritten, as ordered");
        } else if (!remote.hasState(ReplicaState.INSYNC)) {
            bringUp(remote, "it is complete, but was not attached since");
        }
    }

    private void bringUp(RemoteFinding remote, String problem) {
        if (isCombined && !isOrdered(remote)) {
            throw notUnasked(remote, problem);
        }
        problems.add(remote.name() + ": " + problem);
        fates.broughtUp(remote, problem);
        attach = true;
    }

    /** What it has may be right where what the local replicas have together is not. */
    private FarheapException notUnasked(RemoteFinding remote, String why) {
        return refusal(
                remote,
                "is not copied over unasked while no local replica is whole: "
                        + why
                        + "; to make the local pool from what its replicas have together, and copy"
                        + " that over it: "
                        + next.overwrite(remote.replica()));
    }

    private void fullCopy(RemoteFinding remote, String problem) {
        boolean matters = remote.hasContent() || !remote.report().faults().isEmpty();
        if (isCombined && matters && !isOrdered(remote)) {
            throw notUnasked(
                    remote, problem == null ? remote.report().faults().get(0) : "it " + problem);
        }
        if (problem != null) {
            problems.add(remote.name() + ": " + problem);
        }
        attach = true;
        fates.copied(remote, problem);
        copies.add(remote.name());
        if (matters) {
            overwrite.add(remote.replica());
        }
    }

    private void addAttach() {
        if (!orders.takeOver()) {
            findings.remotes().stream()
                    .filter(RemoteFinding::isHeld)
                    .findFirst()
                    .ifPresent(Planner::refuseHeld);
        }
        String text =
                copies.isEmpty()
                        ? "open the pool and attach its remote replicas"
                        : "open the pool and copy all of it to " + String.join(", ", copies);
        steps.add(new SyncStep.Attach(Set.copyOf(overwrite), copies.size(), text));
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
            isCombined = true;
            findings.remotes().forEach(remote -> bringUp(remote, parts.number()));
            return;
        }
        RemoteFinding source = sources.choose(parts.doubt());
        if (parts.isMendable() && !sources.hasAllOf(parts.number())) {
            findings.record().ifPresent(why -> refuseFor(poolset, why, null));
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
            throw refusal(
                    source,
                    sources.whyNot(source) + ": the local pool can't be replaced with what it has");
        }
        if (newest >= 0 || parts.isPossible()) {
            long number = parts.isPossible() ? parts.number() : part0(newest).runId();
            if (source.report().slot().decisionOn(number, ancestors(source, number))
                    == AttachDecision.STALE) {
                throw refusal(
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
                                .filter(remote -> remote.isUsable() && !isOrdered(remote))
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
        attach = true;
        for (RemoteFinding remote : findings.remotes()) {
            if (remote == source) {
                continue;
            }
            remote.report().faults().forEach(fault -> problems.add(remote.name() + ": " + fault));
            if (remote.hasContent() && !isOrdered(remote) && !source.contains(remote)) {
                throw sources.undecided(source, remote);
            }
            fullCopy(remote, "gets a full copy of the restored pool");
        }
    }

    // ----

    private boolean isOrdered(RemoteFinding remote) {
        return orders.overwrite().contains(remote.replica());
    }

    private void requireOrder(RemoteFinding remote) {
        if (!isOrdered(remote)) {
            throw refusal(
                    remote,
                    "has files on the target, but nothing tells how old they are ("
                            + remote.report().faults().get(0)
                            + "); to copy the local pool over them: "
                            + next.overwrite(remote.replica()));
        }
    }

    static FarheapException refusal(RemoteFinding remote, String why) {
        return FarheapException.replica("%s %s", remote.name(), why);
    }
}
