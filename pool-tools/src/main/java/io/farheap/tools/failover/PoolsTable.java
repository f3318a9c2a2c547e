package io.farheap.tools.failover;

import io.farheap.availability.CataloguedPool;
import io.farheap.tools.report.Output;
import io.farheap.tools.report.Tone;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** The catalogue for a person: a line for each pool, and below it what wants attention. */
final class PoolsTable {
    private static final String UNKNOWN = "unknown";
    private static final List<String> HEAD =
            List.of(
                    "CLUSTER",
                    "POOL",
                    "WRITER",
                    "TERM",
                    "SINCE",
                    "COPIES",
                    "LEAST",
                    "TAKE-OVERS",
                    "STATE");

    private final Output output;

    PoolsTable(Output output) {
        this.output = output;
    }

    /**
     * @param where it was looked for, behind a blank; "": everywhere
     */
    void print(List<CataloguedPool> shown, int all, int concerned, String where) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(HEAD);
        shown.forEach(pool -> rows.add(row(pool)));
        int[] widths = widths(rows);
        PrintWriter out = output.writer();
        if (!shown.isEmpty()) {
            out.println(line(HEAD, widths) + HEAD.get(HEAD.size() - 1));
        }
        for (int i = 0; i < shown.size(); i++) {
            CataloguedPool pool = shown.get(i);
            List<String> row = rows.get(i + 1);
            out.println(line(row, widths) + output.toned(toneOf(pool), row.get(row.size() - 1)));
            pool.attention().forEach(why -> out.println("    " + why));
        }
        out.println(
                all == 0
                        ? "the store has no record of a pool" + where
                        : String.format("pools: %d, wanting attention: %d", all, concerned));
        out.flush();
    }

    private static int[] widths(List<List<String>> rows) {
        int[] widths = new int[HEAD.size()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        return widths;
    }

    /** All but the last column, which may have a colour. */
    private static String line(List<String> row, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < row.size() - 1; i++) {
            String value = row.get(i);
            line.append(value).append(" ".repeat(widths[i] - value.length() + 2));
        }
        return line.toString();
    }

    private static List<String> row(CataloguedPool pool) {
        return List.of(
                pool.cluster(),
                pool.pool(),
                writer(pool),
                pool.term() == 0 ? UNKNOWN : Long.toString(pool.term()),
                since(pool),
                copies(pool),
                pool.minCopies() == 0 ? UNKNOWN : Integer.toString(pool.minCopies()),
                takeOvers(pool),
                state(pool));
    }

    private static String writer(CataloguedPool pool) {
        if (pool.unreadable().containsKey("lead")) {
            return UNKNOWN;
        }
        return pool.leader().isEmpty() ? "nobody" : pool.leader();
    }

    private static String since(CataloguedPool pool) {
        return pool.leader().isEmpty() && !pool.unreadable().containsKey("lead")
                ? "-"
                : pool.since().map(Object::toString).orElse(UNKNOWN);
    }

    /** Those of the set, and of how many. */
    private static String copies(CataloguedPool pool) {
        if (pool.set().isEmpty()) {
            return UNKNOWN;
        }
        String all = pool.nodes().isEmpty() ? UNKNOWN : Integer.toString(pool.nodes().size());
        return String.format("%d of %s: %s", pool.set().size(), all, String.join(" ", pool.set()));
    }

    private static String takeOvers(CataloguedPool pool) {
        if (pool.unreadable().containsKey("order")) {
            return UNKNOWN;
        }
        String to = pool.ordered().isEmpty() ? "" : "to " + pool.ordered();
        if (pool.paused()) {
            return to.isEmpty() ? "paused" : "paused, " + to;
        }
        return to.isEmpty() ? "automatic" : to;
    }

    private static String state(CataloguedPool pool) {
        return pool.degraded().map(degraded -> degraded ? "degraded" : "whole").orElse(UNKNOWN);
    }

    private static Tone toneOf(CataloguedPool pool) {
        if (pool.attention().isEmpty()) {
            return pool.degraded().isPresent() ? Tone.GOOD : Tone.WARNING;
        }
        return pool.unreadable().isEmpty() && !pool.leader().isEmpty() ? Tone.WARNING : Tone.BAD;
    }
}
