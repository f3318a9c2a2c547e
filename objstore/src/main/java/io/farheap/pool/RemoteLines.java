package io.farheap.pool;

import io.farheap.base.FarheapException;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.Part;
import io.farheap.poolset.PoolSet;
import io.farheap.poolset.RemoteReplica;
import java.nio.file.Path;
import java.util.List;

/**
 * The lines of a poolset file that may change while its pool is open: those that name remote
 * replicas.
 */
final class RemoteLines {
    private final PoolSet opened;

    /**
     * @param opened the set as its file said when the pool was opened
     */
    RemoteLines(PoolSet opened) {
        this.opened = opened;
    }

    /**
     * Reads the file again.
     *
     * @return the remote replicas in its order
     * @throws FarheapException BAD_DATA for a mistake in it, with the line; WRONG_USE where it is
     *     none, or anything else has changed; ENVIRONMENT where it can't be read
     */
    List<RemoteReplica> again() {
        if (opened.file().isEmpty()) {
            throw FarheapException.wrongUse(
                    "the pool was opened by a pool file, which names no replicas: name them in a"
                            + " poolset file, and open the pool by that");
        }
        PoolSet now = PoolSource.of(Path.of(opened.file())).written();
        if (!now.options().equals(opened.options())) {
            throw changed(now, "the options are");
        }
        List<LocalReplica> before = opened.localReplicas();
        List<LocalReplica> after = now.localReplicas();
        for (int r = 0; r < Math.min(before.size(), after.size()); r++) {
            requireSame(now, r, before.get(r).parts(), after.get(r).parts());
        }
        if (before.size() != after.size()) {
            throw changed(now, "there are " + after.size() + " local replicas, which is");
        }
        return now.remoteReplicas();
    }

    private static void requireSame(PoolSet now, int replica, List<Part> before, List<Part> after) {
        for (int p = 0; p < Math.min(before.size(), after.size()); p++) {
            if (!before.get(p).equals(after.get(p))) {
                int place = now.replicas().indexOf(now.localReplicas().get(replica));
                throw changed(
                        now,
                        "line " + now.lineOfPart(place, p) + ", " + after.get(p).path() + ", is");
            }
        }
        if (before.size() != after.size()) {
            throw changed(now, "a local replica has " + after.size() + " parts, which is");
        }
    }

    private static FarheapException changed(PoolSet now, String what) {
        return FarheapException.wrongUse(
                "%s: %s not as when the pool was opened: while it is open, only REPLICA lines of"
                        + " other machines may be added and removed; put the rest back, or close the"
                        + " pool and open it again; nothing has changed",
                now.file(), what);
    }
}
