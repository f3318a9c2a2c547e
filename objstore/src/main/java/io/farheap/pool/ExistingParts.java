package io.farheap.pool;

import io.farheap.base.FarheapException;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.Part;
import io.farheap.poolset.PoolSet;
import io.farheap.poolset.RemoteReplica;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Which part files of a poolset file are there. A pool is opened where all are and created where
 * none is; where some are, something was lost that another copy may have, and neither is done.
 */
public final class ExistingParts {
    private final Path poolset;
    private final PoolSet set;
    private final List<Path> there;
    private final List<Path> missing;

    private ExistingParts(Path poolset, PoolSet set) {
        this.poolset = poolset;
        this.set = set;
        List<Path> files =
                set.localReplicas().stream()
                        .map(LocalReplica::parts)
                        .flatMap(List::stream)
                        .filter(part -> part.kind() == Part.Kind.FILE)
                        .map(Part::path)
                        .toList();
        this.there = files.stream().filter(ExistingParts::isThere).toList();
        this.missing = files.stream().filter(file -> !isThere(file)).toList();
    }

    private static boolean isThere(Path file) {
        return FileStatus.of(file).exists();
    }

    /**
     * @param source a poolset file
     */
    public static boolean isAny(PoolSource source) {
        DirectoryParts directories = source.directories();
        return directories == null
                ? !new ExistingParts(source.path(), source.existing()).there.isEmpty()
                : directories.exist();
    }

    /**
     * Requires all parts, before one of them is opened.
     *
     * @throws FarheapException ENVIRONMENT naming those that are missing, and what brings them back
     */
    static void requireAll(PoolSource source, PoolSet set) {
        if (!source.isPoolSet()) {
            return;
        }
        ExistingParts parts = new ExistingParts(source.path(), set);
        if (!parts.missing.isEmpty()) {
            throw FarheapException.environment(
                    "%s: %s%s missing; %s",
                    source.path(),
                    listed(parts.missing),
                    parts.missing.size() == 1 ? " is" : " are",
                    parts.nextStep());
        }
    }

    /**
     * Requires that no part holds anything, before one is made.
     *
     * @throws FarheapException WRONG_USE naming those that do, and what brings the others back
     */
    static void requireNone(PoolSource source, PoolSet set) {
        ExistingParts parts = new ExistingParts(source.path(), set);
        List<Path> holding = new ArrayList<>();
        for (LocalReplica replica : set.localReplicas()) {
            NeverCompleted content = new NeverCompleted(set, replica);
            for (int p = 0; p < replica.parts().size(); p++) {
                Path path = replica.parts().get(p).path();
                if (parts.there.contains(path) && !content.isBlank(p)) {
                    holding.add(path);
                }
            }
        }
        if (!holding.isEmpty()) {
            throw FarheapException.wrongUse(
                    "Non-empty file detected: no pool is created over %s%s something"
                            + " already; %s",
                    listed(holding),
                    holding.size() == 1 ? ", which holds" : ", which hold",
                    source.isPoolSet()
                            ? parts.nextStep()
                            : "name another file, or open the pool that is there");
        }
    }

    private static String listed(List<Path> files) {
        return files.stream().map(Path::toString).collect(Collectors.joining(", "));
    }

    /** What goes on from here without giving up anything that is there. */
    private String nextStep() {
        String sync = "farheap sync " + poolset;
        PoolSetEdit edit = PoolSetEdit.of(set);
        if (edit != null) {
            return edit.text();
        }
        PoolInspection found = PoolInspection.passing(set);
        if (found.isAnothersReplica()) {
            return "it is a replica of a pool on another machine: farheap status "
                    + poolset
                    + " says what it has; no program opens it here";
        }
        boolean empty = true;
        for (int r = 0; r < found.replicas().size(); r++) {
            boolean never = found.isNeverCompleted(r);
            empty &= never || isAbsent(found.replicas().get(r));
            if (found.isHealthy(r) && !never) {
                PartInspection first = found.replicas().get(r).get(0);
                return missing.isEmpty()
                        ? "open the pool that is there"
                        : (found.needsDiskJournal() ? "farheap recover " + poolset + ", then " : "")
                                + sync
                                + " restores what is missing from replica "
                                + set.replicas().indexOf(set.localReplicas().get(r))
                                + " ("
                                + first.path()
                                + ", number "
                                + Long.toUnsignedString(first.runId())
                                + ")";
            }
        }
        if (!set.remoteReplicas().isEmpty()) {
            String targets =
                    set.remoteReplicas().stream()
                            .map(RemoteReplica::toString)
                            .collect(Collectors.joining(", "));
            return "if a target holds a copy ("
                    + targets
                    + "), "
                    + sync
                    + " restores the pool from it: farheap status "
                    + poolset
                    + " says what each holds"
                    + (there.isEmpty() ? "; if the pool never was: create it" : "");
        }
        if (there.isEmpty()) {
            return "mount the file system that they are on, or put them back from a backup; if the"
                    + " pool never was: create it";
        }
        return empty
                ? "what is there is left of a creation that was cut, nobody committed in it:"
                        + " farheap create -f "
                        + poolset
                        + " makes the pool anew"
                : "no other copy is whole: mount the file system that the others are on"
                        + withoutThem(found)
                        + " (farheap status "
                        + poolset
                        + ")";
    }

    /** A single file of a backup would be an older one among others, and pass for whole. */
    private String withoutThem(PoolInspection found) {
        if (!found.isSpread()) {
            return ", or put them back from a backup";
        }
        return (found.needsDiskJournal()
                        ? ", then: farheap recover " + poolset
                        : "; else farheap sync -d "
                                + poolset
                                + " says whether the replicas have all of it together")
                + "; else move all part files away, keep them, and put all files of a backup in"
                + " place, not single ones";
    }

    private static boolean isAbsent(List<PartInspection> parts) {
        return parts.stream()
                .allMatch(part -> part.condition() == PartInspection.Condition.MISSING);
    }
}
