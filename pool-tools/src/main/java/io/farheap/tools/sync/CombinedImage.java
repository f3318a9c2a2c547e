package io.farheap.tools.sync;

import io.farheap.base.CheckReport;
import io.farheap.base.FarheapException;
import io.farheap.check.PoolCheck;
import io.farheap.layout.Descriptor;
import io.farheap.memory.MappedImage;
import io.farheap.memory.MappedImage.Access;
import io.farheap.memory.MappedImage.Share;
import io.farheap.memory.NativeFile;
import io.farheap.memory.PoolMemory;
import io.farheap.pool.PartInspection;
import io.farheap.pool.PoolInspection;
import io.farheap.poolset.PoolSet;
import io.farheap.tools.command.LongWork;
import io.farheap.tools.sync.Placement.Link;
import io.farheap.tools.sync.Placement.Row;
import io.farheap.ulog.LaneArea;
import io.farheap.ulog.LaneInspection;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The pool as several local replicas have it together. What more than one of them has must be the
 * same in each, no log may be under way, and the whole must be consistent. Reads only.
 */
final class CombinedImage {
    private static final long BUFFER = 1 << 20;

    private final FoundReplicas findings;
    private final PoolInspection local;
    private final PoolSet set;
    private final List<Piece> pieces;
    private final LongWork work;
    private final Placement placement;

    /** Which bytes have proven. */
    private final Set<Link> links = new HashSet<>();

    /**
     * @param pieces the image from its first byte to its last
     */
    CombinedImage(FoundReplicas findings, List<Piece> pieces, LongWork work) {
        this.findings = findings;
        this.local = findings.local();
        this.set = local.poolSet();
        this.pieces = pieces;
        this.work = work;
        this.placement = new Placement(local);
    }

    /**
     * @throws FarheapException BAD_DATA where it is not known to be the pool at one moment
     */
    void require() {
        List<NativeFile> files = new ArrayList<>();
        try {
            List<Share> shares = new ArrayList<>();
            for (Piece piece : pieces) {
                NativeFile file = open(piece);
                files.add(file);
                shares.add(piece.share(set, file));
            }
            try (MappedImage image = MappedImage.map(shares, Access.PRIVATE)) {
                String place = part(pieces.get(0)).path().toString();
                PoolMemory memory = new PoolMemory(place, image.segment(), image.persistence());
                Descriptor descriptor = new Descriptor(memory);
                requireRoom(descriptor, place);
                requireAgreement(memory);
                requireSettled(memory);
                requireSound(memory);
                requirePlaces(descriptor);
            }
        } finally {
            files.forEach(NativeFile::close);
        }
    }

    // ---- where parts lie ----

    private void requireRoom(Descriptor descriptor, String place) {
        long size = descriptor.heapOffset() + descriptor.heapSize();
        if (descriptor.checksumMatches() && size > set.poolSize()) {
            throw FarheapException.badData(
                    "cannot restore: the pool has %s bytes, and by the sizes in the poolset file it"
                            + " would have %s; put back the sizes that it was made with; nothing was"
                            + " changed",
                    size, set.poolSize());
        }
        descriptor.validate(place, null);
    }

    /** A line of a missing part that was changed moves all behind it. */
    private void requirePlaces(Descriptor descriptor) {
        Set<Row> byBytes = placement.placed(links, false);
        Set<Row> byBorders = placement.placed(links, true);
        for (Piece piece : pieces) {
            Row row = placement.rowOf(piece);
            if (!byBorders.contains(row)) {
                throw FarheapException.badData(
                        "cannot restore: %s, or the missing parts if they can be found; nothing was"
                                + " changed",
                        Placement.doubt(
                                named(piece) + ", which has no bytes in common that tell,"));
            }
            if (!byBytes.contains(row)) {
                requireItsSize(descriptor, piece);
            }
        }
    }

    /** Borders that are equal prove a place only if the lines have the pool's size. */
    private void requireItsSize(Descriptor descriptor, Piece piece) {
        long size = descriptor.heapOffset() + descriptor.heapSize();
        if (size != set.poolSize()) {
            throw FarheapException.badData(
                    "cannot restore: there are missing parts before %s, and only lines of the poolset"
                            + " file tell where it lies; the pool uses %s bytes of %s: it was"
                            + " restored or transformed into larger parts, or a line was changed."
                            + " Put the old line back if one was changed, or the missing parts if"
                            + " they can be found; else put all files of a backup in place; nothing"
                            + " was changed",
                    named(piece), size, set.poolSize());
        }
    }

    // ---- what several have ----

    /** All that stays in its place has to be what is put together. */
    private void requireAgreement(PoolMemory memory) {
        OverlapPages used = new OverlapPages(memory);
        for (List<PartInspection> parts : local.replicas()) {
            boolean stays = parts.stream().anyMatch(PartInspection::isHealthy);
            parts.stream()
                    .filter(part -> stays && isEvidence(part))
                    .forEach(part -> requireSame(part, used));
        }
    }

    /** A first part with a wrong header stands for the number that is behind it. */
    private static boolean isEvidence(PartInspection part) {
        boolean numbered = part.index() == 0 && part.header() != null && part.runId() != 0;
        return part.isHealthy() || numbered;
    }

    private void requireSame(PartInspection part, OverlapPages used) {
        Piece all = Piece.of(set, part).withoutHeader();
        boolean tellsPlaces = part.isHealthy() && Combination.hasNumber(first(all));
        for (Piece piece : pieces) {
            if (!piece.isInSamePartAs(all)) {
                // Where headers don't prove the run the bytes have to, free memory included.
                boolean proven = first(all).isHealthy() && first(piece).isHealthy();
                OverlapPages pages = proven ? used : new OverlapPages(null);
                Piece common = all.within(piece.offset(), piece.end());
                // Between these is what a process keeps for itself while it has the pool open.
                requireSame(piece, common.within(0, Descriptor.SCRATCH), pages, null);
                requireSame(
                        piece,
                        common.within(Descriptor.END, Long.MAX_VALUE),
                        pages,
                        tellsPlaces ? used : null);
            }
        }
    }

    /**
     * @param used finds what proves the place of one by the other's; null: nothing shall
     */
    private void requireSame(Piece piece, Piece common, OverlapPages pages, OverlapPages used) {
        Link link = new Link(placement.rowOf(piece), placement.rowOf(common));
        if (common.isEmpty()) {
            return;
        }
        try (NativeFile one = open(piece);
                NativeFile other = open(common);
                Arena arena = Arena.ofConfined()) {
            MemorySegment first = arena.allocate(BUFFER);
            MemorySegment second = arena.allocate(BUFFER);
            for (long at = common.offset(); at < common.end(); at += BUFFER) {
                long length = Math.min(BUFFER, common.end() - at);
                work.pacer().take(length);
                read(one, piece.inFile(set, at), first.asSlice(0, length));
                read(other, common.inFile(set, at), second.asSlice(0, length));
                OverlapPages.Range differing =
                        pages.firstDifference(
                                at, first.asSlice(0, length), second.asSlice(0, length));
                if (differing != null) {
                    throw different(piece, common.within(differing.offset(), differing.end()));
                }
                if (used != null
                        && !link.isOfNoUse()
                        && !links.contains(link)
                        && used.proveThePlace(at, first.asSlice(0, length))) {
                    links.add(link);
                }
            }
        }
    }

    private FarheapException different(Piece piece, Piece differing) {
        String moved = mayBeMoved(Stream.of(piece, differing));
        return FarheapException.badData(
                "cannot restore: %s and %s differ in %s, and which is right can't be told, as no"
                        + " replica is whole; nothing was changed.%s Look at the bytes there; move"
                        + " the one that is wrong away, and run this again, which says whether the"
                        + " others still have all of it",
                named(piece), named(differing), differing.range(), moved);
    }

    /** Another reason why what is put together may be wrong, as a sentence; or nothing. */
    private String mayBeMoved(Stream<Piece> some) {
        Set<Row> placed = placement.placed(links, false);
        String moved =
                some.filter(piece -> !placed.contains(placement.rowOf(piece)))
                        .map(this::named)
                        .distinct()
                        .collect(Collectors.joining(", "));
        return moved.isEmpty() ? "" : " It may be that " + Placement.doubt(moved) + ".";
    }

    private String named(Piece piece) {
        return "part "
                + piece.part()
                + " of replica "
                + findings.numberOf(piece.replica())
                + " ("
                + part(piece).path()
                + ")";
    }

    // ---- the whole ----

    private static void requireSettled(PoolMemory memory) {
        LaneInspection logs = new LaneInspection(new LaneArea(memory));
        if (logs.anyDamaged() || logs.anyPending()) {
            throw FarheapException.badData(
                    "cannot restore: the replicas have all of the pool together, but a log of theirs"
                            + " is %s: the pool was not closed, and the last commits may be in one"
                            + " of them only; nothing was changed",
                    logs.anyDamaged() ? "damaged" : "not finished");
        }
    }

    private void requireSound(PoolMemory memory) {
        CheckReport report =
                PoolCheck.ofImage(memory.image(), local.anyHeader().poolsetUuid().poolId());
        if (!report.isConsistent()) {
            throw FarheapException.badData(
                    "cannot restore: the replicas have all of the pool together, but put together it"
                            + " is damaged, or not of one moment: %s%s; nothing was changed.%s",
                    report.inconsistencies().get(0),
                    report.count() == 1 ? "" : ", and " + (report.count() - 1) + " more",
                    mayBeMoved(pieces.stream()));
        }
    }

    // ---- files ----

    private PartInspection first(Piece piece) {
        return local.replicas().get(piece.replica()).get(0);
    }

    private PartInspection part(Piece piece) {
        return local.replicas().get(piece.replica()).get(piece.part());
    }

    private NativeFile open(Piece piece) {
        return NativeFile.openReadOnly(part(piece).path());
    }

    private static void read(NativeFile file, long offset, MemorySegment buffer) {
        if (file.read(buffer, offset) < buffer.byteSize()) {
            throw FarheapException.environment(
                    "%s ends before byte %s: somebody cut it off meanwhile; look for who did, then"
                            + " sync again",
                    file.path(), offset + buffer.byteSize());
        }
    }
}
