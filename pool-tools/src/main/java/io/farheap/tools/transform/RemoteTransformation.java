package io.farheap.tools.transform;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.layout.PoolHeader;
import io.farheap.layout.PoolUuid;
import io.farheap.memory.NativeFile;
import io.farheap.pool.PoolInspection;
import io.farheap.pool.PoolSource;
import io.farheap.pool.SideFiles;
import io.farheap.poolset.PoolSetWriter;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.RemoteReplicaClient;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.control.AttachDecision;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.replication.session.AttachDecisions;
import io.farheap.replication.session.ReplicaReport;
import io.farheap.tools.command.LongWork;
import io.farheap.tools.command.WholeFile;
import io.farheap.tools.survey.Survey;
import io.farheap.tools.survey.Targets;
import io.farheap.tools.sync.Holders;
import io.farheap.tools.sync.RemoteSync;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * The change of the remote replicas, through their agents. New ones get their copies before any
 * other one goes; what goes is removed only where it is known to hold nothing that the pool lacks.
 */
final class RemoteTransformation {
    private static final Set<AttachDecision> OLDER =
            Set.of(
                    AttachDecision.NEW,
                    AttachDecision.SYNC_INTERRUPTED,
                    AttachDecision.CURRENT,
                    AttachDecision.STALE);

    /**
     * A remote replica that goes.
     *
     * @param report null: it can't be reached
     * @param obstacle why its files stay where they are, or null
     */
    private record Leaving(RemoteReplica replica, ReplicaReport report, String obstacle) {
        boolean isAbsent() {
            return report != null && report.slot() == null && report.faults().isEmpty();
        }
    }

    private final PoolChange change;
    private final PoolUuid pool;
    private final long number;
    private final boolean localIsMade;
    private final Path target;
    private final ReplicationSettings settings;
    private final List<Leaving> leaving = new ArrayList<>();

    /**
     * @param pool the pool's uuid
     * @param number the pool's number, before anything is changed
     * @param localIsMade whether the local replicas are what they are to be, by an earlier run
     * @param target the poolset file that is to be
     */
    RemoteTransformation(
            PoolChange change, PoolUuid pool, long number, boolean localIsMade, Path target) {
        this.localIsMade = localIsMade;
        this.change = change;
        this.pool = pool;
        this.number = number;
        this.target = target.toAbsolutePath();
        this.settings = ReplicationSettings.of(this.target);
    }

    /** Looks at what goes; a target that is gone for good must not be in the way. */
    void look(Consumer<String> say) throws InterruptedException {
        for (RemoteReplica replica : change.detached()) {
            RemoteReplicaClient client = client(replica, change.from().remoteReplicas());
            try {
                ReplicaReport report =
                        Holders.whenFree("replica " + replica, client::inspect, settings, say);
                leaving.add(new Leaving(replica, report, obstacle(replica, report)));
            } catch (FarheapException e) {
                if (e.category() != Category.REPLICA) {
                    throw e;
                }
                leaving.add(new Leaving(replica, null, e.getMessage()));
            }
        }
    }

    /** Whether an agent says of any of the old ones that it is a replica of this pool. */
    boolean isAnyOldOfPool() {
        for (RemoteReplica replica : change.from().remoteReplicas()) {
            try {
                ReplicaReport report = client(replica, change.from().remoteReplicas()).inspect();
                if (isOfPool(report)) {
                    return true;
                }
            } catch (FarheapException e) {
                // One that can't be asked proves nothing.
                if (e.category() != Category.REPLICA) {
                    throw e;
                }
            }
        }
        return false;
    }

    private boolean isOfPool(ReplicaReport report) {
        if (report.header().length() == 0) {
            return false;
        }
        PoolHeader header = new PoolHeader(MemorySegment.ofArray(report.header().toByteArray()));
        return header.hasSignature() && header.poolsetUuid().equals(pool);
    }

    private RemoteReplicaClient client(RemoteReplica replica, List<RemoteReplica> all) {
        return new RemoteReplicaClient(replica, all.indexOf(replica), settings);
    }

    private String obstacle(RemoteReplica replica, ReplicaReport report) {
        if (!report.holder().isEmpty()) {
            throw FarheapException.replica(
                    "replica %s is attached to %s: end that program first",
                    replica, report.holder());
        }
        if (report.slot() == null) {
            return report.faults().isEmpty()
                    ? null
                    : "nothing tells what it holds (" + report.faults().get(0) + ")";
        }
        List<Long> ancestors =
                AttachDecisions.ancestors(
                        SideFiles.of(change.from()).beside(), pool, replica, number);
        boolean older = OLDER.contains(report.slot().decisionOn(number, ancestors));
        return older ? null : "it may hold commits that the pool here lacks";
    }

    /** What will be done about the new ones. */
    List<String> attachSteps(Consumer<String> say) throws InterruptedException {
        List<String> steps = new ArrayList<>();
        if (!change.attached().isEmpty()) {
            withJoined(joined -> steps.addAll(RemoteSync.steps(joined, say)));
        }
        return steps;
    }

    /** Gives the new ones their copies, compared by checksums. */
    void attach(Consumer<String> before, LongWork work) throws InterruptedException {
        if (!change.attached().isEmpty()) {
            withJoined(joined -> RemoteSync.run(joined, before, work));
        }
    }

    private interface Work {
        void with(PoolSource joined) throws InterruptedException;
    }

    /** A file for as long as some work takes. */
    private record Lasting(Path file) implements AutoCloseable {
        @Override
        public void close() {
            boolean unused = NativeFile.delete(file);
        }
    }

    /**
     * All that is reached of the old replicas stays current until the new ones are: so the pool is
     * opened with both, by a poolset file that lasts as long as that.
     */
    private void withJoined(Work work) throws InterruptedException {
        List<RemoteReplica> unreachable =
                leaving.stream()
                        .filter(gone -> gone.obstacle() != null || gone.isAbsent())
                        .map(Leaving::replica)
                        .toList();
        Path joined = target.resolveSibling(target.getFileName() + ".transforming.set");
        byte[] lines = PoolSetWriter.toBytes(change.joined(unreachable, localIsMade));
        try (Lasting unused = new Lasting(joined)) {
            WholeFile.write(joined, lines);
            work.with(PoolSource.of(joined));
        } catch (FarheapException e) {
            // Its reader knows the file that stays.
            String message = e.getMessage().replace(joined.toString(), target.toString());
            throw new FarheapException(e.category(), message, e);
        }
    }

    /** What will be done about those that go. */
    List<String> removeSteps() {
        return leaving.stream()
                .map(
                        gone ->
                                gone.obstacle() != null
                                        ? "leave the files of "
                                                + name(gone)
                                                + ": "
                                                + gone.obstacle()
                                        : gone.isAbsent()
                                                ? "forget " + name(gone) + ", which has no files"
                                                : "remove the files of " + name(gone))
                .toList();
    }

    private String name(Leaving gone) {
        return "replica "
                + change.from().replicas().indexOf(gone.replica())
                + " ("
                + gone.replica()
                + ")";
    }

    /** The places in the old poolset file of those whose files are removed. */
    Set<Integer> going() {
        return leaving.stream()
                .filter(gone -> gone.obstacle() == null && !gone.isAbsent())
                .map(gone -> change.from().replicas().indexOf(gone.replica()))
                .collect(Collectors.toSet());
    }

    /**
     * All copies of the pool as it is, before anything is changed.
     *
     * @param local the local ones
     */
    Survey survey(PoolInspection local) {
        return Survey.of(
                local,
                Targets.ask(
                        change.from(),
                        settings,
                        settings.attachTimeout().multipliedBy(2),
                        (place, index, client) -> client.inspect()));
    }

    /** Removes what may go, and says of each what is there now. */
    List<ReplicaVerdict> remove() {
        List<ReplicaVerdict> verdicts = new ArrayList<>();
        for (Leaving gone : leaving) {
            if (gone.obstacle() != null) {
                verdicts.add(
                        new ReplicaVerdict(
                                name(gone),
                                ReplicaVerdict.Kind.LEFT,
                                "its files stay at the target: " + gone.obstacle()));
                continue;
            }
            RemoteReplicaClient client = client(gone.replica(), change.from().remoteReplicas());
            if (!gone.isAbsent()) {
                client.remove(pool, false, false, false);
            }
            ReplicaReport left = client.inspect();
            if (left.slot() != null || !left.faults().isEmpty()) {
                throw FarheapException.replica(
                        "%s is still there after it was removed", name(gone));
            }
            verdicts.add(
                    new ReplicaVerdict(
                            name(gone),
                            gone.isAbsent()
                                    ? ReplicaVerdict.Kind.ABSENT
                                    : ReplicaVerdict.Kind.REMOVED,
                            "no file of it is left; its poolset file stays"));
        }
        return verdicts;
    }

    /**
     * How the new ones are now, by what their agents read.
     *
     * @param now the pool's number
     */
    List<ReplicaVerdict> attached(long now) {
        List<ReplicaVerdict> verdicts = new ArrayList<>();
        for (RemoteReplica replica : change.attached()) {
            ReplicaReport report = client(replica, change.to().remoteReplicas()).inspect();
            String name =
                    "replica " + change.to().replicas().indexOf(replica) + " (" + replica + ")";
            if (report.slot() == null
                    || !report.faults().isEmpty()
                    || report.slot().state() != ReplicaState.INSYNC
                    || report.slot().cur() != now) {
                throw FarheapException.replica(
                        "%s is not in step after it was copied; farheap status %s", name, target);
            }
            verdicts.add(
                    new ReplicaVerdict(
                            name,
                            ReplicaVerdict.Kind.ATTACHED,
                            "in step, number " + now + ", compared by checksums"));
        }
        return verdicts;
    }
}
