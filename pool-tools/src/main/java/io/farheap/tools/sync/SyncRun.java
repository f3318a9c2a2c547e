package io.farheap.tools.sync;

import io.farheap.ObjectPool;
import io.farheap.base.FarheapException;
import io.farheap.base.ReplicaPolicy;
import io.farheap.engine.ClassPathReplicas;
import io.farheap.pool.Ownership;
import io.farheap.pool.PartInspection;
import io.farheap.pool.PoolInspection;
import io.farheap.pool.PoolRestoration;
import io.farheap.pool.PoolSource;
import io.farheap.pool.RestorationLeftovers;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.PoolSet;
import io.farheap.replication.RemoteReplication;
import io.farheap.replication.config.AttachOptions;
import io.farheap.replication.config.ReplicaPolicies;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.session.AgentConnector;
import io.farheap.replication.session.KeptAgents;
import io.farheap.tools.command.LongWork;
import io.farheap.tools.destruction.Destruction;
import io.farheap.tools.survey.RemoteFinding;
import io.farheap.tools.survey.Survey;
import io.farheap.tools.survey.TargetAnswer;
import io.farheap.tools.sync.Placement.Row;
import io.farheap.tools.verify.Verification;
import io.farheap.tools.verify.VerifyResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** One run of sync on one poolset: look, plan, and do, with the agents that were looked by. */
final class SyncRun implements AutoCloseable {
    private static final int ROOT = 0;

    private final PoolSource source;
    private final SyncOptions orders;
    private final LongWork work;

    /** All replicas shall be reached, whatever a program may do without. */
    private final ReplicationSettings settings;

    private final KeptAgents agents;
    private FoundReplicas findings;

    SyncRun(PoolSource source, SyncOptions orders, LongWork work) {
        this.source = source;
        this.orders = orders;
        this.work = work;
        this.settings = ReplicationSettings.of(source.path()).withPolicies(ReplicaPolicies.FAIL);
        this.agents = new KeptAgents(AgentConnector.of(settings));
    }

    /**
     * Finds out what is to be done; changes nothing.
     *
     * @param say is told what is waited for
     */
    SyncPlan plan(Consumer<String> say) throws InterruptedException {
        SyncPlan plan = planned(say);
        for (SyncStep step : plan.steps()) {
            if (step instanceof SyncStep.RestoreParts parts) {
                new PartsLeft(findings, parts.source()).requireSameRun();
            } else if (step instanceof SyncStep.CombineParts parts) {
                return placed(plan, parts);
            }
        }
        return plan;
    }

    /** What its bytes do not place gives nothing, as long as other parts have the same of it. */
    private SyncPlan placed(SyncPlan first, SyncStep.CombineParts step) {
        CombinedImage image = new CombinedImage(findings, step.pieces(), work);
        CombinedImage.Unplaced unplaced = image.look();
        FarheapException refusal = unplaced == null ? null : unplaced.refusal();
        Set<Row> left = new HashSet<>();
        SyncPlan plan = first;
        while (unplaced != null) {
            left.add(unplaced.row());
            Combination others = new Combination(findings, left);
            if (!others.isPossible()) {
                throw refusal;
            }
            plan = Planner.plan(source.path(), findings, orders, left);
            image = new CombinedImage(findings, others.pieces(), work);
            unplaced = image.look();
        }
        return plan.noting(image.placedByLinesAlone());
    }

    private SyncPlan planned(Consumer<String> say) throws InterruptedException {
        PoolSet set = source.existing();
        if (!set.remoteReplicas().isEmpty()) {
            // Of the first alone: others might have to wait longer than an agent waits for a hello.
            agents.startAhead(set.remoteReplicas().get(0), 0);
        }
        PoolInspection local = PoolInspection.of(set);
        local.requireKnown();
        local.requireNoDiskJournal(); // before anybody on a target is waited for
        findings = FoundReplicas.look(local, settings, agents, orders.takeOver(), say);
        SyncPlan plan = Planner.plan(source.path(), findings, orders);
        if (!plan.takesFromHere()) {
            return plan;
        }
        PoolInspection examined = SourceCheck.of(findings.local());
        if (examined == findings.local()) {
            return plan;
        }
        findings = findings.with(examined);
        return Planner.plan(source.path(), findings, orders);
    }

    /**
     * What a run that was cut has left where the plan makes parts: it is removed for those. What
     * lies beside parts that are whole is no concern of the plan.
     */
    List<Path> cut(SyncPlan plan) {
        return cut(plan, false);
    }

    /** What it has left there as a whole copy, which is kept aside until the pool is whole. */
    List<Path> cutWhole(SyncPlan plan) {
        return cut(plan, true);
    }

    private List<Path> cut(SyncPlan plan, boolean whole) {
        boolean all = plan.steps().stream().anyMatch(SyncStep.RestorePool.class::isInstance);
        PoolSet set = findings.local().poolSet();
        return findings.local().replicas().stream()
                .filter(parts -> all || parts.stream().anyMatch(PartInspection::isLost))
                .filter(parts -> RestorationLeftovers.areWhole(set, parts) == whole)
                .flatMap(List::stream)
                .filter(part -> all || whole || part.isLost())
                .map(part -> RestorationLeftovers.unfinished(part.path()))
                .filter(Files::exists)
                .toList();
    }

    /** The copies that the plan overwrites. */
    void tell(SyncPlan plan, Destruction destruction) {
        PoolSet set = findings.local().poolSet();
        List<TargetAnswer> answers = new ArrayList<>();
        for (RemoteFinding remote : findings.remotes()) {
            answers.add(
                    new TargetAnswer(
                            remote.number(),
                            remote.index(),
                            remote.replica(),
                            remote.report(),
                            null));
        }
        for (Unreached remote : findings.unreached()) {
            int index = set.remoteReplicas().indexOf(remote.replica());
            answers.add(
                    new TargetAnswer(remote.number(), index, remote.replica(), null, remote.why()));
        }
        Set<Integer> overwritten =
                plan.copies().stream()
                        .filter(CopyPlan::isOverwritten)
                        .map(CopyPlan::replica)
                        .collect(Collectors.toSet());
        Survey survey = Survey.of(findings.local(), answers);
        destruction.of(
                survey,
                survey.copies().stream()
                        .filter(copy -> overwritten.contains(copy.place()))
                        // What parts that are left have stays in them.
                        .filter(copy -> !plan.combinesParts() || !copy.host().isEmpty())
                        .toList(),
                "is overwritten");
    }

    /**
     * Whether all copies are equal. Where the plan, which was done, made all of them but one, each
     * was compared with that one before anybody could open it; else all are read.
     */
    VerifyResult verify(SyncPlan plan) throws InterruptedException {
        PoolSet set = source.existing();
        int original = plan.originalOfAll(findings.local());
        if (original < 0) {
            return Verification.run(source, set, settings, work);
        }
        LocalReplica first = (LocalReplica) set.replicas().get(original);
        int index = set.localReplicas().indexOf(first);
        long number = PoolInspection.of(set).replicas().get(index).get(0).runId();
        return VerifyResult.ofCopiesMade(source.path(), set, number, original);
    }

    /** What is as it should be, a line for each replica. */
    List<String> healthy() {
        return findings.healthy();
    }

    /**
     * Does it. Whatever step it is cut in, another run goes on from there.
     *
     * @param before told about each step before it is taken
     * @return what is wrong with content that came from elsewhere, a sentence each; then no step
     *     was taken after that
     */
    List<String> run(SyncPlan plan, Consumer<SyncStep> before) {
        for (SyncStep step : plan.steps()) {
            before.accept(step);
            if (step instanceof SyncStep.RestoreParts parts) {
                LocalCopy.run(findings.local(), parts.source(), work);
            } else if (step instanceof SyncStep.CombineParts parts) {
                CombinedImage image = new CombinedImage(findings, parts.pieces(), work);
                LocalCopy.run(findings.local(), parts.pieces(), image, work);
            } else if (step instanceof SyncStep.RestorePool pool) {
                PoolReturn back = new PoolReturn(findings.local(), pool, instead(pool));
                String damage = back.run(settings, agents, orders.takeOver(), work);
                if (damage != null) {
                    return List.of(damage); // it is not carried on to others
                }
            } else if (step instanceof SyncStep.Attach attach) {
                attach(attach);
            }
        }
        return List.of();
    }

    /** What to type to take another replica than the planned one. */
    private String instead(SyncStep.RestorePool step) {
        boolean named = orders.from() != null;
        if (step.others().isEmpty()) {
            return "";
        }
        return "farheap sync "
                + (named ? "--from" : "--overwrite")
                + " \""
                + (named ? step.others().get(0) : step.source()).replica()
                + "\" "
                + source.path();
    }

    /** Only those that the user goes on without may be missing. */
    private ReplicationSettings settings() {
        Map<String, ReplicaPolicy> without =
                findings.unreached().stream()
                        .collect(
                                Collectors.toMap(
                                        remote -> remote.replica().toString(),
                                        remote -> ReplicaPolicy.DEGRADE));
        return settings.withPolicies(new ReplicaPolicies(ReplicaPolicy.FAIL, without));
    }

    /** Whether root makes the files of a pool, and none is left here that tells whose they were. */
    boolean isOwnerUnknown() {
        return Ownership.ofThisProcess().user() == ROOT
                && PoolRestoration.owner(findings.local()).isEmpty();
    }

    /** What the user has to know of replicas that were left out, a sentence each. */
    List<String> leftOut() {
        return findings.unreached().stream()
                .map(
                        remote ->
                                remote.name()
                                        + " was left out and is refused from now on, be it older or"
                                        + " newer; when it can be reached again: farheap sync"
                                        + " --overwrite \""
                                        + remote.replica()
                                        + "\" "
                                        + source.path()
                                        + " (until then programs need FARHEAP_POLICY=degrade, or"
                                        + " its REPLICA line taken out)")
                .toList();
    }

    private void attach(SyncStep.Attach step) {
        long bytes = findings.local().poolSet().poolSize() * step.fullCopies();
        try (CopyProgress progress = new CopyProgress(work, bytes)) {
            AttachOptions options =
                    new AttachOptions(
                            step.overwrite(), orders.takeOver(), true, progress, work.pacer());
            ClassPathReplicas.replacedBy(
                            pool -> RemoteReplication.attach(pool, options, settings(), agents),
                            () -> ObjectPool.open(source.path(), null))
                    .close();
            progress.complete();
        }
    }

    /** Ends the agents that were not needed. */
    @Override
    public void close() {
        agents.close();
    }
}
