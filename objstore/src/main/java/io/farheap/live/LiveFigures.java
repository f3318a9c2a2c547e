package io.farheap.live;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What an open pool has counted since it was opened.
 *
 * @param nanos when, by a clock of the process that has it
 * @param counts by name, as in {@code PoolCounters}
 */
public record LiveFigures(long nanos, Map<String, Long> counts) {
    public LiveFigures {
        counts = Map.copyOf(counts);
    }

    /** Of lines with a name and a value each; empty where one is not. */
    static Optional<LiveFigures> parse(long nanos, String lines) {
        Map<String, Long> counts = new LinkedHashMap<>();
        for (String line : lines.lines().toList()) {
            int space = line.indexOf(' ');
            if (space < 1 || !line.substring(space + 1).matches("-?[0-9]{1,18}")) {
                return Optional.empty();
            }
            counts.put(line.substring(0, space), Long.parseLong(line.substring(space + 1)));
        }
        return Optional.of(new LiveFigures(nanos, counts));
    }

    /** One of them; 0 where the process's version does not count that. */
    public long of(String name) {
        return counts.getOrDefault(name, 0L);
    }
}
