package io.farheap.simulation;

import io.farheap.simulation.engine.Happening;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** What happened in a run of histories: how often, and in how many of them. */
final class Tally {
    private final List<Happening> wanted;
    private final Map<Happening, Integer> times = new EnumMap<>(Happening.class);
    private final Map<Happening, Integer> histories = new EnumMap<>(Happening.class);

    /** Of histories of a pool and its replicas. */
    Tally() {
        this(Happening::isOfPools);
    }

    /** Of what such histories have. */
    Tally(Predicate<Happening> wanted) {
        this.wanted = Arrays.stream(Happening.values()).filter(wanted).toList();
    }

    /** Adds a history. */
    void add(SimulationRun.Result result) {
        result.counts()
                .forEach(
                        (what, count) -> {
                            int unused = times.merge(what, count, Integer::sum);
                            unused = histories.merge(what, 1, Integer::sum);
                        });
    }

    /** Whatever can happen there. */
    int size() {
        return wanted.size();
    }

    /** What happened in fewer histories than that. */
    List<Happening> inFewerThan(int enough) {
        List<Happening> rare = new ArrayList<>();
        for (Happening each : wanted) {
            if (histories.getOrDefault(each, 0) < enough) {
                rare.add(each);
            }
        }
        return rare;
    }

    /** A table, as the documentation has it. */
    @Override
    public String toString() {
        StringBuilder text =
                new StringBuilder("| what | times | in histories |\n| --- | --- | --- |\n");
        for (Happening each : wanted) {
            text.append("| ")
                    .append(each.text())
                    .append(" | ")
                    .append(times.getOrDefault(each, 0))
                    .append(" | ")
                    .append(histories.getOrDefault(each, 0))
                    .append(" |\n");
        }
        return text.toString();
    }
}
