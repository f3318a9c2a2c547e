package io.farheap.replication.epoch;

import io.farheap.base.FarheapException;
import io.farheap.base.ReplicaStatus;
import io.farheap.base.ReplicaStatus.State;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.spi.ReplicatedPool;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Which replicas an open pool may get and give up. For the monitor's thread. */
final class ReloadRules {
    private static final String OPEN_AGAIN =
            "none can be copied to before commits go on, so bring back what is missing, or close the"
                    + " pool and open it again with others";

    private final ReplicatedPool pool;
    private final ReplicationSettings settings;
    private final EpochSwitch switching;

    ReloadRules(ReplicatedPool pool, ReplicationSettings settings, EpochSwitch switching) {
        this.pool = pool;
        this.settings = settings;
        this.switching = switching;
    }

    /** Whether it has every commit. */
    static boolean isWhole(ReplicaTracker copy) {
        return copy.state() == State.ATTACHED && !copy.isAsync();
    }

    /**
     * @param coming those that are named and no replica yet
     * @param shut whether nothing is committed, and so none can be copied to, until a replica is
     *     back
     * @throws FarheapException when it must not be; nothing has changed
     */
    void require(Reload reload, List<RemoteReplica> coming, boolean shut) {
        coming.forEach(remote -> requireReachable(remote, reload.settings()));
        requireApart(coming);
        List<RemoteReplica> named = reload.remotes();
        boolean anyLeaves =
                switching.copies().stream().anyMatch(copy -> !named.contains(copy.remote()));
        if (anyLeaves) {
            requireCopies(reload, coming, shut);
        }
    }

    private void requireCopies(Reload reload, List<RemoteReplica> coming, boolean shut) {
        List<ReplicaTracker> staying =
                switching.copies().stream()
                        .filter(copy -> reload.remotes().contains(copy.remote()))
                        .toList();
        long whole = staying.stream().filter(ReloadRules::isWhole).count();
        long expected =
                coming.stream().filter(remote -> waitsFor(remote, reload)).count()
                        + staying.stream().filter(ReloadRules::isExpected).count();
        long copies = whole + (shut ? 0 : expected);
        if (switching.isRecorded() && (reload.remotes().isEmpty() || !switching.isEnough(copies))) {
            throw FarheapException.wrongUse(
                    "%s: %s copies would be left, this one among them, and commits want min-copies ="
                            + " %s, under automatic fail-over at least one of another node: %s;"
                            + " nothing has changed%s",
                    pool.poolsetFile(),
                    1 + copies,
                    switching.minCopies(),
                    shut ? OPEN_AGAIN : "add others first",
                    left(staying));
        }
        if (copies == 0 && !reload.alone()) {
            throw FarheapException.wrongUse(
                    "%s: this machine's copy would be the only one that has every commit: %s, or say"
                            + " that it is to be (--alone); nothing has changed%s",
                    pool.poolsetFile(), shut ? OPEN_AGAIN : "add others first", left(staying));
        }
    }

    private boolean waitsFor(RemoteReplica remote, Reload reload) {
        return !switching.mayLag(remote, reload.settings());
    }

    private static boolean isExpected(ReplicaTracker copy) {
        return copy.isNewcomer() && !copy.isAsync();
    }

    private static String left(List<ReplicaTracker> staying) {
        return staying.stream()
                .map(copy -> copy.status(0, null))
                .map(ReloadRules::described)
                .collect(Collectors.joining());
    }

    private static String described(ReplicaStatus status) {
        return "; " + status.replica() + " is " + status.state() + ": " + status.reason();
    }

    /** How agents are reached was read when the pool was opened. */
    private void requireReachable(RemoteReplica remote, ReplicationSettings now) {
        if (now.tls().portOf(remote) != settings.tls().portOf(remote)) {
            throw FarheapException.wrongUse(
                    "%s: how the agent of %s is reached (connect) was not said in %s.replication when"
                            + " the pool was opened, and is read then: nothing has changed; let one"
                            + " connect line be for all replicas, or close the pool and open it again",
                    pool.poolsetFile(), remote, pool.poolsetFile().getFileName());
        }
    }

    /** Two names of one place would be taken for two copies. */
    private void requireApart(List<RemoteReplica> coming) {
        List<RemoteReplica> others =
                new ArrayList<>(switching.copies().stream().map(ReplicaTracker::remote).toList());
        for (RemoteReplica remote : coming) {
            for (RemoteReplica other : others) {
                if (isSamePlace(remote, other)) {
                    throw FarheapException.wrongUse(
                            "%s: %s and %s are one place, which would be given up by the one name and"
                                    + " not be known by the other: write the line as it was; another"
                                    + " name of a place is for a pool that is closed; nothing has"
                                    + " changed",
                            pool.poolsetFile(), other, remote);
                }
            }
            others.add(remote);
        }
    }

    private static boolean isSamePlace(RemoteReplica one, RemoteReplica other) {
        return one.host().equalsIgnoreCase(other.host())
                && names(one.descriptor()).equals(names(other.descriptor()));
    }

    /** A path of the target, which one of this machine's locale may be unable to express. */
    private static List<String> names(String descriptor) {
        List<String> names = new ArrayList<>();
        for (String name : descriptor.split("/")) {
            if (name.equals("..") && !names.isEmpty() && !names.getLast().equals("..")) {
                names.removeLast();
            } else if (!name.isEmpty() && !name.equals(".")) {
                names.add(name);
            }
        }
        return names;
    }
}
