package io.farheap.tools.sync;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.pool.PartInspection;
import io.farheap.pool.PoolInspection;
import io.farheap.pool.SideFiles;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.PoolSet;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.RemoteReplicaClient;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.control.RefusedException;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.session.Fabrics;
import io.farheap.replication.session.KeptAgents;
import io.farheap.replication.session.ReplicaReport;
import io.farheap.tools.survey.RemoteFinding;
import io.farheap.tools.survey.Survey;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * All replicas of a pool as they were found; nothing was changed by looking.
 *
 * @param local the local parts
 * @param remotes the remote replicas, in the order of the poolset file
 * @param unreached those of which nothing is known
 */
record FoundReplicas(PoolInspection local, List<RemoteFinding> remotes, List<Unreached> unreached) {
    /**
     * Looks at everything. A remote replica that is held is looked at again until the right of a
     * holder who is gone must have ended.
     *
     * @param agents keeps those that show something
     * @param takeOver it does not matter who holds a replica
     * @param say is told for whom it waits
     * @throws FarheapException category REPLICA when a target refuses to show one
     */
    static FoundReplicas look(
            PoolInspection local,
            ReplicationSettings settings,
            KeptAgents agents,
            boolean takeOver,
            Consumer<String> say)
            throws InterruptedException {
        PoolSet set = local.poolSet();
        List<RemoteFinding> remotes = new ArrayList<>();
        List<Unreached> unreached = new ArrayList<>();
        for (RemoteReplica replica : set.remoteReplicas()) {
            int index = remotes.size() + unreached.size();
            RemoteReplicaClient client =
                    new RemoteReplicaClient(replica, index, settings, agents, Fabrics.of(settings));
            int number = set.replicas().indexOf(replica);
            String name = "replica " + number + " (" + replica + ")";
            try {
                ReplicaReport report =
                        takeOver
                                ? client.inspect(agents)
                                : Holders.whenFree(
                                        name, () -> client.inspect(agents), settings, say);
                remotes.add(new RemoteFinding(number, index, replica, report));
            } catch (FarheapException e) {
                if (e.category() != Category.REPLICA || e instanceof RefusedException) {
                    throw e;
                }
                unreached.add(new Unreached(number, replica, e));
            }
        }
        boolean elsewhere =
                !unreached.isEmpty() || remotes.stream().anyMatch(RemoteFinding::hasContent);
        return new FoundReplicas(
                Survey.withoutCutCreations(local, elsewhere),
                List.copyOf(remotes),
                List.copyOf(unreached));
    }

    /** What says that the pool is under automatic fail-over; empty: nothing. */
    Optional<String> record() {
        Optional<Path> term =
                SideFiles.of(local.poolSet()).terms().stream().filter(Files::exists).findFirst();
        return term.isPresent()
                ? Optional.of(term.get() + " is there")
                : remotes.stream()
                        .filter(remote -> remote.term() != 0)
                        .map(
                                remote ->
                                        remote.name()
                                                + " has heard a writer of term "
                                                + remote.term())
                        .findFirst();
    }

    /** The place in the poolset file of the {@code r}-th local replica. */
    int numberOf(int r) {
        LocalReplica replica = local.poolSet().localReplicas().get(r);
        return local.poolSet().replicas().indexOf(replica);
    }

    /** A local part, for a sentence. */
    String named(PartInspection part) {
        return "part "
                + part.index()
                + " of replica "
                + numberOf(part.replica())
                + " ("
                + part.path()
                + ")";
    }

    /** The local part that has a piece of the image. */
    PartInspection part(Piece piece) {
        return local.replicas().get(piece.replica()).get(piece.part());
    }

    /** The same, for a sentence. */
    String named(Piece piece) {
        return named(part(piece));
    }

    /** The same with the content of local replicas looked at, too. */
    FoundReplicas with(PoolInspection examined) {
        return new FoundReplicas(examined, remotes, unreached);
    }

    /** What is wrong here: a sentence for each part, or for a replica as a whole. */
    List<String> localProblems() {
        List<String> problems = new ArrayList<>();
        for (int r = 0; r < local.replicas().size(); r++) {
            if (local.damage(r) != null) {
                problems.add("replica " + numberOf(r) + ": " + local.damage(r));
            } else {
                local.replicas().get(r).stream()
                        .filter(PartInspection::isLost)
                        .forEach(part -> problems.add(describe(part)));
            }
        }
        return problems;
    }

    /** What is wrong with a local part, and which it is. */
    private String describe(PartInspection part) {
        return "replica "
                + numberOf(part.replica())
                + " part "
                + part.index()
                + ": "
                + part.problem()
                + (Files.isSymbolicLink(part.path())
                        ? "; it is a symbolic link, which a new file replaces: what it leads to"
                                + " stays"
                        : "");
    }

    /** What is as it should be, a line for each such replica. */
    List<String> healthy() {
        List<String> lines = new ArrayList<>();
        for (int r = 0; r < local.replicas().size(); r++) {
            if (local.isHealthy(r)) {
                long number = local.replicas().get(r).get(0).runId();
                lines.add("replica " + numberOf(r) + ": healthy, number " + number);
            }
        }
        for (RemoteFinding remote : remotes) {
            if (remote.isUsable()) {
                SlotReport slot = remote.report().slot();
                lines.add(
                        remote.name()
                                + ": healthy, "
                                + slot.state()
                                + ", number "
                                + slot.cur()
                                + ", "
                                + slot.tailRecords()
                                + " records not applied yet"
                                + (remote.isHeld() ? ", held by " + remote.report().holder() : ""));
            }
        }
        return lines;
    }
}
