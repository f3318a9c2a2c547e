package io.farheap.check;

import io.farheap.base.CheckReport;
import io.farheap.base.FarheapException;
import io.farheap.base.Inconsistency;
import io.farheap.base.Structure;
import io.farheap.heap.HeapRepair;
import io.farheap.layout.Descriptor;
import io.farheap.layout.DescriptorRepair;
import io.farheap.memory.NativeFile;
import io.farheap.memory.PoolMemory;
import io.farheap.pool.DiskJournalRecovery;
import io.farheap.pool.PartPatch;
import io.farheap.pool.PartRepair;
import io.farheap.pool.PoolFiles;
import io.farheap.pool.PoolSource;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.Part;
import io.farheap.poolset.PoolSet;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Repairs a pool that nobody has open, as far as the format lets.
 *
 * <p>Everything is done in memory first and checked there as a whole: unless the whole pool is
 * consistent then, nothing is written. Where one local replica is without a fault, a damaged one
 * gets its content. Where none is, header, descriptor and heap header are restored from what they
 * must have been. What says which memory is in use, and what programs have stored, is never
 * guessed.
 *
 * <p>Cut anywhere, the same repair again finishes it. The pool is locked until {@link #close}. Not
 * thread-safe.
 */
public final class PoolRepair implements AutoCloseable {
    private static final int PAGE = 4096;

    private final Path pool;
    private final PoolSet set;
    private final boolean assume;
    private final List<NativeFile> locked = new ArrayList<>();
    private final List<PartPatch> headers = new ArrayList<>();
    private final List<PartPatch> words = new ArrayList<>();
    private final List<ReplicaOverwrite> copies = new ArrayList<>();
    private CheckReport found;
    private CheckReport left;
    private PoolFiles files;

    private PoolRepair(Path pool, boolean assume) {
        this.pool = pool;
        this.set = PoolSource.of(pool).existing();
        this.assume = assume;
    }

    /**
     * Finds out what is wrong, and what can be done about it; changes nothing.
     *
     * @param assume also what is likely, and not proven: {@link #steps} names it
     * @throws FarheapException as {@link PoolCheck#ofFiles}
     */
    public static PoolRepair plan(Path pool, boolean assume) {
        PoolRepair repair = new PoolRepair(pool, assume);
        try {
            // What is found must be what is repaired: nobody comes in between.
            repair.lock();
            repair.look();
            return repair;
        } catch (RuntimeException e) {
            repair.close();
            throw e;
        }
    }

    private void lock() {
        for (LocalReplica replica : set.localReplicas()) {
            for (Part part : replica.parts()) {
                if (Files.isRegularFile(part.path())) {
                    NativeFile file = NativeFile.openReadOnly(part.path());
                    locked.add(file);
                    file.lock();
                }
            }
        }
    }

    private void look() {
        found = PoolCheck.ofLocked(set);
        left = found;
        // Of two replicas that are each right by itself a person must choose.
        boolean decided =
                !isFound(Structure.PART)
                        && !isFound(Structure.REPLICAS)
                        && !DiskJournalRecovery.isNeeded(
                                set); // else the files are half of the pool
        if (!found.isConsistent() && decided) {
            prepare();
        }
    }

    private boolean isFound(Structure structure) {
        return found.inconsistencies().stream().anyMatch(one -> one.structure() == structure);
    }

    /** What is wrong with the pool. */
    public CheckReport found() {
        return found;
    }

    /** Whether all of it can be repaired; not where nothing is wrong. */
    public boolean isPossible() {
        return !found.isConsistent() && left.isConsistent();
    }

    /** What would be wrong yet; nothing where it {@link #isPossible}. */
    CheckReport left() {
        return left;
    }

    /** What is to be done, a sentence for each step. */
    public List<String> steps() {
        List<String> steps = new ArrayList<>();
        words.forEach(patch -> steps.add(patch.text()));
        for (ReplicaOverwrite copy : copies) {
            steps.add(
                    "copy "
                            + copy.pages().cardinality()
                            + " pages from the replica of "
                            + first(set.localReplicas().get(copy.source()))
                            + ", in which no fault was found, to that of "
                            + first(set.localReplicas().get(copy.target()))
                            + (copy.assumed()
                                    ? " (assumed: that one, whose number is lost, was no newer)"
                                    : ""));
        }
        headers.forEach(patch -> steps.add(patch.text()));
        return steps;
    }

    /**
     * The local replicas that get pages of another one, by their indices; and whether that has the
     * same number, which proves that it has the same commits.
     */
    public Map<Integer, Boolean> overwritten() {
        return copies.stream()
                .collect(Collectors.toMap(ReplicaOverwrite::target, copy -> !copy.assumed()));
    }

    private static Path first(LocalReplica replica) {
        return replica.parts().get(0).path();
    }

    /** All part files of the local replicas; empty where nothing can be done. */
    public List<Path> parts() {
        return files == null
                ? List.of()
                : files.poolSet().localReplicas().stream()
                        .flatMap(replica -> replica.parts().stream())
                        .map(Part::path)
                        .toList();
    }

    // ---- the plan ----

    private void prepare() {
        files = PoolFiles.openLocked(set);
        PartRepair parts = new PartRepair(files);
        headers.addAll(parts.repairHeaders(assume));
        List<PoolMemory> images = parts.images();
        Set<Integer> lostData = parts.replicasThatLostData();
        Set<Integer> damaged = damaged();
        damaged.addAll(lostData);
        if (damaged.size() == images.size()) {
            for (int r = 0; r < images.size(); r++) {
                metadata(images.get(r), r);
            }
            damaged = PoolCheck.replicasAtFault(files);
            damaged.addAll(lostData);
        }
        boolean believed = damaged.size() == images.size() && mayBelieveAllIsThere();
        if (believed) {
            damaged = PoolCheck.replicasAtFault(files);
        }
        overwrite(images, damaged);
        for (int r : lostData) {
            if (believed || copies.stream().anyMatch(copy -> copy.target() == r)) {
                headers.add(
                        parts.forgetShutdowns(
                                r,
                                believed
                                        ? "assumed: nothing was lost in the power failure"
                                        : "its content is another replica's now"));
            }
        }
        left = PoolCheck.ofPrivate(files);
    }

    /** A remote replica has what was lost here, and would pass for the same as this pool. */
    private boolean mayBelieveAllIsThere() {
        return assume && files.poolSet().remoteReplicas().isEmpty();
    }

    /**
     * Numbers that differ tell of two histories, of which a person must choose one: a copy comes
     * from a replica of its own run. One whose number was erased with its descriptor may have been
     * the newest of all; that it was not can be assumed only.
     */
    private void overwrite(List<PoolMemory> images, Set<Integer> damaged) {
        for (int target : damaged) {
            PoolMemory to = images.get(target);
            long run = run(to);
            int newest = -1;
            int source = -1;
            for (int r = 0; r < images.size(); r++) {
                if (damaged.contains(r)) {
                    continue;
                }
                long other = run(images.get(r));
                if (newest < 0 || Long.compareUnsigned(other, run(images.get(newest))) > 0) {
                    newest = r;
                }
                source = source < 0 && other == run ? r : source;
            }
            boolean erased = run == 0 && !isSound(new Descriptor(to));
            boolean assumed = source < 0 && erased && assume && newest >= 0;
            if (source >= 0 || assumed) {
                copies.add(ReplicaOverwrite.of(images, assumed ? newest : source, target, assumed));
            }
        }
    }

    private static long run(PoolMemory image) {
        return image.getLong(Descriptor.RUN_ID);
    }

    /** The replicas whose content is not right. */
    private Set<Integer> damaged() {
        Set<Integer> damaged = new TreeSet<>();
        for (Inconsistency one : found.inconsistencies()) {
            boolean header =
                    one.structure() == Structure.HEADER
                            || one.structure() == Structure.SHUTDOWN_STATE;
            if (!header) {
                damaged.add(replicaOf(one.file()));
            }
        }
        return damaged;
    }

    private int replicaOf(Path file) {
        List<LocalReplica> replicas = files.poolSet().localReplicas();
        for (int r = 0; r < replicas.size(); r++) {
            if (replicas.get(r).parts().stream().anyMatch(part -> part.path().equals(file))) {
                return r;
            }
        }
        throw new IllegalStateException("no part of the pool: " + file);
    }

    private void metadata(PoolMemory image, int replica) {
        Descriptor descriptor = new Descriptor(image);
        if (!descriptor.checksumMatches()) {
            String known = DescriptorRepair.restore(image.image(), assume);
            if (known != null) {
                note(image, replica, Descriptor.OFFSET, "restore the descriptor (" + known + ")");
            }
        }
        if (isSound(descriptor) && descriptor.heapOffset() != 0) {
            HeapRepair.run(
                    image,
                    descriptor.heapOffset(),
                    descriptor.heapSize(),
                    (text, offset) -> note(image, replica, offset, text));
        }
    }

    private static boolean isSound(Descriptor descriptor) {
        boolean[] sound = {true};
        descriptor.eachFault((fault, offset) -> sound[0] = false);
        return sound[0];
    }

    /** The page as it is in memory now is to be in the file. */
    private void note(PoolMemory image, int replica, long offset, String text) {
        LocalReplica local = set.localReplicas().get(replica);
        long page = offset / PAGE * PAGE;
        int part = local.parts().size() - 1;
        while (part > 0 && set.imageOffset(local, part) > page) {
            part--;
        }
        Path path = local.parts().get(part).path();
        byte[] bytes = new byte[PAGE];
        image.copyOut(page, MemorySegment.ofArray(bytes), 0, PAGE);
        long inFile = set.imageStart(part) + page - set.imageOffset(local, part);
        words.add(new PartPatch(path, inFile, bytes, text + " in " + path));
    }

    // ---- doing it ----

    /**
     * Writes it, durably, and checks the files.
     *
     * @throws FarheapException WRONG_USE unless it {@link #isPossible}; ENVIRONMENT where something
     *     can't be written; BAD_DATA where the files are not what was written
     */
    public void apply() {
        if (!isPossible()) {
            throw FarheapException.wrongUse("%s can't be repaired", pool);
        }
        try {
            for (PartPatch patch : words) {
                write(patch);
            }
            for (ReplicaOverwrite copy : copies) {
                copy.run(files.poolSet());
            }
            for (PartPatch patch : headers) {
                write(patch);
            }
        } catch (FarheapException e) {
            throw FarheapException.environment(
                    e,
                    "cannot write the repair of %s: %s; then run it again",
                    pool,
                    e.getMessage());
        }
        files.close();
        files = null;
        CheckReport report = PoolCheck.ofLocked(set);
        close();
        if (!report.isConsistent()) {
            throw FarheapException.badData(
                    "%s is not what was written to it, check the machine's memory and"
                            + " disks: %s",
                    pool, report.inconsistencies().get(0));
        }
    }

    private static void write(PartPatch patch) {
        try (NativeFile file = NativeFile.open(patch.path())) {
            file.write(MemorySegment.ofArray(patch.bytes()), patch.offset());
            file.sync();
        }
    }

    /** Lets the pool go. Idempotent. */
    @Override
    public void close() {
        if (files != null) {
            files.close();
            files = null;
        }
        locked.forEach(NativeFile::close);
        locked.clear();
    }
}
