package io.farheap.tools.transform;

import io.farheap.base.FarheapException;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.Part;
import io.farheap.poolset.PoolSet;
import io.farheap.poolset.PoolSet.Option;
import io.farheap.poolset.RemoteReplica;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What two poolsets differ in. A local replica of both has the same parts in the same order, of the
 * same sizes and with the same headers; any other one is made anew.
 *
 * @param from what the pool is
 * @param to what it is to be
 * @param kept by their indices among the local replicas of {@code to}: those of {@code from}
 * @param made local replicas of {@code to} that are new
 * @param dropped local replicas of {@code from} that go
 * @param attached remote replicas that are new
 * @param detached remote replicas that go
 */
record PoolChange(
        PoolSet from,
        PoolSet to,
        Map<Integer, Integer> kept,
        List<Integer> made,
        List<Integer> dropped,
        List<RemoteReplica> attached,
        List<RemoteReplica> detached) {

    /**
     * @throws FarheapException WRONG_USE for what can't be done, whatever the files are
     */
    static PoolChange between(PoolSet from, PoolSet to) {
        Map<Integer, Integer> kept = new TreeMap<>();
        List<Integer> made = new ArrayList<>();
        boolean sameHeaders = from.has(Option.SINGLEHDR) == to.has(Option.SINGLEHDR);
        List<List<Part>> old = from.localReplicas().stream().map(PoolChange::places).toList();
        for (int r = 0; r < to.localReplicas().size(); r++) {
            int same = old.indexOf(places(to.localReplicas().get(r)));
            if (same >= 0 && sameHeaders) {
                kept.put(r, same);
            } else {
                made.add(r);
            }
        }
        List<Integer> dropped = new ArrayList<>();
        for (int r = 0; r < old.size(); r++) {
            if (!kept.containsValue(r)) {
                dropped.add(r);
            }
        }
        PoolChange change =
                new PoolChange(
                        from,
                        to,
                        kept,
                        made,
                        dropped,
                        without(to.remoteReplicas(), from.remoteReplicas()),
                        without(from.remoteReplicas(), to.remoteReplicas()));
        change.requireDifference();
        if (!sameHeaders && !to.remoteReplicas().isEmpty()) {
            throw wrong(
                    "OPTION SINGLEHDR must be the same here and on the targets: remove the remote"
                            + " replicas first, and add them again with the option in their poolset"
                            + " files");
        }
        return change;
    }

    private void requireDifference() {
        if (from.options().equals(to.options()) && from.replicas().equals(to.replicas())) {
            throw wrong("both poolsets are equal: nothing is to be done");
        }
    }

    /** The parts by where they lie: what two poolset files write differently may be the same. */
    private static List<Part> places(LocalReplica replica) {
        return replica.parts().stream()
                .map(part -> Part.file(part.path().normalize(), part.size()))
                .toList();
    }

    /**
     * @throws FarheapException WRONG_USE for a set of directories or devices
     */
    static void requireFiles(PoolSet set) {
        for (LocalReplica replica : set.localReplicas()) {
            for (Part part : replica.parts()) {
                if (part.kind() != Part.Kind.FILE) {
                    throw wrong(
                            part.path()
                                    + " is a directory or a device: transform of directory poolsets"
                                    + " is not supported, only part files are");
                }
            }
        }
    }

    private static List<RemoteReplica> without(List<RemoteReplica> all, List<RemoteReplica> some) {
        return all.stream().filter(remote -> !some.contains(remote)).toList();
    }

    private static FarheapException wrong(String why) {
        return FarheapException.wrongUse("cannot transform: %s", why);
    }

    /** Whether any local file changes, links in headers aside. */
    boolean isLocal() {
        return !made.isEmpty() || !dropped.isEmpty();
    }

    /**
     * The old local replicas with all remote ones, but for those that can't be reached any more: as
     * what the pool is opened while new remote replicas get their copies. Where the local change
     * was made before, the new local ones take their place.
     */
    PoolSet joined(List<RemoteReplica> unreachable, boolean localIsMade) {
        PoolSet set = localIsMade ? to : from;
        if (localIsMade) {
            for (RemoteReplica remote : without(detached, unreachable)) {
                set = set.withReplica(remote);
            }
            return set;
        }
        for (RemoteReplica remote : unreachable) {
            set = set.withoutReplica(set.replicas().indexOf(remote));
        }
        for (RemoteReplica remote : attached) {
            set = set.withReplica(remote);
        }
        return set;
    }

    /** The place in the old poolset file of a local replica of {@code from}. */
    int fromPlace(int local) {
        return from.replicas().indexOf(from.localReplicas().get(local));
    }

    /** How a local replica of {@code from} is called. */
    String oldName(int local) {
        return name(from, local);
    }

    /** How a local replica of {@code to} is called. */
    String newName(int local) {
        return name(to, local);
    }

    private static String name(PoolSet set, int local) {
        LocalReplica replica = set.localReplicas().get(local);
        Path first = replica.parts().get(0).path();
        return "replica " + set.replicas().indexOf(replica) + " (" + first + ")";
    }
}
