package io.farheap.check;

import io.farheap.base.CheckReport;
import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.base.ListAt;
import io.farheap.base.Structure;
import io.farheap.engine.PoolEngine;
import io.farheap.engine.TxSettings;
import io.farheap.heap.HeapMetadata;
import io.farheap.layout.Descriptor;
import io.farheap.layout.ShutdownState;
import io.farheap.memory.PoolMemory;
import io.farheap.pool.PartInspection;
import io.farheap.pool.PoolFault;
import io.farheap.pool.PoolFiles;
import io.farheap.pool.PoolInspection;
import io.farheap.pool.PoolSource;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.PoolSet;
import io.farheap.ulog.LaneArea;
import io.farheap.ulog.LaneInspection;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.LongFunction;

/**
 * Checks a whole pool. Each local replica by itself; remote ones are elsewhere, and not looked at.
 *
 * <p>A pool that was not closed is recovered first, on a copy in memory: what a crash left half
 * done is no inconsistency. Where damage forbids that, what depends on it is left out: lost log
 * extensions and lists.
 */
public final class PoolCheck {
    private final List<ListAt> lists;
    private final InconsistencyList findings = new InconsistencyList();
    private long objects;
    private long internalObjects;

    /** Local replicas in which something is wrong once they were recovered with the first one. */
    private final Map<Integer, CheckReport> doubtful = new TreeMap<>();

    private PoolCheck(List<ListAt> lists) {
        this.lists = lists;
    }

    /**
     * Checks a pool that nobody has open. Whatever its bytes are they make no exception, and no
     * file is changed.
     *
     * @param layout what its layout must be, or null for any
     * @throws FarheapException WRONG_USE for another layout; BAD_DATA for a mistake in the poolset
     *     file; ENVIRONMENT for a pool in use, or one that cannot be read
     */
    public static CheckReport ofFiles(Path pool, String layout, List<ListAt> lists) {
        PoolCheck check = new PoolCheck(lists);
        PoolSource source = PoolSource.of(pool);
        if (check.parts(PoolInspection.of(source.existing()))) {
            try (PoolFiles files = PoolFiles.openUnchecked(source)) {
                check.closed(files, layout);
            }
            check.judgeDoubtful(source.existing(), PoolFiles::openUnchecked);
        }
        return check.report();
    }

    /** As {@link #ofFiles}, of a pool whose parts the caller has locked. */
    static CheckReport ofLocked(PoolSet set) {
        PoolCheck check = new PoolCheck(List.of());
        if (check.parts(PoolInspection.passing(set))) {
            try (PoolFiles files = PoolFiles.openLocked(set)) {
                check.closed(files, null);
            }
            check.judgeDoubtful(set, PoolFiles::openLocked);
        }
        return check.report();
    }

    /**
     * Checks the content of one local replica of a pool that nobody has open, as the only one that
     * there is: headers, and whether the others are equal to it, are left out.
     *
     * @param replica index among the local ones; all of its parts can be mapped
     * @throws FarheapException as {@link #ofFiles}
     */
    public static CheckReport ofReplica(PoolSet set, int replica) {
        return ofReplica(set, replica, PoolFiles::openUnchecked);
    }

    private static CheckReport ofReplica(
            PoolSet set, int replica, Function<PoolSet, PoolFiles> opening) {
        PoolCheck check = new PoolCheck(List.of());
        PoolSet alone = PoolSet.of(set.options(), List.of(set.localReplicas().get(replica)));
        try (PoolFiles files = opening.apply(alone)) {
            check.contents(files, null);
        }
        return check.report();
    }

    /** Checks an image that has no logs to follow, as an agent's is whose tail was applied. */
    public static CheckReport ofImage(MemorySegment image, long poolId) {
        PoolCheck check = new PoolCheck(List.of());
        ImageCheck its = new ImageCheck(image, poolId, check.findings);
        if (its.descriptor()) {
            its.heap();
            check.content(its, true, true);
        }
        return check.report();
    }

    /**
     * Checks an open pool in which nothing is under way.
     *
     * @param files its part files, or null where it has none
     */
    public static CheckReport ofOpen(
            PoolFiles files, PoolMemory memory, long poolId, List<ListAt> lists) {
        PoolCheck check = new PoolCheck(lists);
        List<MemorySegment> images = List.of(memory.image());
        if (files != null) {
            check.headers(files);
            images = files.localImages();
        }
        for (int r = 0; r < images.size(); r++) {
            check.findings.of(fileOfOffset(files, r));
            ImageCheck image = new ImageCheck(images.get(r), poolId, check.findings);
            if (image.descriptor()) {
                image.heap();
                check.content(image, r == 0, true);
            }
        }
        return check.report();
    }

    /**
     * Checks files that are open copy on write, as they are in memory now; recovery changes them
     * there.
     */
    static CheckReport ofPrivate(PoolFiles files) {
        PoolCheck check = new PoolCheck(List.of());
        check.closed(files, null);
        check.doubtful.values().forEach(check.findings::addAll);
        return check.report();
    }

    /**
     * The local replicas whose descriptor, heap or root is not right as they are, without a
     * recovery.
     */
    static Set<Integer> replicasAtFault(PoolFiles files) {
        Set<Integer> damaged = new TreeSet<>();
        for (int r = 0; r < files.localImages().size(); r++) {
            InconsistencyList findings = new InconsistencyList();
            ImageCheck image = new ImageCheck(files.localImages().get(r), files.poolId(), findings);
            if (image.descriptor()) {
                image.heap();
                image.root();
            }
            if (findings.count() > 0) {
                damaged.add(r);
            }
        }
        return damaged;
    }

    private CheckReport report() {
        return findings.report(objects, internalObjects);
    }

    // ---- files ----

    /** Whether every part can be mapped. */
    private boolean parts(PoolInspection inspection) {
        inspection.requireReadable();
        inspection.replicas().stream()
                .flatMap(List::stream)
                .filter(part -> part.isLost() && part.header() == null)
                .forEach(this::lost);
        return findings.count() == 0;
    }

    private void lost(PartInspection part) {
        String problem =
                part.condition() == PartInspection.Condition.MISSING
                        ? part.path() + ": No such file or directory"
                        : part.problem();
        findings.add(Structure.PART, part.path(), 0, problem);
    }

    private void headers(PoolFiles files) {
        files.eachFault(
                fault ->
                        findings.add(
                                fault.kind() == PoolFault.Kind.HEADER
                                        ? Structure.HEADER
                                        : Structure.SHUTDOWN_STATE,
                                fault.path(),
                                fault.kind() == PoolFault.Kind.HEADER ? 0 : ShutdownState.OFFSET,
                                fault.sentence()));
    }

    private void closed(PoolFiles files, String layout) {
        headers(files);
        contents(files, layout);
    }

    private void contents(PoolFiles files, String layout) {
        List<ImageCheck> images = images(files);
        boolean placed = true;
        for (int r = 0; r < images.size(); r++) {
            findings.of(fileOfOffset(files, r));
            placed &= images.get(r).descriptor();
        }
        if (layout != null && findings.count() == 0) {
            String place = files.poolSet().master().parts().get(0).path().toString();
            new Descriptor(files.memory()).validate(place, layout);
        }
        if (!placed) {
            return;
        }
        heaps(files, images);
        for (int r = 1; r < images.size(); r++) {
            findings.of(fileOfOffset(files, r));
            images.get(r).followLogs();
        }
        LaneInspection logs = new LaneInspection(new LaneArea(files.memory()));
        boolean quiet = !logs.anyPending();
        // Local replicas may differ in what no log covers until opening brings them together.
        boolean settled = quiet && images.size() == 1;
        if (!settled && findings.count() == 0 && !logs.anyDamaged() && recover(files)) {
            together(files);
            return;
        }
        for (int r = 0; r < images.size(); r++) {
            findings.of(fileOfOffset(files, r));
            content(images.get(r), r == 0, quiet);
        }
    }

    /**
     * The replicas as opening would have them, which gives all of them the first one's metadata. So
     * only the first is judged by that: in another one those may contradict what is right there.
     */
    private void together(PoolFiles files) {
        for (int r = 0; r < files.localImages().size(); r++) {
            InconsistencyList its = r == 0 ? findings : new InconsistencyList();
            its.of(fileOfOffset(files, r));
            ImageCheck image = new ImageCheck(files.localImages().get(r), files.poolId(), its);
            image.heap();
            content(image, r == 0, true);
            if (r > 0 && its.count() > 0) {
                doubtful.put(r, its.report(0, 0));
            }
        }
    }

    /** Each by itself, after a recovery of its own. */
    private void judgeDoubtful(PoolSet set, Function<PoolSet, PoolFiles> opening) {
        boolean firstIsSound = findings.count() == 0;
        for (int r : doubtful.keySet()) {
            CheckReport alone = ofReplica(set, r, opening);
            findings.addAll(alone);
            if (alone.isConsistent() && firstIsSound) {
                differs(set, r);
            }
        }
    }

    private void differs(PoolSet set, int replica) {
        Path first = set.master().parts().get(0).path();
        Path other = set.localReplicas().get(replica).parts().get(0).path();
        findings.add(
                Structure.REPLICAS,
                other,
                0,
                "the local replicas of "
                        + first
                        + " and of "
                        + other
                        + " have the same number and other contents, and each by itself is sound:"
                        + " which one is right can't be told here");
    }

    private List<ImageCheck> images(PoolFiles files) {
        return files.localImages().stream()
                .map(image -> new ImageCheck(image, files.poolId(), findings))
                .toList();
    }

    private void heaps(PoolFiles files, List<ImageCheck> images) {
        for (int r = 0; r < images.size(); r++) {
            findings.of(fileOfOffset(files, r));
            images.get(r).heap();
        }
    }

    private void content(ImageCheck image, boolean master, boolean quiet) {
        // Opening copies the master's lanes over those of the others.
        if (master) {
            image.logs(quiet);
            objects = image.objects();
            internalObjects = image.internalObjects();
        }
        image.root();
        if (master && quiet) {
            image.lostObjects();
        }
        if (quiet) {
            image.lists(lists);
        }
    }

    // ---- recovery ----

    /** Does in memory what opening does. Whether it came to its end. */
    private boolean recover(PoolFiles files) {
        findings.of(fileOfOffset(files, 0));
        long place = Descriptor.RUN_ID;
        try {
            files.requireOneRun(new OpeningCheck());
            place = Descriptor.DEFAULT_LANES_OFFSET;
            files.prepareRecovery();
            Descriptor descriptor = new Descriptor(files.memory());
            HeapMetadata.persist(files.memory(), descriptor.heapOffset(), descriptor.heapSize());
            PoolEngine.open(files.memory(), TxSettings.DEFAULTS, null).close();
            return true;
        } catch (FarheapException e) {
            if (e.category() != Category.BAD_DATA) {
                throw e;
            }
            Structure structure = place == Descriptor.RUN_ID ? Structure.REPLICAS : Structure.LOG;
            findings.add(structure, place, e.getMessage());
            return false;
        }
    }

    private static LongFunction<Path> fileOfOffset(PoolFiles files, int replica) {
        if (files == null) {
            return offset -> null;
        }
        PoolSet set = files.poolSet();
        LocalReplica local = set.localReplicas().get(replica);
        return offset -> {
            int part = local.parts().size() - 1;
            while (part > 0 && set.imageOffset(local, part) > offset) {
                part--;
            }
            return local.parts().get(part).path();
        };
    }
}
