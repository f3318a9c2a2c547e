package io.farheap.tools.sync;

import io.farheap.layout.FeatureFlags;
import io.farheap.layout.PoolHeader;
import io.farheap.layout.ShutdownState;
import io.farheap.pool.PartInspection;
import io.farheap.pool.PoolInspection;
import io.farheap.pool.RestorationLeftovers;
import io.farheap.poolset.PoolSet;
import io.farheap.poolset.PoolSet.Option;
import io.farheap.tools.survey.Survey;
import io.farheap.tools.sync.Placement.Link;
import io.farheap.tools.sync.Placement.Row;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Local replicas of which none is whole, and that have all of the pool together: whether the
 * headers and numbers prove that they are of one moment. Only a run that was closed has ended at
 * the same moment in all of them; a crash may have kept the last stores from any. What the headers
 * can't prove {@link CombinedImage} looks for in the bytes.
 */
final class Combination {
    private final FoundReplicas findings;
    private final PoolInspection local;
    private final PoolSet set;

    /** Those that hold anything, by their index among the local replicas. */
    private final List<Integer> holders;

    private final List<Integer> numbered;
    private final List<Piece> pieces = new ArrayList<>();
    private final Placement placement;
    private final long number;
    private final Doubt doubt;

    /** Why replicas can't be put together, and whether a person may be able to mend that. */
    private record Doubt(String text, boolean isMendable) {
        static final Doubt NONE = new Doubt("", false);

        static Doubt of(String text) {
            return text == null ? null : new Doubt(text, false);
        }

        static Doubt mendable(String... text) {
            return new Doubt(String.join("", text), true);
        }
    }

    Combination(FoundReplicas findings) {
        this.findings = findings;
        this.local = findings.local();
        this.set = local.poolSet();
        this.holders =
                IntStream.range(0, local.replicas().size())
                        .filter(r -> !healthy(r).isEmpty())
                        .boxed()
                        .toList();
        this.numbered = holders.stream().filter(r -> hasNumber(first(r))).toList();
        this.placement = new Placement(local);
        int reference = numbered.stream().filter(r -> first(r).isHealthy()).findFirst().orElse(-1);
        this.number = reference < 0 ? 0 : first(reference).runId();
        boolean needed = Survey.newest(local) < 0 && holders.size() > 1;
        this.doubt = needed ? findDoubt(reference) : Doubt.NONE;
    }

    /** Whether they can be put together, as far as headers tell. */
    boolean isPossible() {
        return !pieces.isEmpty() && doubt == Doubt.NONE;
    }

    /** Why not, one sentence; empty: it is possible, or out of the question. */
    String doubt() {
        return doubt.text();
    }

    /** Whether they may have all of the pool, if a person mends what is in doubt. */
    boolean isMendable() {
        return doubt.isMendable();
    }

    /** Of the run that they are all of, where they can be put together or that may be mended. */
    long number() {
        return number;
    }

    /** The pool's image from its first byte to its last, one piece behind the other. */
    List<Piece> pieces() {
        return List.copyOf(pieces);
    }

    private List<PartInspection> healthy(int r) {
        return local.replicas().get(r).stream().filter(PartInspection::isHealthy).toList();
    }

    private PartInspection first(int r) {
        return local.replicas().get(r).get(0);
    }

    /** Behind a header that is wrong the number may be right; the bytes have to prove that. */
    static boolean hasNumber(PartInspection first) {
        return first.header() != null && first.runId() != 0;
    }

    private Doubt findDoubt(int reference) {
        if (reference < 0) {
            return Doubt.of(
                    "the first parts of all replicas are lost, which have the number of the run");
        }
        return IntStream.range(0, local.replicas().size())
                .mapToObj(r -> Doubt.of(otherRun(r, reference)))
                .filter(Objects::nonNull)
                .findFirst()
                .or(() -> Optional.ofNullable(placement.wrongSize()).map(Doubt::mendable))
                .or(() -> Optional.ofNullable(cover()))
                .or(() -> Optional.ofNullable(otherMoment()).map(Doubt::of))
                .or(() -> Optional.ofNullable(leftoverOfAnotherRun()).map(Doubt::mendable))
                .orElse(Doubt.NONE);
    }

    private String otherMoment() {
        if (set.has(Option.SINGLEHDR)) {
            return "they have all of the pool together, but with OPTION SINGLEHDR later parts have"
                    + " no headers, and nothing tells of which pool they are";
        }
        return Stream.concat(
                        holders.stream().map(r -> wrongChain(healthy(r), local.replicas().get(r))),
                        numbered.stream().map(r -> notClosed(first(r))))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    private String otherRun(int r, int reference) {
        PartInspection part = first(r);
        boolean keeps = !healthy(r).isEmpty();
        boolean later = Long.compareUnsigned(part.runId(), number) > 0;
        if (part.runId() == number || part.runId() == 0 || !keeps && !later) {
            return null;
        }
        return "what is left of them is of different runs: replica %s (%s) has number %s, replica %s (%s) has number %s"
                .formatted(
                        findings.numberOf(reference),
                        first(reference).path(),
                        Long.toUnsignedString(number),
                        findings.numberOf(r),
                        part.path(),
                        Long.toUnsignedString(part.runId()));
    }

    // ---- where parts lie ----

    /**
     * Finds a piece for each byte of the image. Those that only common bytes can place come where
     * no others are.
     */
    private Doubt cover() {
        List<Piece> all = numbered.stream().flatMap(r -> pieces(r).stream()).toList();
        Set<Row> atOnce = placement.placed(List.of(), false);
        Set<Row> possible = placement.placed(overlaps(all), true);
        List<Piece> sure = all.stream().filter(p -> atOnce.contains(placement.rowOf(p))).toList();
        List<Piece> likely =
                all.stream().filter(p -> possible.contains(placement.rowOf(p))).toList();
        long at = 0;
        while (at < set.poolSize()) {
            Piece next = longestFrom(at, sure);
            next = next != null ? next : longestFrom(at, likely);
            if (next == null) {
                return gap(at, all, likely);
            }
            pieces.add(next.within(at, set.poolSize()));
            at = next.end();
        }
        return null;
    }

    private List<Piece> pieces(int r) {
        return healthy(r).stream().map(part -> Piece.of(set, part)).toList();
    }

    private static Piece longestFrom(long at, List<Piece> all) {
        return all.stream()
                .filter(piece -> piece.contains(at))
                .max(Comparator.comparingLong(Piece::end))
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
                        .map(this::named)
                        .collect(Collectors.joining(", "));
        if (!notPlaced.isEmpty()) {
            return Doubt.mendable(
                    range + " are in no part of which the place is known, and ",
                    Placement.doubt(notPlaced));
        }
        List<String> unproven =
                holders.stream()
                        .filter(r -> !numbered.contains(r))
                        .flatMap(r -> healthy(r).stream())
                        .filter(part -> !Piece.of(set, part).within(from, end).isEmpty())
                        .map(this::named)
                        .toList();
        String lost =
                local.lost().stream()
                        .filter(part -> !Piece.of(set, part).within(from, end).isEmpty())
                        .map(this::named)
                        .collect(Collectors.joining(", "));
        return Doubt.of(
                unproven.isEmpty()
                        ? "they do not have all of it together: %s are in no part that is left (lost: %s)"
                                .formatted(range, lost)
                        : ("%s are left only in %s, and the first part of that replica is lost,"
                                        + " which has the number of its run: nothing tells that it is of the"
                                        + " same one; put the first part back if it can be found")
                                .formatted(range, String.join(", ", unproven)));
    }

    /** By its lines, or if those are not what the pool was made with. */
    private boolean mayLieAt(long offset, Piece piece) {
        long size = set.replicaSize(set.localReplicas().get(piece.replica()));
        return piece.contains(offset) || size != set.poolSize();
    }

    private String named(Piece piece) {
        return named(local.replicas().get(piece.replica()).get(piece.part()));
    }

    private String named(PartInspection part) {
        return "part "
                + part.index()
                + " of replica "
                + findings.numberOf(part.replica())
                + " ("
                + part.path()
                + ")";
    }

    /** Neighbours that are there were compared already; across what is lost, and over replicas. */
    private String wrongChain(List<PartInspection> there, List<PartInspection> all) {
        PoolHeader.Links before = there.get(0).header().links();
        for (PartInspection part : there) {
            PoolHeader.Links links = part.header().links();
            int next = (part.index() + 2) % all.size();
            boolean across =
                    all.size() > 2
                            && all.get((part.index() + 1) % all.size()).isLost()
                            && all.get(next).isHealthy();
            if (across && !all.get(next).header().links().previousPart().equals(links.nextPart())) {
                return "%s and %s do not name the same part between them: they are not of one replica"
                        .formatted(part.path(), all.get(next).path());
            }
            if (!links.previousReplica().equals(before.previousReplica())
                    || !links.nextReplica().equals(before.nextReplica())) {
                return "%s and %s name different replicas as their neighbours: they are not of one"
                        .formatted(there.get(0).path(), part.path());
            }
        }
        return null;
    }

    private String notClosed(PartInspection first) {
        FeatureFlags features = (first.isHealthy() ? first.header() : local.anyHeader()).features();
        String what = "they have all of the pool together, but ";
        // Without the short checksum nobody keeps it.
        if (!features.hasShutdownState() || !features.hasShortChecksum()) {
            return what
                    + "the pool keeps no shutdown state (farheap feature), and nothing tells that"
                    + " it was closed, and so that they are of one moment";
        }
        ShutdownState state = first.header().shutdownState();
        if (!state.checksumMatches()) {
            return what + first.path() + " has a shutdown state that is wrong";
        }
        return state.isDirty()
                ? what
                        + "the pool was not closed ("
                        + first.path()
                        + "): the last commits may be in one of them only"
                : null;
    }

    private String leftoverOfAnotherRun() {
        List<Path> others = RestorationLeftovers.ofOtherRuns(local, number);
        return others.isEmpty()
                ? null
                : "they have all of the pool together, with number "
                        + Long.toUnsignedString(number)
                        + ", but "
                        + others.get(0)
                        + ", which a run of sync that was cut has left, is of a whole copy of"
                        + " another run, or can't be read; it may be newer: move it away with the"
                        + " others of its name if it is not wanted, and run this again";
    }
}
