package io.farheap.tools.backup;

import io.farheap.base.FarheapException;
import io.farheap.layout.PoolHeader;
import io.farheap.layout.PoolUuid;
import io.farheap.memory.NativeFile;
import io.farheap.pool.FileStatus;
import io.farheap.pool.PoolSource;
import io.farheap.poolset.Part;
import io.farheap.poolset.PoolSet;
import io.farheap.tools.command.LongWork;
import io.farheap.tools.survey.CutLoad;
import io.farheap.tools.verify.ReplicaAlone;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.function.Consumer;

/** The making of one backup, which is complete under its name or not there. */
final class BackupRun {
    private final PoolSource source;
    private final PoolSet set;
    private final BackupBase base;
    private final BackupPlace place;
    private final UUID id;
    private double heldMillis;

    private BackupRun(PoolSource source, PoolSet set, BackupBase base, BackupPlace place, UUID id) {
        this.source = source;
        this.set = set;
        this.base = base;
        this.place = place;
        this.id = id;
    }

    /**
     * @param base what it is to build on; null: nothing
     * @param incremental whether it is to build on the newest one in the directory
     * @param work how fast what it builds on is read
     * @param say is told why it builds on nothing
     * @throws FarheapException WRONG_USE where these do not fit together; BAD_DATA where the base
     *     is damaged
     */
    static BackupRun of(
            PoolSource source,
            Path destination,
            Path base,
            boolean incremental,
            LongWork work,
            Consumer<String> say) {
        PoolSet set = source.existing();
        if (ReplicaAlone.isIt(source, set)) {
            throw FarheapException.wrongUse(
                    "%s is a replica of a pool on another machine: back that pool up there, where"
                            + " the program runs; or, if that machine is gone, first: farheap promote"
                            + " %s",
                    source.path(), source.path());
        }
        UUID id = UUID.randomUUID();
        BackupPlace place = BackupPlace.of(destination, source.path(), id, Instant.now());
        Path below = base == null ? null : base.toAbsolutePath().normalize();
        if (below != null && !FileStatus.of(below).exists()) {
            throw FarheapException.environment(
                    "%s: No such file or directory; name the backup that the new one is to build on",
                    base);
        }
        if (below != null && !below.getParent().equals(place.directory().normalize())) {
            throw FarheapException.wrongUse(
                    "%s is in another directory than the backup that is to build on it: a backup and"
                            + " all below it have to be together",
                    base);
        }
        BackupBase chain = below == null ? BackupBase.NONE : BackupBase.of(below, work);
        if (incremental) {
            chain = BackupBase.newest(place.directory(), poolUuid(source, set), work, say);
        }
        return new BackupRun(source, set, chain, place, id);
    }

    private static Path firstPart(PoolSet set) {
        Part first = set.localReplicas().get(0).parts().get(0);
        return first.path();
    }

    private static PoolUuid poolUuid(PoolSource source, PoolSet set) {
        if (!FileStatus.of(firstPart(set)).exists()) {
            ClosedImage.open(source, set).close(); // says which copy is left, and what to do
        }
        byte[] page = new byte[(int) PoolHeader.SIZE];
        try (NativeFile part = NativeFile.openReadOnly(firstPart(set))) {
            long unused = part.read(MemorySegment.ofArray(page), 0);
        }
        return new PoolHeader(MemorySegment.ofArray(page)).poolsetUuid();
    }

    BackupPlace place() {
        return place;
    }

    /** What it builds on. */
    BackupBase base() {
        return base;
    }

    /** What is left where the process ends now. */
    String interrupted() {
        if (place.hasBackup()) {
            return "the backup is complete: " + place.file();
        }
        Path unfinished = place.unfinished();
        return "no backup was made; give the same command again"
                + (Files.exists(unfinished)
                        ? ", or another backup to the same place, which removes what is left: "
                                + unfinished
                                + " ("
                                + unfinished.toFile().length()
                                + " bytes)"
                        : "");
    }

    /**
     * Makes it.
     *
     * @param work how fast it goes
     * @param steps are told of each step
     */
    BackupResult run(LongWork work, Consumer<String> steps)
            throws IOException, InterruptedException {
        place.removeLeftovers()
                .forEach(
                        left ->
                                steps.accept(
                                        "removed " + left + ", which a backup that was cut left"));
        try (BackupChain below = base.path() == null ? null : BackupChain.open(base.path())) {
            // Not before: while the base was verified, another one may have begun and ended.
            Instant start = Instant.now();
            try (PoolImage image = image(work, steps)) {
                return write(image, below, start, work, steps);
            }
        }
    }

    private BackupResult write(
            PoolImage image,
            BackupChain below,
            Instant start,
            LongWork work,
            Consumer<String> steps)
            throws InterruptedException {
        if (CutLoad.isIn(image::read, image.size())) {
            throw image.state() == BackupHeader.State.OPEN ? beingLoaded() : cutLoad();
        }
        BackupHeader header = header(image, below, start);
        PieceHashes hashes =
                below == null ? new PieceHashes(image.size()) : below.hashes(image.size());
        steps.accept("now: writing " + place.file());
        return write(header, image, hashes, work);
    }

    private FarheapException cutLoad() {
        return FarheapException.badData(
                "%s: %s: no backup was made of it; %s",
                source.path(), CutLoad.WHAT, CutLoad.nextStep(source.path()));
    }

    /** Who has it open may be the load itself: to remove the pool is no advice then. */
    private FarheapException beingLoaded() {
        return FarheapException.badData(
                "%s: a load of a dump is under way, or did not come to its end: no backup was made"
                        + " of it; wait for its end, then: farheap status %s",
                source.path(), source.path());
    }

    private PoolImage image(LongWork work, Consumer<String> steps)
            throws IOException, InterruptedException {
        OptionalLong holder = holder();
        if (holder.isEmpty()) {
            return ClosedImage.open(source, set);
        }
        if (holder.getAsLong() <= 0) {
            throw FarheapException.environment(
                    "a process outside this container has %s open: run this there", source.path());
        }
        steps.accept(
                "now: copying "
                        + source.path()
                        + ", which process "
                        + holder.getAsLong()
                        + " has open");
        LiveImage image = LiveImage.copy(holder.getAsLong(), firstPart(set), place.image(), work);
        heldMillis = image.heldMillis();
        return image;
    }

    private OptionalLong holder() {
        try {
            return NativeFile.lockedBy(firstPart(set));
        } catch (IOException e) {
            return OptionalLong.empty(); // opening it says what is wrong
        }
    }

    private BackupHeader header(PoolImage image, BackupChain below, Instant start) {
        BackupHeader header =
                new BackupHeader(
                        id,
                        below == null ? null : base(below.newest()),
                        start.toEpochMilli(),
                        image.size(),
                        image.runId(),
                        image.commits(),
                        image.state(),
                        image.poolHeader());
        if (below != null) {
            requireFit(header, below);
        }
        return header;
    }

    private void requireFit(BackupHeader header, BackupChain below) {
        BackupHeader lower = below.newest().header();
        if (!BackupChain.isOfOnePool(lower, header)) {
            throw FarheapException.wrongUse(
                    "%s is a backup of another pool than %s", base.path(), source.path());
        }
        if (lower.imageBytes() > header.imageBytes() || below.files().size() == BackupChain.MOST) {
            throw FarheapException.wrongUse(
                    "%s can't be built on: the pool is smaller now, or %s are below it already; make"
                            + " a full backup",
                    base.path(), below.files().size() - 1);
        }
    }

    private static BackupHeader.Base base(BackupFile file) {
        return new BackupHeader.Base(
                file.header().id(), file.seal(), file.path().getFileName().toString());
    }

    private BackupResult write(
            BackupHeader header, PoolImage image, PieceHashes hashes, LongWork work)
            throws InterruptedException {
        BackupWriter writer;
        try (NativeFile file = NativeFile.create(place.unfinished())) {
            try {
                file.lock();
                writer = new BackupWriter(file, header, image, hashes, work);
                writer.write();
                file.sync();
                putInPlace(file, header);
            } catch (FarheapException e) {
                place.discard(file, e);
                throw e;
            }
        }
        return new BackupResult(
                source.path().toString(),
                place.file().toString(),
                base.path() == null ? null : base.path().toString(),
                header.state().name(),
                header.runId(),
                header.commits() < 0 ? null : header.commits(),
                header.imageBytes(),
                writer.pieces() * BackupHeader.PIECE,
                writer.fileBytes(),
                heldMillis);
    }

    private void putInPlace(NativeFile file, BackupHeader header) throws InterruptedException {
        if (header.isFull()) {
            place.put(file);
            return;
        }
        // Nobody removes the base between the look at it and the moment that others see this one.
        try (BackupsLock alone = BackupsLock.take(place.directory())) {
            requireBase(header.base());
            place.put(file);
        }
    }

    /** Its bytes could be read as long as it was open, whatever became of its name. */
    private void requireBase(BackupHeader.Base below) {
        FarheapException cause = null;
        try (BackupChain now = BackupChain.open(base.path())) {
            BackupFile newest = now.newest();
            if (newest.header().id().equals(below.id())
                    && Arrays.equals(newest.seal(), below.seal())) {
                return;
            }
        } catch (FarheapException e) {
            cause = e;
        }
        throw FarheapException.environment(
                cause,
                "%s, on which this backup builds, was removed or replaced meanwhile, maybe by"
                        + " another backup's --keep (%s): no backup was made; make a full one:"
                        + " farheap backup %s %s",
                base.path(),
                cause == null ? "another backup has its name" : cause.getMessage(),
                source.path(),
                place.named());
    }
}
