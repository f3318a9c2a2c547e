package io.farheap.tools.sync;

import io.farheap.pool.PartInspection;
import io.farheap.pool.PoolInspection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Which local parts lie in the pool where the lines of the poolset file say. A part that is there
 * has the size of its line. How long one was that is missing, or in whose place another file lies,
 * only its line says, which may have been changed since: what is behind it needs other evidence of
 * its place.
 */
final class Placement {
    private final PoolInspection local;
    private final PartEvidence evidence;

    Placement(PoolInspection local) {
        this.local = local;
        this.evidence = new PartEvidence(local);
    }

    /**
     * Parts of a replica without a missing one between them: one that is placed places all.
     *
     * @param replica index among the local replicas
     * @param first index of the first of them
     */
    record Row(int replica, int first) {
        /** Nothing is missing before it. */
        boolean isAtStart() {
            return first == 0;
        }
    }

    /** Two rows that lie to each other as their lines say. */
    record Link(Row one, Row other) {
        /** Both are placed. */
        boolean isOfNoUse() {
            return one.isAtStart() && other.isAtStart();
        }

        private boolean leadsFrom(Set<Row> placed) {
            return placed.contains(one) != placed.contains(other);
        }
    }

    Row rowOf(int replica, int part) {
        List<PartInspection> parts = local.replicas().get(replica);
        int first = part;
        while (first > 0 && !isMissing(parts.get(first - 1))) {
            first--;
        }
        return new Row(replica, first);
    }

    Row rowOf(Piece piece) {
        return rowOf(piece.replica(), piece.part());
    }

    private boolean isMissing(PartInspection part) {
        return !evidence.isThere(part);
    }

    /**
     * The rows that are placed.
     *
     * @param equalBorders whether those are, too, that another replica has the borders of
     */
    Set<Row> placed(Collection<Link> links, boolean equalBorders) {
        Set<Row> placed = new HashSet<>();
        for (List<PartInspection> parts : local.replicas()) {
            for (PartInspection part : parts) {
                Row row = rowOf(part.replica(), part.index());
                if (row.isAtStart() || equalBorders && hasEqualBorders(row)) {
                    placed.add(row);
                }
            }
        }
        boolean more = true;
        while (more) {
            more = false;
            for (Link link : links) {
                if (link.leadsFrom(placed)) {
                    placed.addAll(List.of(link.one(), link.other()));
                    more = true;
                }
            }
        }
        return placed;
    }

    /** Whether another replica was cut in the same places up to its first part, and has those. */
    private boolean hasEqualBorders(Row row) {
        List<Long> borders = sizes(local.replicas().get(row.replica()), row.first() + 1);
        return local.replicas().stream()
                .filter(parts -> parts.get(0).replica() != row.replica())
                .filter(parts -> parts.size() > row.first())
                .filter(parts -> parts.stream().limit(row.first()).noneMatch(this::isMissing))
                .anyMatch(parts -> sizes(parts, row.first() + 1).equals(borders));
    }

    private static List<Long> sizes(List<PartInspection> parts, int count) {
        return parts.stream().limit(count).map(PartInspection::size).toList();
    }

    /**
     * @param parts what is not placed, named
     */
    static String doubt(String parts) {
        return parts
                + " can't be placed: there are missing parts before, and only the lines of those"
                + " say how long they were, which may have been changed; if so put the old sizes"
                + " back";
    }

    /** Which lost part is there with another size than its line has; null: none. */
    String wrongSize() {
        return local.lost().stream()
                .map(Placement::wrongSize)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    private static String wrongSize(PartInspection part) {
        try {
            long size = Files.size(part.path());
            // An empty file holds the place of a part: a restoration that was cut left it.
            return size == part.size() || size == 0
                    ? null
                    : ("%s has %s bytes, and the poolset file says %s: put the line right, or move"
                                    + " the file away if it is not wanted")
                            .formatted(part.path(), size, part.size());
        } catch (NoSuchFileException e) {
            return null;
        } catch (IOException e) {
            return "the size of " + part.path() + " is not known: " + e;
        }
    }
}
