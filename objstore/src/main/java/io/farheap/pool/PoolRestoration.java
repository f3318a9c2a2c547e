package io.farheap.pool;

import io.farheap.base.FarheapException;
import io.farheap.layout.PoolHeader;
import io.farheap.memory.MappedImage;
import io.farheap.memory.MappedImage.Access;
import io.farheap.memory.MappedImage.Share;
import io.farheap.memory.NativeFile;
import io.farheap.memory.PoolMemory;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.PoolSet;
import io.farheap.poolset.PoolSet.Option;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Makes the lost parts of a pool anew (docs/pmempool.md#what-sync-does). The new files lie beside
 * their places, under names of their own, until their content is complete and durable; only {@link
 * #complete} puts them there. So a restoration that is cut short has changed nothing, and never
 * leaves a part that looks healthy and is not.
 *
 * <p>The healthy parts are locked and kept as they are. What the lost parts had in the image is to
 * be copied by the caller: see {@link #ranges}, {@link #copyIn}. Used by one thread, but for {@code
 * copyIn} and {@code copyOut}.
 */
public final class PoolRestoration implements AutoCloseable {
    /**
     * A piece of a replica's image that is to be copied from a healthy copy.
     *
     * @param replica index among the local replicas
     * @param offset image offset in bytes
     * @param length bytes
     */
    public record Range(int replica, long offset, long length) {}

    private final PoolInspection inspection;
    private final PoolSet set;
    private final boolean anew;
    private final Ownership owner;
    private final RestoredPlaces places;

    /** Old parts have been removed: from then on the new ones may be all that is here. */
    private volatile boolean replacing;

    private final List<Path> inPlace = new CopyOnWriteArrayList<>();

    private final List<NativeFile> healthy = new ArrayList<>();
    private final List<RestoredPart> fresh = new ArrayList<>();
    private final List<MappedImage> images = new ArrayList<>();

    /** By local replica and part; healthy ones and fresh ones. */
    private final List<List<NativeFile>> partFiles = new ArrayList<>();

    private final RestoredHeaders headers;

    private PoolRestoration(PoolInspection inspection, PoolHeader reference, boolean anew) {
        this.inspection = inspection;
        this.set = inspection.poolSet();
        this.anew = anew;
        this.owner = owner(inspection).orElseGet(Ownership::ofThisProcess);
        this.places = new RestoredPlaces(inspection, anew);
        this.headers = new RestoredHeaders(inspection, reference);
    }

    /**
     * Locks what is healthy and makes room for what is lost.
     *
     * @param inspection without a conflict, and with nothing in use
     * @param reference a header of the pool: from any healthy part
     * @throws FarheapException when a part cannot be made, is in use by now or is not as it was
     *     when it was inspected; nothing has changed
     */
    public static PoolRestoration begin(PoolInspection inspection, PoolHeader reference) {
        return begin(inspection, reference, () -> {});
    }

    /**
     * The same with a look at what is healthy while nobody else can have it, and before anything is
     * made or gives way.
     *
     * @param look throws what is the matter
     */
    public static PoolRestoration begin(
            PoolInspection inspection, PoolHeader reference, Runnable look) {
        return begin(inspection, reference, look, false);
    }

    /**
     * Locks what is healthy and makes room for all parts of all replicas, which come from a copy
     * that is elsewhere: what is left here may be older or newer than that.
     *
     * @param reference a header of the pool: the copy's
     */
    public static PoolRestoration beginAnew(PoolInspection inspection, PoolHeader reference) {
        return begin(inspection, reference, () -> {}, true);
    }

    private static PoolRestoration begin(
            PoolInspection inspection, PoolHeader reference, Runnable look, boolean anew) {
        inspection.requireKnown();
        inspection.requireNoDiskJournal();
        String fault = HeaderValidation.ownFault(reference);
        String obstacle = inspection.conflict() != null ? inspection.conflict() : fault;
        if (obstacle == null
                && reference.features().hasSingleHeader()
                        != inspection.poolSet().has(Option.SINGLEHDR)) {
            obstacle = "poolset file options do not match the pool's: OPTION SINGLEHDR";
        }
        if (obstacle != null) {
            throw FarheapException.badData("cannot restore: %s", obstacle);
        }
        PoolRestoration restoration = new PoolRestoration(inspection, reference, anew);
        try {
            List<List<NativeFile>> there = new ArrayList<>();
            for (List<PartInspection> parts : inspection.replicas()) {
                there.add(restoration.openHealthy(parts));
            }
            restoration.places.lockLost();
            restoration.places.requireAsSeen();
            look.run();
            for (int r = 0; r < inspection.replicas().size(); r++) {
                restoration.openReplica(r, there.get(r));
            }
            // From here on no program makes a pool there: it sees the locks of what is made.
            restoration.places.requireAsSeen();
            return restoration;
        } catch (RuntimeException e) {
            try {
                restoration.close();
            } catch (RuntimeException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
    }

    /** Null for those that are lost. */
    private List<NativeFile> openHealthy(List<PartInspection> parts) {
        List<NativeFile> files = new ArrayList<>();
        for (PartInspection part : parts) {
            files.add(part.isLost() ? null : openHealthy(part));
        }
        return files;
    }

    private void openReplica(int r, List<NativeFile> there) {
        LocalReplica replica = set.localReplicas().get(r);
        List<PartInspection> parts = inspection.replicas().get(r);
        RestorationLeftovers.giveWay(
                set, parts, parts.stream().filter(part -> anew || part.isLost()).toList());
        List<Share> shares = new ArrayList<>();
        List<NativeFile> files = new ArrayList<>();
        for (PartInspection part : parts) {
            NativeFile file = there.get(part.index());
            if (part.isLost() || anew) {
                file = makeRoom(part);
            }
            files.add(file);
            shares.add(
                    new Share(
                            file,
                            set.imageStart(part.index()),
                            set.imageSize(replica, part.index())));
        }
        partFiles.add(files);
        images.add(MappedImage.map(shares, Access.SHARED));
    }

    private NativeFile openHealthy(PartInspection part) {
        NativeFile file = NativeFile.open(part.path());
        healthy.add(file);
        file.lock();
        return file;
    }

    private NativeFile makeRoom(PartInspection part) {
        NativeFile file = NativeFile.create(RestorationLeftovers.unfinished(part.path()));
        fresh.add(new RestoredPart(set, part, file));
        file.lock();
        owner.giveOwnerTo(file);
        if (anew || !file.isAllocatedByWriting(lostBytes())) {
            file.allocate(part.size());
        } else {
            file.truncate(part.size());
        }
        return file;
    }

    private long lostBytes() {
        return inspection.replicas().stream()
                .flatMap(List::stream)
                .filter(PartInspection::isLost)
                .mapToLong(PartInspection::size)
                .sum();
    }

    /** What the caller must copy, in order of replicas and offsets, up to the pool's size. */
    public List<Range> ranges() {
        return fresh.stream().map(RestoredPart::range).filter(range -> range.length() > 0).toList();
    }

    /** The image of a local replica as it is now, for reading and for verifying. */
    public MemorySegment image(int replica) {
        return images.get(replica).segment().asReadOnly();
    }

    /**
     * Writes a piece of a lost part.
     *
     * @throws FarheapException WRONG_USE outside of {@link #ranges}: healthy parts stay as they
     *     are; ENVIRONMENT when the system refuses
     */
    public void copyIn(int replica, long offset, MemorySegment source) {
        long end = offset + source.byteSize();
        for (RestoredPart part : fresh) {
            if (part.has(replica, offset, end)) {
                part.write(offset, source);
                return;
            }
        }
        throw FarheapException.wrongUse(
                "image bytes %s to %s of replica %s are not in one lost part",
                offset, end, replica);
    }

    /**
     * Reads a piece of a local replica as its files hold it, new ones included, past the mappings:
     * no page is mapped for it.
     *
     * @param buffer native; it is filled
     * @throws FarheapException ENVIRONMENT when the system refuses, or a file ends too early
     */
    public void copyOut(int replica, long offset, MemorySegment buffer) {
        LocalReplica of = set.localReplicas().get(replica);
        long end = offset + buffer.byteSize();
        List<NativeFile> files = partFiles.get(replica);
        for (int part = 0; part < files.size(); part++) {
            long start = set.imageOffset(of, part);
            long from = Math.max(offset, start);
            long to = Math.min(end, start + set.imageSize(of, part));
            if (from < to) {
                MemorySegment piece = buffer.asSlice(from - offset, to - from);
                read(files.get(part), set.imageStart(part) + from - start, piece);
            }
        }
    }

    private static void read(NativeFile file, long offset, MemorySegment buffer) {
        long read = file.read(buffer, offset);
        if (read < buffer.byteSize()) {
            throw FarheapException.environment(
                    "%s ends at byte %s: somebody cut it off meanwhile; look for who did,"
                            + " then sync again",
                    file.path(), offset + read);
        }
    }

    /**
     * The image of a replica whose parts are all made anew, writable, pool size bytes.
     *
     * @throws FarheapException WRONG_USE where healthy parts belong to it
     */
    public PoolMemory newImage(int replica) {
        if (!anew) {
            throw FarheapException.wrongUse("replica %s is not restored as a whole", replica);
        }
        MappedImage image = images.get(replica);
        return new PoolMemory(image.segment().asSlice(0, set.poolSize()), image.persistence());
    }

    /** Waits until what was copied is on the medium. */
    public void makeDurable() {
        images.forEach(MappedImage::syncPages);
        fresh.forEach(part -> part.file().sync());
    }

    /**
     * Whose the pool's files are, healthy ones asked first; empty where there is none that could
     * tell.
     */
    public static Optional<Ownership> owner(PoolInspection inspection) {
        return inspection.replicas().stream()
                .flatMap(List::stream)
                .sorted(Comparator.comparing(PartInspection::isLost))
                .map(PartInspection::path)
                .filter(Files::exists)
                .findFirst()
                .map(Ownership::of);
    }

    /**
     * Writes the headers, makes all durable and puts the new files in their places, as the pool's
     * other files are owned.
     *
     * @throws FarheapException ENVIRONMENT also where a place is not as it was when it was
     *     inspected: nothing has changed then
     */
    public void complete() {
        images.forEach(MappedImage::syncPages);
        // The first part's header is the last one of a replica: with it all are there.
        for (RestoredPart part : fresh.reversed()) {
            part.allocateUnwritten();
            if (set.hasHeader(part.lost().index())) {
                headers.write(part.lost(), part.file());
            }
            owner.giveTo(part.file());
            part.file().sync();
        }
        places.requireAsSeen();
        places.claim();
        if (anew) {
            replacing = true;
            // Old and new parts must never pass for one pool together. What holds a place that was
            // free stays in it: nobody else may get there before the new part does.
            fresh.stream()
                    .filter(part -> part.lost().index() == 0 && places.hasOld(part.lost()))
                    .forEach(RestoredPart::removeOld);
        }
        // Part 0 of a replica last: without it nothing opens the replica.
        List<RestoredPart> order = new ArrayList<>(fresh);
        order.sort((a, b) -> Integer.compare(b.lost().index(), a.lost().index()));
        order.forEach(part -> part.moveIntoPlace(inPlace::add));
        fresh.clear();
        places.close();
    }

    /** The places of parts that new ones are in by now; for any thread. */
    public List<Path> inPlace() {
        return List.copyOf(inPlace);
    }

    /**
     * Whether old parts may be gone: from then on what was made is complete, and stays where it is,
     * also if {@link #complete} fails. For any thread.
     */
    public boolean isReplacing() {
        return replacing;
    }

    /**
     * Lets everything go; without {@link #complete} before, nothing has changed. Where that failed
     * after old parts were removed, the new ones stay beside their places. Idempotent.
     */
    @Override
    public void close() {
        images.forEach(MappedImage::close);
        images.clear();
        partFiles.clear();
        for (RestoredPart part : fresh) {
            if (replacing) {
                part.leave();
            } else {
                part.discard();
            }
        }
        fresh.clear();
        healthy.forEach(NativeFile::close);
        healthy.clear();
        places.close();
    }
}
