package io.farheap.tools.sync;

import io.farheap.layout.FeatureFlags;
import io.farheap.layout.PoolHeader;
import io.farheap.layout.ShutdownState;
import io.farheap.pool.PartInspection;
import io.farheap.pool.PoolInspection;
import io.farheap.pool.RestorationLeftovers;
import io.farheap.poolset.PoolSet;
import io.farheap.poolset.PoolSet.Option;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

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
    private final String doubt;

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
        this.doubt = holders.size() < 2 ? "" : findDoubt();
    }

    /** Whether they can be put together, as far as headers tell. */
    boolean isPossible() {
        return holders.size() > 1 && doubt.isEmpty();
    }

    /** Why not, one sentence; empty: it is possible, or out of the question. */
    String doubt() {
        return doubt;
    }

    /** Of the run that they are all of, where they can be put together. */
    long number() {
        return first(pieces.get(0).replica()).runId();
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
    private static boolean hasNumber(PartInspection first) {
        return first.header() != null && first.runId() != 0;
    }

    private String findDoubt() {
        List<Integer> whole = numbered.stream().filter(r -> first(r).isHealthy()).toList();
        if (whole.isEmpty()) {
            return "the first parts of all replicas are lost, which have the number of the run";
        }
        long number = first(whole.get(0)).runId();
        for (int r = 0; r < local.replicas().size(); r++) {
            String other = otherRun(r, whole.get(0));
            if (other != null) {
                return other;
            }
        }
        String sizes = wrongSizes();
        if (sizes != null) {
            return sizes;
        }
        String gap = cover();
        if (gap != null) {
            return gap;
        }
        if (set.has(Option.SINGLEHDR)) {
            return "they have all of the pool together, but with OPTION SINGLEHDR later parts have"
                    + " no headers, and nothing tells of which pool they are";
        }
        for (int r : holders) {
            String wrong = wrongChain(healthy(r), local.replicas().get(r));
            if (wrong != null) {
                return wrong;
            }
        }
        for (int r : numbered) {
            String open = notClosed(first(r));
            if (open != null) {
                return open;
            }
        }
        return leftoverOfAnotherRun(number);
    }

    private String otherRun(int r, int reference) {
        PartInspection part = first(r);
        long number = first(reference).runId();
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

    /** The lines of the poolset file alone say where a part lies in the pool. */
    private String wrongSizes() {
        String wrong =
                local.lost().stream()
                        .map(this::wrongSize)
                        .filter(Objects::nonNull)
                        .findFirst()
                        .orElse(null);
        return wrong != null
                ? wrong
                // What gives nothing is compared, every byte of it.
                : numbered.stream()
                        .filter(r -> !isPlaced(r))
                        .map(this::notPlaced)
                        .findFirst()
                        .orElse(null);
    }

    private String wrongSize(PartInspection part) {
        try {
            long size = Files.size(part.path());
            return size == part.size()
                    ? null
                    : "%s has %s bytes, and the poolset file says %s: put the line right, or move the file away if it is not wanted"
                            .formatted(part.path(), size, part.size());
        } catch (NoSuchFileException e) {
            return null;
        } catch (IOException e) {
            return "the size of " + part.path() + " is not known: " + e;
        }
    }

    /**
     * Whether what is there of a replica lies where its lines say. What is there has the size of
     * its line; so has, all together, what is lost between, if the replica has the pool's size.
     */
    private boolean isPlaced(int r) {
        List<PartInspection> parts = local.replicas().get(r);
        int firstLost = 0;
        while (firstLost < parts.size() && !parts.get(firstLost).isLost()) {
            firstLost++;
        }
        int next = firstLost;
        while (next < parts.size() && parts.get(next).isLost()) {
            next++;
        }
        boolean isAnyBehind = parts.stream().skip(next).anyMatch(part -> !part.isLost());
        boolean isLostAgain = parts.stream().skip(next).anyMatch(PartInspection::isLost);
        boolean hasPoolSize = set.replicaSize(set.localReplicas().get(r)) == set.poolSize();
        return !isAnyBehind || !isLostAgain && hasPoolSize;
    }

    private String notPlaced(int r) {
        return "what replica %s has behind its lost parts can't be placed: only the lines of those say how long they were, and they may have been changed (the replica has %s bytes, the pool %s)"
                .formatted(
                        findings.numberOf(r),
                        set.replicaSize(set.localReplicas().get(r)),
                        set.poolSize());
    }

    /**
     * Finds a piece for each byte of the image; as few as there can be.
     *
     * @return what is in none, or null
     */
    private String cover() {
        List<Piece> all =
                numbered.stream()
                        .flatMap(r -> healthy(r).stream())
                        .map(part -> Piece.of(set, part))
                        .toList();
        long at = 0;
        while (at < set.poolSize()) {
            long from = at;
            Piece next =
                    all.stream()
                            .filter(piece -> piece.offset() <= from && from < piece.end())
                            .max(Comparator.comparingLong(Piece::end))
                            .orElse(null);
            if (next == null) {
                return gap(from, all);
            }
            pieces.add(next.within(from, set.poolSize()));
            at = next.end();
        }
        return null;
    }

    private String gap(long from, List<Piece> all) {
        long end =
                all.stream()
                        .mapToLong(Piece::offset)
                        .filter(offset -> offset > from && offset < set.poolSize())
                        .min()
                        .orElse(set.poolSize());
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
        String range = "image bytes " + from + " to " + end;
        return unproven.isEmpty()
                ? "nor do they have all of it together: %s are in no part that is left (lost: %s)"
                        .formatted(range, lost)
                : ("%s are left only in %s, and the first part of that replica is lost, which has the"
                                + " number of its run: nothing tells that it is of the same one; put"
                                + " the first part back if it can be found")
                        .formatted(range, String.join(", ", unproven));
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
                    + "the pool keeps no shutdown state (farheap feature), and nothing tells that it"
                    + " was closed, and so that they are of one moment";
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

    private String leftoverOfAnotherRun(long number) {
        List<Path> others = RestorationLeftovers.ofOtherRuns(local, number);
        return others.isEmpty()
                ? ""
                : "they have all of the pool together, with number "
                        + Long.toUnsignedString(number)
                        + ", but "
                        + others.get(0)
                        + ", which a run of sync that was cut has left, is of a whole copy of"
                        + " another run, or can't be read; it may be newer: move it away with the"
                        + " others of its name if it is not wanted, and run this again";
    }
}
