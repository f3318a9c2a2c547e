package io.farheap.it.failover;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The steps of a move, as {@code farheap place} prints them and a person reads them. */
final class PrintedMove {
    private static final Pattern STEP = Pattern.compile("  (\\d+)\\. (?:on ([a-z, ]+): )?(.+)");
    private static final String BELOW = "       ";

    /**
     * One of them.
     *
     * @param nodes where; empty: anywhere
     * @param what in a sentence
     * @param lines of poolset files
     * @param command to type; empty: none
     */
    record Step(List<String> nodes, String what, List<String> lines, String command) {
        /** The one node of a step that has one. */
        String node() {
            if (nodes.size() != 1) {
                throw new AssertionError("one node is meant: " + this);
            }
            return nodes.get(0);
        }
    }

    private PrintedMove() {}

    /** All steps that were printed, in their order. */
    static List<Step> read(String printed) {
        List<Step> steps = new ArrayList<>();
        for (String line : printed.lines().toList()) {
            Matcher step = STEP.matcher(line);
            if (step.matches()) {
                steps.add(new Step(names(step.group(2)), step.group(3), List.of(), ""));
                if (Integer.parseInt(step.group(1)) != steps.size()) {
                    throw new AssertionError("steps are in their order: " + line);
                }
            } else if (line.startsWith(BELOW)) {
                steps.add(with(steps.remove(steps.size() - 1), line.substring(BELOW.length())));
            }
        }
        return steps;
    }

    private static List<String> names(String printed) {
        return printed == null ? List.of() : List.of(printed.split(", "));
    }

    private static Step with(Step step, String below) {
        if (below.startsWith("farheap ")) {
            return new Step(step.nodes(), step.what(), step.lines(), below);
        }
        List<String> lines = new ArrayList<>(step.lines());
        lines.add(below);
        return new Step(step.nodes(), step.what(), lines, step.command());
    }
}
