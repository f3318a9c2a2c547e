package io.farheap.tools.transform;

import io.farheap.FarheapException;
import io.farheap.FarheapException.Category;
import io.farheap.pool.PartInspection;
import io.farheap.pool.PoolInspection;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.Part;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The local parts of the pool that is to be changed, as they lie there, and what must hold of them.
 *
 * @param change what is to be done
 * @param found the parts of the old poolset
 */
record LocalState(PoolChange change, PoolInspection found) {

    /**
     * Looks, and changes nothing.
     *
     * @throws FarheapException where the pool is in use, or what stays of it is not healthy
     */
    static LocalState look(PoolChange change) {
        LocalState state = new LocalState(change, PoolInspection.of(change.from()));
        state.requireSound();
        state.requireFreePlaces();
        return state;
    }

    private void requireSound() {
        found.requireKnown();
        if (found.conflict() != null) {
            throw broken(found.conflict());
        }
        if (source() < 0) {
            throw broken(found.lost().get(0).problem());
        }
        for (int old : change.kept().values()) {
            for (PartInspection part : found.replicas().get(old)) {
                if (!part.isHealthy()) {
                    throw broken(part.problem());
                }
            }
            if (part0(old).runId() != part0(source()).runId()) {
                throw broken(part0(old).path() + " is of an earlier run than another replica");
            }
        }
        for (List<PartInspection> replica : found.replicas()) {
            PartInspection first = replica.get(0);
            if (first.isHealthy() && isNewer(first, part0(source()))) {
                throw broken(
                        first.path()
                                + " is of a later run than any replica that is whole, and would be"
                                + " lost");
            }
        }
    }

    private static FarheapException broken(String why) {
        return new FarheapException(
                Category.BAD_DATA,
                "source poolset is broken: " + why + "; first: farheap sync, with that poolset");
    }

    /** A file that is no part of the pool is nobody's to overwrite. */
    private void requireFreePlaces() {
        Set<Path> own =
                change.from().localReplicas().stream()
                        .map(LocalReplica::parts)
                        .flatMap(List::stream)
                        .map(part -> part.path().normalize())
                        .collect(Collectors.toSet());
        for (int made : change.made()) {
            for (Part part : change.to().localReplicas().get(made).parts()) {
                Path path = part.path().normalize();
                if (!own.contains(path) && Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
                    throw new FarheapException(
                            Category.WRONG_USE,
                            "some parts being added already exist: "
                                    + path
                                    + "; name another file, or remove it first");
                }
                if (!Files.isDirectory(path.getParent())) {
                    throw new FarheapException(
                            Category.ENVIRONMENT,
                            path + ": its directory does not exist; make it first");
                }
            }
        }
    }

    PartInspection part0(int replica) {
        return found.replicas().get(replica).get(0);
    }

    /** The healthy local replica of the newest run that is copied from; -1: there is none. */
    int source() {
        int newest = -1;
        for (int r = 0; r < found.replicas().size(); r++) {
            if (found.isHealthy(r) && (newest < 0 || isNewer(part0(r), part0(newest)))) {
                newest = r;
            }
        }
        return newest;
    }

    private static boolean isNewer(PartInspection a, PartInspection b) {
        return Long.compareUnsigned(a.runId(), b.runId()) > 0;
    }
}
