package io.farheap.tools.sync;

import io.farheap.pool.PartInspection;
import io.farheap.pool.PoolInspection;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.tools.survey.RemoteFinding;
import io.farheap.tools.sync.CopyPlan.Action;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Collects what will be done to each copy; of whom nothing is said, it stays as it is. */
final class CopyPlans {
    private static final String STAYS = "stays as it is";

    private final FoundReplicas findings;
    private final PoolInspection local;
    private final Map<Integer, CopyPlan> plans = new TreeMap<>();

    CopyPlans(FoundReplicas findings) {
        this.findings = findings;
        this.local = findings.local();
        for (int r = 0; r < local.replicas().size(); r++) {
            ofLocal(r, Action.STAYS, STAYS);
        }
        findings.remotes().forEach(remote -> ofRemote(remote, Action.STAYS, STAYS));
        for (Unreached remote : findings.unreached()) {
            ofRemote(
                    remote.number(),
                    remote.replica(),
                    Action.LEFT_OUT,
                    "is not touched: it can't be reached");
        }
    }

    private void ofLocal(int r, Action action, String text) {
        LocalReplica replica = local.poolSet().localReplicas().get(r);
        String name = replica.parts().get(0).path().toString();
        int place = findings.numberOf(r);
        plans.put(place, new CopyPlan(place, "", name, action, text));
    }

    private void ofRemote(RemoteFinding remote, Action action, String text) {
        ofRemote(remote.number(), remote.replica(), action, text);
    }

    private void ofRemote(int number, RemoteReplica replica, Action action, String text) {
        plans.put(number, new CopyPlan(number, replica.host(), replica.descriptor(), action, text));
    }

    /** Lost local parts come from a local replica. */
    void partsFrom(int source) {
        for (int r = 0; r < local.replicas().size(); r++) {
            List<PartInspection> parts = local.replicas().get(r);
            List<PartInspection> lost = parts.stream().filter(PartInspection::isLost).toList();
            if (!lost.isEmpty()) {
                ofLocal(
                        r,
                        Action.RESTORED,
                        which(parts, lost)
                                + " made anew from replica "
                                + findings.numberOf(source));
            }
        }
        ofLocal(source, Action.SOURCE, STAYS + ": the others are made from it");
    }

    /** Lost local parts come from what several local replicas have together. */
    void combined(List<Piece> pieces) {
        for (int r = 0; r < local.replicas().size(); r++) {
            List<PartInspection> parts = local.replicas().get(r);
            String made =
                    parts.stream()
                            .filter(PartInspection::isLost)
                            .map(
                                    part ->
                                            "part "
                                                    + part.index()
                                                    + " is made anew"
                                                    + from(part, pieces))
                            .collect(Collectors.joining("; "));
            ofLocal(r, Action.RESTORED, made);
        }
    }

    private String from(PartInspection lost, List<Piece> pieces) {
        Piece all = Piece.of(local.poolSet(), lost).withoutHeader();
        String sources =
                pieces.stream()
                        .map(piece -> piece.within(all.offset(), all.end()))
                        .filter(piece -> !piece.isEmpty())
                        .map(
                                piece ->
                                        piece.range()
                                                + " from part "
                                                + piece.part()
                                                + " of replica "
                                                + findings.numberOf(piece.replica()))
                        .collect(Collectors.joining(", "));
        return sources.isEmpty() ? "" : ", " + sources;
    }

    private static String which(List<PartInspection> parts, List<PartInspection> lost) {
        if (lost.size() == parts.size()) {
            return "all of it is";
        }
        String indexes =
                lost.stream()
                        .map(part -> String.valueOf(part.index()))
                        .collect(Collectors.joining(", "));
        return lost.size() == 1 ? "part " + indexes + " is" : "parts " + indexes + " are";
    }

    /** All local replicas come from a remote one. */
    void poolFrom(RemoteFinding source) {
        for (int r = 0; r < local.replicas().size(); r++) {
            ofLocal(r, Action.RESTORED, "all of it is made anew from replica " + source.number());
        }
        String after = source.hasState(ReplicaState.PROMOTED) ? "" : ", and it is attached";
        ofRemote(source, Action.SOURCE, STAYS + ": the pool is made from it" + after);
    }

    /** It gets all of the pool. */
    void copied(RemoteFinding remote, String why) {
        ofRemote(
                remote,
                Action.COPIED,
                "gets all of the pool" + (why == null ? "" : ", because it " + why));
    }

    /** It gets what it lacks. */
    void broughtUp(RemoteFinding remote, String why) {
        ofRemote(remote, Action.BROUGHT_UP, "gets what it lacks: " + why);
    }

    /** One for each copy, in the order of the poolset file. */
    List<CopyPlan> all() {
        return new ArrayList<>(plans.values());
    }
}
