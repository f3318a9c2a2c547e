package io.farheap.pool;

import io.farheap.base.FarheapException;
import io.farheap.layout.Descriptor;
import io.farheap.layout.FeatureFlags;
import io.farheap.layout.PoolHeader;
import io.farheap.layout.PoolUuid;
import io.farheap.memory.MappedImage;
import io.farheap.memory.MappedImage.Access;
import io.farheap.memory.MappedImage.Share;
import io.farheap.memory.NativeFile;
import io.farheap.memory.PoolMemory;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.Part;
import io.farheap.poolset.PoolSet;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Local replicas of a pool that are made beside the places they will have, from the image of one
 * that is there. Whoever makes them moves them: {@link #close} without {@link #keep} leaves
 * nothing. Used by one thread.
 */
public final class NewReplicas implements AutoCloseable {
    private static final String UNFINISHED = ".farheap-transforming";

    /** How one goes over whole images: as fast as a user allows, and told of. */
    public interface Passes {
        /** Copies all bytes of one image to the other. */
        void copy(MemorySegment original, MemorySegment copy);

        /** Whether all bytes of both are the same. */
        boolean areEqual(MemorySegment original, MemorySegment copy);
    }

    /**
     * A part that is complete but for its name.
     *
     * @param index of the part in its replica
     */
    public record Place(int index, Path unfinished, Path path) {}

    private record NewPart(int replica, Place place, NativeFile file) {}

    private final PoolSet set;
    private final Ownership owner;
    private final List<NewPart> parts = new ArrayList<>();
    private final Map<Integer, MappedImage> images = new TreeMap<>();

    private NewReplicas(PoolSet set, Ownership owner) {
        this.set = set;
        this.owner = owner;
    }

    /**
     * Makes room for them.
     *
     * @param replicas indices among the local replicas of {@code set}
     * @param owner whose the new files are
     * @throws FarheapException when there is none; then no file is left
     */
    public static NewReplicas begin(PoolSet set, Collection<Integer> replicas, Ownership owner) {
        NewReplicas made = new NewReplicas(set, owner);
        try {
            replicas.forEach(made::makeRoom);
            return made;
        } catch (RuntimeException e) {
            made.close();
            throw e;
        }
    }

    private void makeRoom(int r) {
        LocalReplica replica = set.localReplicas().get(r);
        List<Share> shares = new ArrayList<>();
        for (int p = 0; p < replica.parts().size(); p++) {
            Part part = replica.parts().get(p);
            Path unfinished = unfinished(part.path());
            UnfinishedFiles.removeLeftover(unfinished);
            NativeFile file = NativeFile.create(unfinished);
            parts.add(new NewPart(r, new Place(p, unfinished, part.path()), file));
            file.lock();
            owner.giveOwnerTo(file);
            file.allocate(part.size());
            shares.add(new Share(file, set.imageStart(p), set.imageSize(replica, p)));
        }
        images.put(r, MappedImage.map(shares, Access.SHARED));
    }

    /** Where a part is made that will be at {@code path}. */
    public static Path unfinished(Path path) {
        return path.resolveSibling(path.getFileName() + UNFINISHED);
    }

    /**
     * Copies an image into each of them, makes that durable, and compares.
     *
     * @param source so many bytes as the pool uses
     * @throws FarheapException ENVIRONMENT where a copy is not equal
     */
    public void copy(MemorySegment source, Passes passes) {
        MemorySegment original = behindHeader(source, source.byteSize());
        for (MappedImage image : images.values()) {
            passes.copy(original, behindHeader(image.segment(), source.byteSize()));
            image.syncPages();
        }
        parts.forEach(part -> part.file().sync());
        images.forEach(
                (replica, image) -> {
                    MemorySegment copy = behindHeader(image.segment(), source.byteSize());
                    if (!passes.areEqual(original, copy)) {
                        throw differs(replica, original.mismatch(copy));
                    }
                });
    }

    private static MemorySegment behindHeader(MemorySegment image, long end) {
        return image.asSlice(PoolHeader.SIZE, end - PoolHeader.SIZE);
    }

    private FarheapException differs(int replica, long at) {
        return FarheapException.environment(
                "the new copy in %s differs from the original at image offset %s;"
                        + " nothing was changed: check the machine's memory and disks",
                set.localReplicas().get(replica).parts().get(0).path(), PoolHeader.SIZE + at);
    }

    /** Lets the heap of each of them have all of the pool; what it has already stays in place. */
    public void extendHeap() {
        for (MappedImage image : images.values()) {
            MemorySegment pool = image.segment().asSlice(0, set.poolSize());
            Descriptor descriptor = new Descriptor(new PoolMemory(pool, image.persistence()));
            descriptor.setHeapSize(set.poolSize() - descriptor.heapOffset());
        }
    }

    /**
     * Writes the headers, and makes all durable.
     *
     * @param pool a header of the pool
     * @param uuids of all parts of all local replicas of the set that have a header
     */
    public void complete(PoolHeader pool, List<List<PoolUuid>> uuids) {
        FeatureFlags features = pool.features().withSingleHeader(set.has(PoolSet.Option.SINGLEHDR));
        images.values().forEach(MappedImage::syncPages);
        for (NewPart part : parts) {
            int index = part.place().index();
            if (set.hasHeader(index)) {
                Share page = new Share(part.file(), 0, PoolHeader.SIZE);
                try (MappedImage header = MappedImage.map(List.of(page), Access.SHARED)) {
                    new PoolHeader(header.segment())
                            .format(
                                    features,
                                    pool.poolsetUuid(),
                                    uuids.get(part.replica()).get(index),
                                    PoolCreation.links(uuids, part.replica(), index),
                                    System.currentTimeMillis() / 1000);
                    header.syncPages();
                }
            }
            owner.giveTo(part.file());
            part.file().sync();
            NativeFile.syncDirectory(part.place().path().getParent());
        }
    }

    /** The links that the header of a part gets. */
    public static PoolHeader.Links links(List<List<PoolUuid>> uuids, int replica, int part) {
        return PoolCreation.links(uuids, replica, part);
    }

    /** Where the parts are and belong; each replica's part 0, without which it is none, last. */
    public List<Place> places() {
        return parts.stream()
                .map(NewPart::place)
                .sorted(Comparator.comparing(Place::index).reversed())
                .toList();
    }

    /** From here on the files are somebody's: {@link #close} only unlocks them. */
    public void keep() {
        unmap();
        parts.forEach(part -> part.file().close());
        parts.clear();
    }

    private void unmap() {
        images.values().forEach(MappedImage::close);
        images.clear();
    }

    @Override
    public void close() {
        unmap();
        for (NewPart part : parts) {
            UnfinishedFiles.delete(part.place().unfinished());
            part.file().close();
        }
        parts.clear();
    }
}
