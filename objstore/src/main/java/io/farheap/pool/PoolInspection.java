package io.farheap.pool;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.layout.PoolHeader;
import io.farheap.layout.PoolUuid;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.PoolSet;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * All local parts of a pool as they lie there, and whether those that are healthy belong together:
 * what a restoration is planned from (docs/pmempool.md#what-sync-does). Nothing is changed.
 */
public final class PoolInspection {
    private final PoolSet set;
    private final List<List<PartInspection>> replicas;

    private final PartHeaders headers;

    /** Why a replica's content is damaged, though its headers are right; null where it is not. */
    private final List<String> damages;

    /** Of all parts, from before they were looked at. */
    private final Map<Path, PartStamp> stamps;

    private PoolInspection(
            PoolSet set,
            List<List<PartInspection>> replicas,
            List<String> damages,
            Map<Path, PartStamp> stamps) {
        this.set = set;
        this.replicas = replicas;
        this.stamps = stamps;
        this.headers = new PartHeaders(set, replicas);
        this.damages = damages;
    }

    /** Looks at every local part of the set; those that somebody has open show only that. */
    public static PoolInspection of(PoolSet set) {
        return of(set, PartInspection::of);
    }

    /**
     * Looks at every local part of the set while somebody may have it open, and without touching a
     * lock: what is open may change meanwhile.
     */
    public static PoolInspection passing(PoolSet set) {
        return of(set, PartInspection::passing);
    }

    private interface Look {
        PartInspection at(PoolSet set, int replica, int index);
    }

    private static PoolInspection of(PoolSet set, Look look) {
        List<List<PartInspection>> replicas = new ArrayList<>();
        List<LocalReplica> locals = set.localReplicas();
        Map<Path, PartStamp> stamps = new HashMap<>();
        locals.stream()
                .flatMap(local -> local.parts().stream())
                .forEach(part -> stamps.put(part.path(), PartStamp.of(part.path())));
        for (int r = 0; r < locals.size(); r++) {
            List<PartInspection> parts = new ArrayList<>();
            for (int p = 0; p < locals.get(r).parts().size(); p++) {
                parts.add(look.at(set, r, p));
            }
            replicas.add(List.copyOf(parts));
        }
        return new PoolInspection(
                set,
                List.copyOf(replicas),
                Collections.nCopies(replicas.size(), null),
                Map.copyOf(stamps));
    }

    /**
     * The same with a replica whose content was found to be damaged: all of it must be made anew.
     *
     * @param problem one sentence
     */
    public PoolInspection withDamage(int replica, String problem) {
        List<List<PartInspection>> found = new ArrayList<>(replicas);
        found.set(
                replica,
                replicas.get(replica).stream().map(part -> part.damaged(problem)).toList());
        List<String> known = new ArrayList<>(damages);
        known.set(replica, problem);
        return new PoolInspection(
                set, List.copyOf(found), Collections.unmodifiableList(known), stamps);
    }

    /** Why the content of a replica is damaged whose headers are right, or null. */
    public String damage(int replica) {
        return damages.get(replica);
    }

    /** What a part is known by that was looked at. */
    PartStamp stamp(PartInspection part) {
        return stamps.get(part.path());
    }

    public PoolSet poolSet() {
        return set;
    }

    /** The parts of each local replica. */
    public List<List<PartInspection>> replicas() {
        return replicas;
    }

    /** Every part that must be made anew. */
    public List<PartInspection> lost() {
        return parts().filter(PartInspection::isLost).toList();
    }

    /** Every part that somebody has open. */
    public List<PartInspection> inUse() {
        return parts().filter(part -> part.condition() == PartInspection.Condition.IN_USE).toList();
    }

    /**
     * Requires that every part can be judged: what can't is neither replaced nor taken for whole.
     *
     * @throws FarheapException ENVIRONMENT where a part is in use or can't be read; BAD_DATA where
     *     its disk journal is needed and is not there or not right
     */
    public void requireKnown() {
        require(part -> !part.isUnknown());
    }

    /**
     * As {@link #requireKnown}, where it does not matter whether somebody has the pool open.
     *
     * @throws FarheapException as {@link #requireKnown}, but for what is in use
     */
    public void requireReadable() {
        require(part -> part.condition() != PartInspection.Condition.UNREADABLE);
    }

    private void require(Predicate<PartInspection> known) {
        parts().filter(known.negate())
                .findFirst()
                .ifPresent(
                        part -> {
                            throw new FarheapException(
                                    part.lacksDiskJournal()
                                            ? Category.BAD_DATA
                                            : Category.ENVIRONMENT,
                                    part.problem());
                        });
    }

    private Stream<PartInspection> parts() {
        return replicas.stream().flatMap(List::stream);
    }

    /** Whether every part of a local replica is healthy: it can be copied from. */
    public boolean isHealthy(int replica) {
        return replicas.get(replica).stream().allMatch(PartInspection::isHealthy);
    }

    /**
     * Whether a local replica is what a creation left that was cut: nobody ever committed in it,
     * though its headers may be right. Where another copy holds a pool, that is the pool.
     */
    public boolean isNeverCompleted(int replica) {
        if (isAnothersReplica()) {
            return false; // its number and its commits are in the journal
        }
        boolean healthy = isHealthy(replica);
        if (healthy && replicas.get(replica).get(0).runId() != 0) {
            return false;
        }
        // A replica's image that lost its journal has no number either, but content.
        return (healthy || damages.get(replica) == null)
                && new NeverCompleted(set, set.localReplicas().get(replica)).isSo();
    }

    /** Whether the files are what an agent keeps for a pool on another machine, not promoted. */
    boolean isAnothersReplica() {
        return set.replicas().size() == 1
                && !set.isDirectorySet()
                && replicas.get(0).get(0).runId() == 0
                && Files.exists(SideFiles.of(set).replicaJournal());
    }

    /** Whether no local replica has a file that is there. */
    public boolean isAbsent() {
        return parts().allMatch(part -> part.condition() == PartInspection.Condition.MISSING);
    }

    /** The set of the local replicas that are healthy; where all or none is, the whole set. */
    PoolSet healthy() {
        return those(PartInspection::isHealthy);
    }

    /**
     * The same, where those count as healthy, too, whose disk journal is not right: whoever opens
     * one says so, and nobody takes it for lost.
     */
    PoolSet healthyButForJournals() {
        return those(part -> part.isHealthy() || part.lacksDiskJournal());
    }

    private PoolSet those(Predicate<PartInspection> good) {
        List<LocalReplica> some =
                IntStream.range(0, replicas.size())
                        .filter(r -> replicas.get(r).stream().allMatch(good))
                        .mapToObj(set.localReplicas()::get)
                        .toList();
        return some.isEmpty() || some.size() == replicas.size()
                ? set
                : PoolSet.of(set.options(), some);
    }

    /**
     * Requires that the newest commits of what is copied from, or may be the last copy, are not in
     * a disk journal alone.
     *
     * @throws FarheapException BAD_DATA, which names what brings them to the files
     */
    public void requireNoDiskJournal() {
        if (needsDiskJournal()) {
            if (firstHealthy() < 0 && !lost().isEmpty()) {
                throw journalOfLostParts();
            }
            DiskJournalRecovery.refuseUnclosed(set);
        }
        for (int r = 0; r < replicas.size(); r++) {
            List<Path> left =
                    replicas.get(r).stream()
                            .filter(part -> !part.isLost())
                            .map(PartInspection::path)
                            .toList();
            if (left.stream().anyMatch(HeaderMark::isMarked)) {
                throw FarheapException.badData(
                        "%s was not closed, and as other parts of its replica are lost it can't be"
                                + " brought to where the disk journal ends; another local replica"
                                + " has all of it: move what is left of this one away (%s); nothing"
                                + " was changed",
                        left.get(0),
                        left.stream().map(Path::toString).collect(Collectors.joining(", ")));
            }
        }
    }

    /** A recovery needs a replica that has all its parts. */
    private FarheapException journalOfLostParts() {
        return FarheapException.badData(
                "%s was not closed, and its newest commits are in its disk journal, which can't be"
                        + " brought to a replica that lacks a part, and none has all (%s): put the"
                        + " missing files back if they can be found, then: farheap recover %s; else"
                        + " move all part files with their disk journals away, then put all files of a"
                        + " backup in place, or let farheap sync take a remote replica's content;"
                        + " nothing was changed",
                PoolFiles.place(set),
                lost().stream().map(PartInspection::problem).collect(Collectors.joining("; ")),
                PoolFiles.place(set));
    }

    /** Whether the newest commits of what is healthy may be in a disk journal alone. */
    public boolean needsDiskJournal() {
        return HeaderMark.isNeeded(healthy());
    }

    /** Whether several local replicas have parts, and each may have what another one lost. */
    public boolean isSpread() {
        return replicas.stream()
                        .filter(parts -> parts.stream().anyMatch(PartInspection::isHealthy))
                        .count()
                > 1;
    }

    /** The first local replica that can be copied from, or -1. */
    public int firstHealthy() {
        for (int r = 0; r < replicas.size(); r++) {
            if (isHealthy(r)) {
                return r;
            }
        }
        return -1;
    }

    /**
     * A header of the pool from any healthy part, else from one in which only the content is
     * damaged; null where there is none.
     */
    public PoolHeader anyHeader() {
        return parts().filter(part -> part.header() != null)
                .filter(part -> part.isHealthy() || damage(part.replica()) != null)
                .sorted(Comparator.comparing(part -> !part.isHealthy()))
                .map(PartInspection::header)
                .findFirst()
                .orElse(null);
    }

    /**
     * How the poolset file was changed since the pool was made; null: it was not, as far as known.
     */
    public PoolSetEdit edit() {
        return PoolSetEdit.of(set);
    }

    /**
     * The same where remote replicas are known, too: a replica that headers name and that is none
     * of them is one that the poolset file lacks.
     *
     * @param remotes the uuids of all remote replicas
     */
    public PoolSetEdit editBeside(Set<PoolUuid> remotes) {
        PoolSetEdit edit = edit();
        return edit != null ? edit : PoolSetEdit.beside(set, remotes);
    }

    /**
     * The same with a replica whose parts are worth nothing beside another copy, and are to be made
     * anew whatever their headers say.
     *
     * @param problem one sentence
     */
    public PoolInspection givenUp(int replica, String problem) {
        List<List<PartInspection>> found = new ArrayList<>(replicas);
        found.set(
                replica,
                replicas.get(replica).stream().map(part -> part.worthless(problem)).toList());
        return new PoolInspection(set, List.copyOf(found), damages, stamps);
    }

    /**
     * Why the healthy parts cannot be one pool: of several pools, in another order, of another set
     * of replicas.
     *
     * @return one sentence, or null where they fit
     */
    public String conflict() {
        PoolSetEdit edit = edit();
        String between = headers.conflict(anyHeader());
        if (edit == null || between == null) {
            return edit == null ? between : edit.finding();
        }
        return between + ": " + edit.finding();
    }

    /**
     * Whether this is one plain file whose sound header names neighbours: a part of a pool whose
     * poolset file was not named.
     */
    public boolean isPartAlone() {
        PartInspection only = replicas.get(0).get(0);
        if (!set.file().isEmpty()
                || only.header() == null
                || HeaderValidation.ownFault(only.header()) != null) {
            return false;
        }
        PoolUuid own = only.header().uuid();
        PoolHeader.Links links = only.header().links();
        return !links.nextPart().equals(own) || !links.nextReplica().equals(own);
    }

    /**
     * The one switch in which the headers of a replica differ: a change of it was cut after the
     * first of them, and the same change again finishes it. Null where they agree, or differ in
     * more. Replicas may differ: a pool of such opens, here and in libpmemobj.
     */
    public CutFeature cutFeature() {
        return headers.cutFeature();
    }

    /**
     * The uuid that part {@code index} of a local replica had, as its healthy neighbours say, or
     * null where none is left to say it.
     */
    public PoolUuid knownUuid(int replica, int index) {
        return headers.knownUuid(replica, index);
    }
}
