package io.farheap.tools.transform;

import io.farheap.base.FarheapException;
import io.farheap.heap.HeapWalk;
import io.farheap.layout.Descriptor;
import io.farheap.layout.PoolHeader;
import io.farheap.layout.PoolUuid;
import io.farheap.pool.JournalLook;
import io.farheap.pool.NewReplicas;
import io.farheap.pool.Ownership;
import io.farheap.pool.PartInspection;
import io.farheap.pool.PoolFiles;
import io.farheap.pool.SideFiles;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.Part;
import io.farheap.poolset.PoolSet;
import io.farheap.tools.command.LongWork;
import io.farheap.tools.verify.PacedImages;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The change of the local replicas: prepares all of it beside what is there, then switches. */
final class LocalTransformation {
    /** What one chunk more of heap takes. */
    private static final long LEAST_GAIN = 256 << 10;

    private final PoolChange change;
    private final LocalState state;
    private final List<List<PoolUuid>> uuids = new ArrayList<>();
    private final List<SwitchNote.Page> links = new ArrayList<>();

    LocalTransformation(LocalState state) {
        this.change = state.change();
        this.state = state;
        for (int r = 0; r < change.to().localReplicas().size(); r++) {
            uuids.add(uuids(r));
        }
        change.kept().forEach(this::link);
    }

    private List<PoolUuid> uuids(int replica) {
        List<PoolUuid> all = new ArrayList<>();
        Integer old = change.kept().get(replica);
        int parts = change.to().localReplicas().get(replica).parts().size();
        for (int p = 0; p < parts && change.to().hasHeader(p); p++) {
            all.add(
                    old == null
                            ? PoolUuid.random()
                            : state.found().replicas().get(old).get(p).header().uuid());
        }
        return all;
    }

    /** Headers that know their new neighbours already are left alone. */
    private void link(int replica, int old) {
        for (int p = 0; p < uuids.get(replica).size(); p++) {
            PartInspection part = state.found().replicas().get(old).get(p);
            PoolHeader.Links wanted = NewReplicas.links(uuids, replica, p);
            if (!part.header().links().equals(wanted)) {
                byte[] page = part.header().bytes().toArray(ValueLayout.JAVA_BYTE);
                new PoolHeader(MemorySegment.ofArray(page)).link(wanted);
                links.add(new SwitchNote.Page(part.path().toString(), page));
            }
        }
    }

    /** Whether there is anything to do. */
    boolean isNeeded() {
        return change.isLocal() || !links.isEmpty();
    }

    /** How many headers get other links. */
    int links() {
        return links.size();
    }

    /**
     * Does it.
     *
     * @param target the poolset file, beside which the note lies meanwhile
     * @param changed is told when it is made
     * @param work how fast it goes
     * @param texts of both poolset files
     */
    void run(Path target, ChangeMade changed, LongWork work, String... texts) {
        PartInspection source = state.part0(state.newest());
        try (PoolFiles old = PoolFiles.openUnchecked(whole());
                NewReplicas made =
                        NewReplicas.begin(
                                change.to(), change.made(), Ownership.of(source.path()))) {
            MemorySegment image = old.localImages().get(0);
            Descriptor descriptor = new Descriptor(HeapWalk.readOnly(image));
            long used = used(descriptor);
            requireRoom(used);
            long bytes = Math.min(image.byteSize(), change.to().poolSize());
            made.copy(image.asSlice(0, bytes), new Paced(work));
            if (mayGrow() && change.to().poolSize() - used >= LEAST_GAIN) {
                made.extendHeap();
            }
            made.complete(source.header(), uuids);
            SwitchNote note = note(descriptor.runId(), made.places(), texts);
            note.write(target);
            made.keep();
            new PoolsetSwitch(note, change.to()).run(changed);
            changed.then(() -> SwitchNote.delete(target));
        } catch (IOException e) {
            throw FarheapException.environment(e, "cannot look at a part: %s", e.getMessage());
        }
    }

    private record Paced(LongWork work) implements NewReplicas.Passes {
        @Override
        public void copy(MemorySegment original, MemorySegment copy) {
            PacedImages.copy(original, copy, original.byteSize(), work);
        }

        @Override
        public boolean areEqual(MemorySegment original, MemorySegment copy) {
            return PacedImages.mismatch(original, copy, original.byteSize(), work) < 0;
        }
    }

    /** All replicas of whole files, so that all are locked; the one that is copied from first. */
    private PoolSet whole() {
        List<LocalReplica> locals = change.from().localReplicas();
        List<LocalReplica> all = new ArrayList<>(List.of(locals.get(state.newest())));
        for (int r = 0; r < locals.size(); r++) {
            boolean whole = state.found().isHealthy(r) || state.found().damage(r) != null;
            if (r != state.newest() && whole) {
                all.add(locals.get(r));
            }
        }
        return PoolSet.of(change.from().options(), all);
    }

    /**
     * Requires that the pool has room in what it is to be.
     *
     * @throws FarheapException WRONG_USE where it has not
     */
    void requireRoom() {
        LocalReplica source = change.from().localReplicas().get(state.newest());
        PoolSet alone = PoolSet.of(change.from().options(), List.of(source));
        try (PoolFiles files = PoolFiles.openUnchecked(alone)) {
            requireRoom(used(new Descriptor(HeapWalk.readOnly(files.localImages().get(0)))));
        }
    }

    private static long used(Descriptor descriptor) {
        return descriptor.heapOffset() + descriptor.heapSize();
    }

    private void requireRoom(long used) {
        if (change.to().poolSize() < used) {
            throw FarheapException.wrongUse(
                    "target poolset is too small: its smallest replica has %s bytes, the"
                            + " pool uses %s: give it larger parts",
                    change.to().poolSize(), used);
        }
    }

    /** The heap's size must be the same in all copies, and those that stay are not written to. */
    private boolean mayGrow() {
        return change.kept().isEmpty()
                && change.to().remoteReplicas().isEmpty()
                && change.from().remoteReplicas().isEmpty();
    }

    private SwitchNote note(long runId, List<NewReplicas.Place> places, String... texts)
            throws IOException {
        Set<Path> staying = new TreeSet<>();
        for (LocalReplica replica : change.to().localReplicas()) {
            replica.parts().forEach(part -> staying.add(part.path().normalize()));
        }
        List<SwitchNote.Old> first = new ArrayList<>();
        List<SwitchNote.Old> last = new ArrayList<>();
        for (int dropped : change.dropped()) {
            List<Part> parts = change.from().localReplicas().get(dropped).parts();
            for (Part part : parts) {
                Path path = part.path().normalize();
                if (!Files.exists(path)) {
                    continue;
                }
                SwitchNote.Old old = new SwitchNote.Old(path.toString(), PoolsetSwitch.inode(path));
                if (change.kept().isEmpty() && part == parts.get(0)) {
                    first.add(old);
                } else if (!staying.contains(path)) {
                    last.add(old);
                }
            }
            PartInspection found = state.found().replicas().get(dropped).get(0);
            if (found.header() != null && JournalLook.isBeside(found.path(), found.header())) {
                // Of a closed pool, which does not need it.
                Path journal = new SideFiles(found.path()).diskJournal().normalize();
                last.add(new SwitchNote.Old(journal.toString(), PoolsetSwitch.inode(journal)));
            }
        }
        List<SwitchNote.Move> moves =
                places.stream().map(place -> move(place.unfinished(), place.path())).toList();
        return new SwitchNote(texts[0], texts[1], runId, first, links, moves, sideFiles(), last);
    }

    private List<SwitchNote.Move> sideFiles() {
        SideFiles before = SideFiles.of(change.from());
        SideFiles after = SideFiles.of(change.to());
        if (before.beside().normalize().equals(after.beside().normalize())) {
            return List.of();
        }
        String prefix = before.beside().getFileName().toString();
        return before.dirtyMaps().stream()
                .map(
                        map -> {
                            String rest = map.getFileName().toString().substring(prefix.length());
                            String name = after.beside().getFileName() + rest;
                            return move(map, after.beside().resolveSibling(name));
                        })
                .toList();
    }

    private static SwitchNote.Move move(Path from, Path to) {
        return new SwitchNote.Move(from.toString(), to.toString());
    }
}
