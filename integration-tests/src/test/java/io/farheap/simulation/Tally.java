package io.farheap.simulation;

import io.farheap.simulation.engine.Happening;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** What happened in a run of histories: how often, and in how many of them. */
final class Tally {
    private final Map<Happening, Integer> times = new EnumMap<>(Happening.class);
    private final Map<Happening, Integer> histories = new EnumMap<>(Happening.class);

    /** Adds a history. */
    void add(SimulationRun.Result result) {
        result.counts()
                .forEach(
                        (what, count) -> {
                            int unused = times.merge(what, count, Integer::sum);
                            unused = histories.merge(what, 1, Integer::sum);
                        });
    }

    /** What happened in fewer histories than that. */
    List<Happening> inFewerThan(int enough) {
        List<Happening> rare = new ArrayList<>();
        for (Happening each : Happening.values()) {
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
        for (Happening each : Happening.values()) {
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
