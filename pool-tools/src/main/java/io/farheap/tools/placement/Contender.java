package io.farheap.tools.placement;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A machine that can have a copy of a pool.
 *
 * @param score the higher, the more it is the pool's place
 */
record Contender(Machine machine, double score) {
    private static final Comparator<Contender> BEST_FIRST =
            Comparator.comparingDouble(Contender::score)
                    .reversed()
                    .thenComparing(contender -> contender.machine().node());

    /**
     * The best of each label, and of these the best.
     *
     * @return the best first; fewer than asked for where there are not so many labels
     */
    static List<Machine> best(List<Contender> contenders, int copies, PlacementRules rules) {
        Set<String> labels = new HashSet<>();
        List<Machine> chosen = new ArrayList<>();
        for (Contender contender : contenders.stream().sorted(BEST_FIRST).toList()) {
            if (chosen.size() < copies && labels.add(rules.labelOf(contender.machine()))) {
                chosen.add(contender.machine());
            }
        }
        return chosen;
    }

    /** What there is for them, for the end of a sentence. */
    static String shortage(List<Contender> contenders, PlacementRules rules) {
        List<String> labels =
                contenders.stream()
                        .map(each -> rules.labelOf(each.machine()))
                        .distinct()
                        .sorted()
                        .toList();
        return labels.isEmpty()
                ? "no machine can have one"
                : String.format(
                        "%s that can have one: %d (%s)",
                        rules.kinds(), labels.size(), String.join(", ", labels));
    }
}
