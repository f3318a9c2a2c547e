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
import io.farheap.ulog.LaneArea;
import io.farheap.ulog.LaneInspection;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

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

    /**
     * @param pieces the image from its first byte to its last
     */
    CombinedImage(FoundReplicas findings, List<Piece> pieces, LongWork work) {
        this.findings = findings;
        this.local = findings.local();
        this.set = local.poolSet();
        this.pieces = pieces;
        this.work = work;
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
                requireItsSize(new Descriptor(memory), place);
                requireAgreement(memory);
                requireSettled(memory);
                requireSound(memory);
            }
        } finally {
            files.forEach(NativeFile::close);
        }
    }

    /** A line of a lost part that was changed moves all behind it. */
    private void requireItsSize(Descriptor descriptor, String place) {
        descriptor.validate(place, null);
        long size = descriptor.heapOffset() + descriptor.heapSize();
        if (size != set.poolSize()) {
            throw FarheapException.badData(
                    "cannot restore: the pool has %s bytes, and by the sizes in the poolset file it"
                            + " would have %s; put back the sizes that it was made with; nothing was"
                            + " changed",
                    size, set.poolSize());
        }
    }

    // ---- what several have ----

    /** All that stays in its place has to be what is put together. */
    private void requireAgreement(PoolMemory memory) {
        for (List<PartInspection> parts : local.replicas()) {
            boolean stays = parts.stream().anyMatch(PartInspection::isHealthy);
            // Where headers don't prove the run the bytes have to, free memory included.
            OverlapPages pages = new OverlapPages(parts.get(0).isHealthy() ? memory : null);
            parts.stream()
                    .filter(part -> stays && isEvidence(part))
                    .forEach(part -> requireSame(part, pages));
        }
    }

    /** A first part with a wrong header stands for the number that is behind it. */
    private static boolean isEvidence(PartInspection part) {
        boolean numbered = part.index() == 0 && part.header() != null && part.runId() != 0;
        return part.isHealthy() || numbered;
    }

    private void requireSame(PartInspection part, OverlapPages pages) {
        Piece all = Piece.of(set, part).withoutHeader();
        for (Piece piece : pieces) {
            if (!piece.isInSamePartAs(all)) {
                Piece common = all.within(piece.offset(), piece.end());
                // Between these is what a process keeps for itself while it has the pool open.
                requireSame(piece, common.within(0, Descriptor.SCRATCH), pages);
                requireSame(piece, common.within(Descriptor.END, Long.MAX_VALUE), pages);
            }
        }
    }

    private void requireSame(Piece piece, Piece common, OverlapPages pages) {
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
            }
        }
    }

    private FarheapException different(Piece piece, Piece differing) {
        return FarheapException.badData(
                "cannot restore: %s and %s differ in %s, and which is right can't be told, as no"
                        + " replica is whole; nothing was changed. Look at the bytes there; move"
                        + " the one that is wrong away, and run this again, which says whether the"
                        + " others still have all of it",
                named(piece), named(differing), differing.range());
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
                            + " is damaged, or not of one moment: %s%s; nothing was changed",
                    report.inconsistencies().get(0),
                    report.count() == 1 ? "" : ", and " + (report.count() - 1) + " more");
        }
    }

    // ---- files ----

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
