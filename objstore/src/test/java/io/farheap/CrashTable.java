package io.farheap;

import io.farheap.CrashEnumeration.Findings;
import java.util.List;

/** How many crash states were tried, by operation and in all. */
final class CrashTable {
    private CrashTable() {}

    static int states(List<Findings> all) {
        return all.stream().mapToInt(Findings::states).sum();
    }

    static String of(List<Findings> all, long seed) {
        StringBuilder table = new StringBuilder("Crash states tried, seed " + seed + ":\n");
        table.append("  points   states  wrong  operation\n");
        for (Findings one : all) {
            line(table, one.points(), one.states(), one.wrong().size(), one.name());
        }
        line(
                table,
                all.stream().mapToInt(Findings::points).sum(),
                states(all),
                all.stream().mapToInt(one -> one.wrong().size()).sum(),
                "all operations");
        return table.toString();
    }

    private static void line(StringBuilder table, int points, int states, int wrong, String name) {
        table.append(String.format("%8d %8d %6d  %s%n", points, states, wrong, name));
    }
}
