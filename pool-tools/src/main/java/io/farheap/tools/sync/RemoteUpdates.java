package io.farheap.tools.sync;

import io.farheap.pool.SideFiles;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.control.AttachDecision;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.replication.session.AttachDecisions;
import io.farheap.tools.survey.RemoteFinding;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What the remote replicas get from the local pool once that is whole: nothing, what changed, or a
 * full copy; and the step that does it.
 */
final class RemoteUpdates {
    private final Path poolset;
    private final FoundReplicas findings;
    private final SyncRefusals refusals;
    private final CopyPlans fates;
    private final List<String> problems;
    private final Set<RemoteReplica> overwrite = new HashSet<>();
    private final List<String> copies = new ArrayList<>();
    private boolean attach;

    /** The local pool is made from what several replicas have together. */
    private boolean isCombined;

    /**
     * @param fates is told what becomes of each replica
     * @param problems gets what is wrong with each
     */
    RemoteUpdates(
            Path poolset,
            FoundReplicas findings,
            SyncRefusals refusals,
            CopyPlans fates,
            List<String> problems) {
        this.poolset = poolset;
        this.findings = findings;
        this.refusals = refusals;
        this.fates = fates;
        this.problems = problems;
    }

    /** From now on no replica with content is copied over unasked: the local pool may be wrong. */
    void ofCombinedPool() {
        isCombined = true;
    }

    /** The replicas are to be attached, whatever they need. */
    void attach() {
        attach = true;
    }

    /**
     * Plans what a replica needs to have what the local pool has.
     *
     * @param number the local pool's
     */
    void bringUp(RemoteFinding remote, long number) {
        if (remote.isAbsent()) {
            fullCopy(remote, "has no files on the target yet");
            return;
        }
        remote.report().faults().forEach(fault -> problems.add(remote.name() + ": " + fault));
        if (remote.isUnreadable()) {
            refusals.requireOrder(remote);
            fullCopy(remote, null);
            return;
        }
        AttachDecision kind = remote.report().slot().decisionOn(number, ancestors(remote, number));
        switch (kind) {
            case NEW -> fullCopy(remote, "has no content yet");
            case SYNC_INTERRUPTED -> fullCopy(remote, "a full copy of it never ended");
            case CURRENT -> current(remote);
            case STALE -> stale(remote);
            default -> {
                if (refusals.isOrdered(remote)) {
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

    /** The numbers that the pool had before this one, as far as they are known of the replica. */
    List<Long> ancestors(RemoteFinding remote, long number) {
        return AttachDecisions.ancestors(
                SideFiles.of(findings.local().poolSet()).beside(),
                findings.local().anyHeader().poolsetUuid(),
                remote.replica(),
                number);
    }

    private void current(RemoteFinding remote) {
        if (!remote.report().faults().isEmpty()) {
            fullCopy(remote, null);
        } else if (refusals.isOrdered(remote)) {
            fullCopy(remote, "is to be overwritten, as ordered");
        } else if (!remote.hasState(ReplicaState.INSYNC)) {
            bringUp(remote, "it is complete, but was not attached since");
        }
    }

    private void stale(RemoteFinding remote) {
        if (!remote.report().faults().isEmpty()) {
            fullCopy(remote, null);
            return;
        }
        bringUp(
                remote,
                remote.mayLag()
                        ? "commits did not wait for it, the last may be missing"
                        : "it was left out and lacks what changed since");
    }

    private void bringUp(RemoteFinding remote, String problem) {
        if (isCombined && !refusals.isOrdered(remote)) {
            throw refusals.notUnasked(remote, problem);
        }
        problems.add(remote.name() + ": " + problem);
        fates.broughtUp(remote, problem);
        attach = true;
    }

    /**
     * Plans a full copy of the local pool.
     *
     * @param problem what is wrong with the replica; null: it was said already
     */
    void fullCopy(RemoteFinding remote, String problem) {
        boolean matters = remote.hasContent() || !remote.report().faults().isEmpty();
        if (isCombined && matters && !refusals.isOrdered(remote)) {
            throw refusals.notUnasked(
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

    /**
     * Adds the step that attaches them, if one is needed.
     *
     * @throws io.farheap.base.FarheapException where a program has one of them
     */
    void addTo(List<SyncStep> steps) {
        if (!attach) {
            return;
        }
        refusals.requireFree();
        String text =
                copies.isEmpty()
                        ? "open the pool and attach its remote replicas"
                        : "open the pool and copy all of it to " + String.join(", ", copies);
        steps.add(new SyncStep.Attach(Set.copyOf(overwrite), copies.size(), text));
    }
}
