package io.farheap.tools.transform;

import io.farheap.base.FarheapException;
import io.farheap.pool.PartInspection;
import io.farheap.pool.PoolInspection;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.Part;
import io.farheap.tools.status.LocalRemedy;
import io.farheap.tools.survey.Survey;
import io.farheap.tools.sync.SourceCheck;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The local parts of the pool that is to be changed, as they lie there, and what must hold of them.
 * A replica whose content is damaged is no source and may not stay; it may go, as one whose files
 * are missing may, because a sound one is there.
 *
 * @param source the pool's poolset file, for messages
 * @param change what is to be done
 * @param found the parts of the old poolset, those of replicas with damaged content as broken
 */
record LocalState(Path source, PoolChange change, PoolInspection found) {
    /**
     * Looks, and changes nothing.
     *
     * @param source the pool's poolset file, for messages
     * @throws FarheapException where the pool is in use, or what stays of it is not healthy
     */
    static LocalState look(Path source, PoolChange change) {
        PoolInspection found = PoolInspection.of(change.from());
        found.requireKnown();
        found.requireNoDiskJournal();
        if (found.conflict() != null) {
            throw broken(found.conflict(), "first: " + LocalRemedy.of(found, source));
        }
        LocalState state = new LocalState(source, change, SourceCheck.of(found));
        state.requireSound();
        state.requireFreePlaces();
        return state;
    }

    private void requireSound() {
        if (newest() < 0) {
            throw broken(found.lost().get(0));
        }
        for (int old : change.kept().values()) {
            for (PartInspection part : found.replicas().get(old)) {
                if (!part.isHealthy()) {
                    throw broken(part);
                }
            }
        }
        for (int r = 0; r < found.replicas().size(); r++) {
            boolean known = part0(r).isHealthy() || found.damage(r) != null;
            if (known && Survey.isLater(part0(r), part0(newest()))) {
                throw otherRun(r, "a later run than any replica that is whole, and would be lost");
            }
        }
        for (int old : change.kept().values()) {
            if (Survey.isLater(part0(newest()), part0(old))) {
                throw otherRun(old, "an earlier run than another replica");
            }
        }
    }

    /** Not sync: it leaves replicas of different runs alone, too. */
    private FarheapException otherRun(int replica, String which) {
        return broken(
                part0(replica).path() + " is of " + which,
                "to go on without what it has, move the parts of "
                        + change.oldName(replica)
                        + " away"
                        + (change.kept().containsValue(replica)
                                ? ", and then: farheap sync " + source
                                : ""));
    }

    /**
     * Requires of a pool that is as it is to be already that remote replicas may go.
     *
     * @param now its local replicas, whose headers are right
     */
    static void requireSoundContent(Path poolset, PoolInspection now) {
        PoolInspection examined = SourceCheck.of(now);
        if (examined != now) {
            PartInspection damaged = examined.lost().get(0);
            throw brokenContent(poolset, damaged.problem());
        }
    }

    /** What is wrong with a part, or with the content of its replica, and what mends that. */
    private FarheapException broken(PartInspection part) {
        return found.damage(part.replica()) == null
                ? broken(part.problem(), "first: " + LocalRemedy.of(found, source))
                : brokenContent(source, change.oldName(part.replica()) + ": " + part.problem());
    }

    private static FarheapException brokenContent(Path poolset, String why) {
        return broken(
                why,
                "first: farheap check -r "
                        + poolset
                        + "; where that can't mend it, restore it from a remote replica (farheap"
                        + " sync --from) or a backup");
    }

    private static FarheapException broken(String why, String next) {
        return FarheapException.badData("source poolset is broken: %s; %s", why, next);
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
                    throw FarheapException.wrongUse(
                            "some parts being added already exist: %s; name another file", path);
                }
                if (!Files.isDirectory(path.getParent())) {
                    throw FarheapException.environment(
                            "%s: its directory does not exist; make it first", path);
                }
            }
        }
    }

    PartInspection part0(int replica) {
        return found.replicas().get(replica).get(0);
    }

    /** The healthy local replica of the newest run that is copied from; -1: there is none. */
    int newest() {
        return Survey.newest(found);
    }
}
