package io.farheap.tools.sync;

import io.farheap.pool.PartInspection;
import io.farheap.pool.PoolInspection;
import io.farheap.tools.survey.Survey;
import io.farheap.tools.sync.Placement.Row;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Local replicas of which none is whole, or none of the newest run, and that have all of the pool
 * together: whether the headers and numbers prove that they are of one moment. What the headers
 * can't prove {@link CombinedImage} looks for in the bytes.
 */
final class Combination {
    private final FoundReplicas findings;
    private final PoolInspection local;

    /** The newest that is whole, which those that are put together must be later than; or -1. */
    private final int whole;

    /** Those that hold anything, by their index among the local replicas. */
    private final List<Integer> holders;

    private final List<Integer> numbered;
    private final long number;
    private final Cover cover;
    private final Doubt doubt;

    /**
     * @param unplaced what nothing places, as its bytes were looked at: it gives nothing
     */
    Combination(FoundReplicas findings, Set<Row> unplaced) {
        this.findings = findings;
        this.local = findings.local();
        this.whole = Survey.newest(local);
        PartEvidence evidence = new PartEvidence(local);
        this.holders = those(r -> isAnyHealthy(r) && isOfInterest(r));
        this.numbered = holders.stream().filter(r -> evidence.hasNumber(first(r))).toList();
        int reference = numbered.stream().filter(r -> first(r).isHealthy()).findFirst().orElse(-1);
        this.number = reference < 0 ? 0 : first(reference).runId();
        boolean needed = holders.size() > 1 && (whole < 0 || reference >= 0);
        this.cover = needed ? new Cover(findings, holders, numbered, unplaced) : null;
        this.doubt = needed ? findDoubt(reference) : Doubt.NONE;
    }

    /** Whether they can be put together, as far as headers tell. */
    boolean isPossible() {
        return cover != null && doubt == Doubt.NONE;
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
        return cover.pieces();
    }

    /** The places of the local replicas that are of an earlier run, for a sentence. */
    String outdated() {
        List<Integer> old = those(r -> isAnyHealthy(r) && !isOfInterest(r));
        return (old.size() == 1 ? "replica " : "replicas ")
                + old.stream()
                        .map(r -> String.valueOf(findings.numberOf(r)))
                        .collect(Collectors.joining(", "));
    }

    private List<Integer> those(Predicate<Integer> which) {
        return IntStream.range(0, local.replicas().size()).boxed().filter(which).toList();
    }

    private PartInspection first(int r) {
        return local.replicas().get(r).get(0);
    }

    private boolean isAnyHealthy(int r) {
        return local.replicas().get(r).stream().anyMatch(PartInspection::isHealthy);
    }

    /** Beside a replica that is whole only what is newer, or of an unknown run. */
    private boolean isOfInterest(int r) {
        return whole < 0 || first(r).runId() == 0 || Survey.isLater(first(r), first(whole));
    }

    private Doubt findDoubt(int reference) {
        if (reference < 0) {
            return Doubt.of(
                    "the first parts of all replicas are lost, which have the number of the run");
        }
        SameMoment moment = new SameMoment(local, holders, numbered);
        return IntStream.range(0, local.replicas().size())
                .filter(this::isOfInterest)
                .mapToObj(r -> Doubt.of(otherRun(r, reference)))
                .filter(Objects::nonNull)
                .findFirst()
                // A line that is put right may make a replica whole: it comes before all else.
                .or(
                        () ->
                                Optional.ofNullable(new Placement(local).wrongSize())
                                        .map(Doubt::mendable))
                .or(() -> Optional.ofNullable(cover.gap()))
                .or(() -> Optional.ofNullable(moment.doubt()).map(Doubt::of))
                .or(
                        () ->
                                Optional.ofNullable(moment.leftoverOfAnotherRun(number))
                                        .map(Doubt::mendable))
                .orElse(Doubt.NONE);
    }

    private String otherRun(int r, int reference) {
        PartInspection part = first(r);
        boolean later = Long.compareUnsigned(part.runId(), number) > 0;
        if (part.runId() == number || part.runId() == 0 || !isAnyHealthy(r) && !later) {
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
}
