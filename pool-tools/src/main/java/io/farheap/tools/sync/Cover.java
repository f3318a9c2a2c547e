package io.farheap.tools.sync;

import io.farheap.pool.PartInspection;
import io.farheap.pool.PoolInspection;
import io.farheap.poolset.PoolSet;
import io.farheap.tools.sync.Placement.Link;
import io.farheap.tools.sync.Placement.Row;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Which part of which local replica gives which bytes of the image. Parts that only common bytes
 * can place come where no others are; what bytes did not place is left out.
 */
final class Cover {
    private final FoundReplicas findings;
    private final PoolInspection local;
    private final PoolSet set;
    private final Placement placement;

    /** The replicas that hold anything, and those of them of which the run's number is known. */
    private final List<Integer> holders;

    private final List<Integer> numbered;
    private final Set<Row> unplaced;
    private final List<Piece> pieces = new ArrayList<>();
    private final Doubt gap;

    /**
     * @param unplaced what nothing places, as its bytes were looked at
     */
    Cover(
            FoundReplicas findings,
            List<Integer> holders,
            List<Integer> numbered,
            Set<Row> unplaced) {
        this.findings = findings;
        this.local = findings.local();
        this.set = local.poolSet();
        this.placement = new Placement(local);
        this.holders = holders;
        this.numbered = numbered;
        this.unplaced = unplaced;
        this.gap = find();
    }

    /** The image from its first byte to its last, as far as there is no gap. */
    List<Piece> pieces() {
        return List.copyOf(pieces);
    }

    /** What the parts do not have, and why; null: they have all. */
    Doubt gap() {
        return gap;
    }

    private Doubt find() {
        List<Piece> all = numbered.stream().flatMap(r -> pieces(r).stream()).toList();
        Set<Row> atOnce = placement.placed(List.of(), false);
        Set<Row> possible = placement.placed(overlaps(all), true);
        possible.removeAll(unplaced);
        List<Piece> sure = all.stream().filter(p -> atOnce.contains(placement.rowOf(p))).toList();
        List<Piece> likely =
                all.stream().filter(p -> possible.contains(placement.rowOf(p))).toList();
        long at = 0;
        Row before = null;
        while (at < set.poolSize()) {
            Piece next = longestFrom(at, sure, before);
            next = next != null ? next : longestFrom(at, likely, before);
            if (next == null) {
                return gap(at, all, likely);
            }
            pieces.add(next.within(at, set.poolSize()));
            at = next.end();
            before = placement.rowOf(next);
        }
        return null;
    }

    private List<PartInspection> healthy(int r) {
        return local.replicas().get(r).stream().filter(PartInspection::isHealthy).toList();
    }

    private List<Piece> pieces(int r) {
        return healthy(r).stream().map(part -> Piece.of(set, part)).toList();
    }

    /**
     * @param before of those that reach as far one of this row is taken, which needs no more proof
     */
    private Piece longestFrom(long at, List<Piece> all, Row before) {
        return all.stream()
                .filter(piece -> piece.contains(at))
                .max(
                        Comparator.comparingLong(Piece::end)
                                .thenComparing(piece -> placement.rowOf(piece).equals(before)))
                .orElse(null);
    }

    /** Where bytes may tell how parts lie to each other. */
    private List<Link> overlaps(List<Piece> all) {
        List<Link> links = new ArrayList<>();
        for (Piece one : all) {
            for (Piece other : all) {
                if (one.replica() < other.replica()
                        && !one.within(other.offset(), other.end()).isEmpty()) {
                    links.add(new Link(placement.rowOf(one), placement.rowOf(other)));
                }
            }
        }
        return links;
    }

    private Doubt gap(long from, List<Piece> all, List<Piece> placed) {
        long end =
                all.stream()
                        .mapToLong(Piece::offset)
                        .filter(offset -> offset > from && offset < set.poolSize())
                        .min()
                        .orElse(set.poolSize());
        String range = "image bytes " + from + " to " + end;
        String notPlaced =
                all.stream()
                        .filter(piece -> !placed.contains(piece) && mayLieAt(from, piece))
                        .map(findings::named)
                        .collect(Collectors.joining(", "));
        if (!notPlaced.isEmpty()) {
            return Doubt.mendable(
                    range + " are in no part of which the place is known, and ",
                    Placement.doubt(notPlaced));
        }
        String unproven =
                holders.stream()
                        .filter(r -> !numbered.contains(r))
                        .flatMap(r -> healthy(r).stream())
                        .filter(part -> !Piece.of(set, part).within(from, end).isEmpty())
                        .map(findings::named)
                        .collect(Collectors.joining(", "));
        if (!unproven.isEmpty()) {
            return Doubt.mendable(
                    ("%s are left only in %s, and the first part of that replica is lost,"
                                    + " which has the number of its run: nothing tells that it is of the"
                                    + " same one; put the first part back if it can be found")
                            .formatted(range, unproven));
        }
        String lost =
                local.lost().stream()
                        .filter(part -> !Piece.of(set, part).within(from, end).isEmpty())
                        .map(findings::named)
                        .collect(Collectors.joining(", "));
        return Doubt.of(
                "they do not have all of it together: %s are in no part that is left (lost: %s)"
                        .formatted(range, lost));
    }

    /** By its lines, or if those are not what the pool was made with. */
    private boolean mayLieAt(long offset, Piece piece) {
        long size = set.replicaSize(set.localReplicas().get(piece.replica()));
        return piece.contains(offset) || size != set.poolSize();
    }
}
