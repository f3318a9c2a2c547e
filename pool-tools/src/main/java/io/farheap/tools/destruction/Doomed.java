package io.farheap.tools.destruction;

import io.farheap.tools.survey.CopyState;
import io.farheap.tools.survey.Survey;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Copies of one pool that are to go.
 *
 * @param survey of all its copies
 * @param gone those of them that are removed or overwritten
 * @param goesOn whether all that a copy has stays in another one, as the command proves by itself
 * @param deed what is done to them, as in "is removed"
 */
record Doomed(Survey survey, List<CopyState> gone, Predicate<CopyState> goesOn, String deed) {
    private static final double MIB = 1 << 20;

    /**
     * By what a copy is named on the command line: its uuid; where nothing tells that, as the
     * poolset file does.
     */
    static String name(CopyState copy) {
        return copy.uuid() != null
                ? copy.uuid().toString()
                : copy.host().isEmpty() ? copy.name() : copy.host() + " " + copy.name();
    }

    boolean isEmpty() {
        return gone.stream().allMatch(CopyState::isEmpty);
    }

    /**
     * The copies that have to be named yet. Of several that have the same commits one is enough,
     * and who names the one that has most has named the others.
     */
    List<CopyState> unnamed(Set<String> names) {
        List<CopyState> named = gone.stream().filter(copy -> names.contains(name(copy))).toList();
        List<CopyState> most = new ArrayList<>();
        for (CopyState copy : lost()) {
            if (!isCovered(copy, named) && !isCovered(copy, most)) {
                most.removeIf(lesser -> survey.has(copy, lesser));
                most.add(copy);
            }
        }
        return most;
    }

    private List<CopyState> lost() {
        return survey.lostWith(gone).stream().filter(goesOn.negate()).toList();
    }

    private boolean isCovered(CopyState copy, Collection<CopyState> by) {
        return by.stream().anyMatch(one -> one.equals(copy) || survey.has(one, copy));
    }

    /** A line for each copy of the pool, in columns. */
    List<String> table() {
        List<CopyState> last = lost();
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("copy", "holds", "image", "uuid", "what becomes of it"));
        for (CopyState copy : survey.copies()) {
            String fate = gone.contains(copy) ? deed : "stays";
            rows.add(
                    List.of(
                            copy.title(),
                            copy.holds(),
                            copy.bytes() == 0 ? "-" : size(copy.bytes()),
                            copy.uuid() == null ? "-" : copy.uuid().toString(),
                            last.contains(copy) ? fate + ", and its commits are lost" : fate));
        }
        return aligned(rows);
    }

    private static String size(long bytes) {
        return String.format(Locale.ROOT, "%.1f MiB", bytes / MIB);
    }

    private static List<String> aligned(List<List<String>> rows) {
        int columns = rows.get(0).size();
        List<StringBuilder> lines = rows.stream().map(row -> new StringBuilder()).toList();
        for (int c = 0; c < columns; c++) {
            for (int r = 0; r < rows.size(); r++) {
                lines.get(r).append(rows.get(r).get(c));
            }
            int width = lines.stream().mapToInt(StringBuilder::length).max().orElseThrow();
            boolean isLast = c == columns - 1;
            for (StringBuilder line : lines) {
                line.append(" ".repeat(isLast ? 0 : width - line.length() + 2));
            }
        }
        return lines.stream().map(StringBuilder::toString).toList();
    }
}
