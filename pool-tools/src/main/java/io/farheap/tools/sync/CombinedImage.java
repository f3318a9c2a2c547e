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
import io.farheap.pool.PoolInspection;
import io.farheap.poolset.PoolSet;
import io.farheap.tools.command.LongWork;
import io.farheap.tools.sync.Placement.Row;
import io.farheap.ulog.LaneArea;
import io.farheap.ulog.LaneInspection;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The pool as several local replicas have it together. What more than one of them has must be the
 * same in each, no log may be under way, and the whole must be consistent. Reads only.
 */
final class CombinedImage {
    private final PoolInspection local;
    private final FoundReplicas findings;
    private final PoolSet set;
    private final List<Piece> pieces;
    private final CommonBytes common;
    private final Placement placement;

    /** Parts that nothing but lines places, for a sentence. */
    private final Set<String> byLinesAlone = new LinkedHashSet<>();

    /** What nothing places, and what is said of that where no other parts have its bytes. */
    record Unplaced(Row row, FarheapException refusal) {}

    /**
     * @param pieces the image from its first byte to its last
     */
    CombinedImage(FoundReplicas findings, List<Piece> pieces, LongWork work) {
        this.findings = findings;
        this.local = findings.local();
        this.set = local.poolSet();
        this.pieces = pieces;
        this.common = new CommonBytes(findings, pieces, work);
        this.placement = new Placement(local);
    }

    /**
     * @throws FarheapException BAD_DATA where it is not known to be the pool at one moment
     */
    void require() {
        Unplaced unplaced = look();
        if (unplaced != null) {
            throw unplaced.refusal();
        }
    }

    /**
     * The same, but for parts that nothing places: others may have the same bytes.
     *
     * @return the first that is not placed; null: all are
     */
    Unplaced look() {
        List<NativeFile> files = new ArrayList<>();
        try {
            List<Share> shares = new ArrayList<>();
            for (Piece piece : pieces) {
                NativeFile file = NativeFile.openReadOnly(findings.part(piece).path());
                files.add(file);
                shares.add(piece.share(set, file));
            }
            try (MappedImage image = MappedImage.map(shares, Access.PRIVATE)) {
                String place = findings.part(pieces.get(0)).path().toString();
                PoolMemory memory = new PoolMemory(place, image.segment(), image.persistence());
                Descriptor descriptor = new Descriptor(memory);
                requireRoom(descriptor, place);
                common.requireAgreement(memory);
                requireSettled(memory);
                requireSound(memory);
                return unplaced(descriptor);
            }
        } finally {
            files.forEach(NativeFile::close);
        }
    }

    /** A sentence for each part that nothing but lines places, after a look. */
    List<String> placedByLinesAlone() {
        return byLinesAlone.stream()
                .map(
                        part ->
                                part
                                        + " is placed by lines alone: another replica has the same"
                                        + " sizes, and no bytes tell")
                .toList();
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
    private Unplaced unplaced(Descriptor descriptor) {
        Set<Row> byBytes = placement.placed(common.links(), false);
        Set<Row> byBorders = placement.placed(common.links(), true);
        long size = descriptor.heapOffset() + descriptor.heapSize();
        byLinesAlone.clear();
        for (Piece piece : pieces) {
            Row row = placement.rowOf(piece);
            if (!byBorders.contains(row)) {
                return new Unplaced(
                        row,
                        FarheapException.badData(
                                "cannot restore: %s, or the missing parts if they can be found;"
                                        + " nothing was changed",
                                Placement.doubt(
                                        findings.named(piece)
                                                + ", which has no bytes in common that tell,")));
            }
            if (!byBytes.contains(row)) {
                // Borders that are equal prove a place only if the lines have the pool's size.
                if (size != set.poolSize()) {
                    return new Unplaced(row, otherSize(piece, size));
                }
                byLinesAlone.add(findings.named(piece));
            }
        }
        return null;
    }

    private FarheapException otherSize(Piece piece, long size) {
        return FarheapException.badData(
                "cannot restore: there are missing parts before %s, and only lines of the poolset"
                        + " file tell where it lies; the pool uses %s bytes of %s: it was"
                        + " restored or transformed into larger parts, or a line was changed."
                        + " Put the old line back if one was changed, or the missing parts if"
                        + " they can be found; else put all files of a backup in place; nothing"
                        + " was changed",
                findings.named(piece), size, set.poolSize());
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
                    common.mayBeMoved(pieces.stream()));
        }
    }
}
