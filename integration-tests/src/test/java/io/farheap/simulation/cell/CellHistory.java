package io.farheap.simulation.cell;

import io.farheap.simulation.cell.StoreLoad.Window;
import io.farheap.simulation.engine.Trace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/**
 * A cell from the start of all its machines on, through what may happen to it; loaded and called by
 * {@code CellRun}. Tells of it in lines to print, and in figures by name.
 */
public final class CellHistory {
    private static final long SECOND = 1_000_000_000L;
    private static final long BOUND = 300 * SECOND;

    /** To see what comes after something has come back. */
    private static final long WINDOW = 30 * SECOND;

    /** In so many ttl each thing that is done from time to time is done a whole number of times. */
    private static final int STEADY = 3;

    private static final long AWAY = 30 * SECOND;

    /** Until the copies of a machine that was lost are left out. */
    private static final long LOST = 15 * SECOND;

    private static final long SETTLED_AFTER = 10 * SECOND;

    private final Cell cell;
    private final Trace trace = new Trace(false);
    private final List<String> lines = new ArrayList<>();
    private final Map<String, Double> figures = new LinkedHashMap<>();

    private CellHistory(CellPlan plan, long seed) {
        this.cell = new Cell(plan, seed, trace);
    }

    /**
     * @param ttl in seconds
     * @return lines to print, beginning with the hash of all that happened; then figures,
     *     NAME=VALUE
     */
    public static List<List<String>> run(int pools, int machines, int rack, int ttl, long seed) {
        CellPlan plan =
                new CellPlan(
                        pools, machines, rack, Duration.ofSeconds(ttl), CellStore.Capacity.USUAL);
        CellHistory history = new CellHistory(plan, seed);
        try {
            history.run();
        } finally {
            history.cell.world().end();
        }
        return List.of(
                history.lines,
                history.figures.entrySet().stream()
                        .map(each -> each.getKey() + "=" + each.getValue())
                        .toList());
    }

    private void run() {
        CellPlan plan = cell.plan();
        say(
                "%,d pools with %d copies each on %d machines, %d to a rack, ttl %d s",
                plan.pools(),
                CellPlan.COPIES,
                plan.machines(),
                plan.rack(),
                plan.ttl().toSeconds());
        event("start", 0, () -> eachOf(0, plan.machines(), cell::start), this::allWhole);
        pass(SETTLED_AFTER);
        event("steady", STEADY * plan.ttl().toNanos(), () -> {}, () -> true);
        whatIsThere();
        event("machine", LOST, () -> wrote("machine", cell.kill(1)), this::allWritten);
        event("machine-back", WINDOW, () -> cell.start(1), this::allWhole);
        int rack = 2 * plan.rack();
        int behind = rack + plan.rack();
        event(
                "rack",
                LOST,
                () -> wrote("rack", IntStream.range(rack, behind).map(cell::kill).sum()),
                this::allWritten);
        event("rack-back", WINDOW, () -> eachOf(rack, behind, cell::start), this::allWhole);
        event("away", AWAY, () -> cell.store().leave(), () -> true);
        event("away-back", WINDOW, () -> cell.store().comeBack(), this::allWhole);
        figures.put("deposed", (double) cell.deposals());
        say("writers that were told that their turn is over: %d", cell.deposals());
        say("hash %x", trace.hash());
    }

    private static void eachOf(int from, int to, IntConsumer action) {
        for (int i = from; i < to; i++) {
            action.accept(i);
        }
    }

    private void wrote(String name, int pools) {
        figure(name, "wrote", pools);
    }

    private void pass(long nanos) {
        boolean[] over = {false};
        var unused = cell.world().after(nanos, () -> over[0] = true);
        cell.world().run(() -> over[0], BOUND);
    }

    private boolean allWhole() {
        return cell.isWhole();
    }

    private boolean allWritten() {
        return cell.writerless() == 0;
    }

    /** Lets it happen, and at least so long pass, and then all that follows from it. */
    private void event(String name, long atLeast, Runnable what, BooleanSupplier until) {
        long begin = cell.world().now();
        long records = cell.store().load().records();
        StoreLoad.Mark mark = cell.store().load().mark(begin);
        boolean[] look = {false};
        lookEachSecond(begin + atLeast, look, until);
        what.run();
        cell.world().run(() -> look[0], BOUND);
        figure(name, "records", cell.store().load().records() - records);
        tell(name, cell.store().load().since(mark, cell.world().now()), cell.takenTimes());
    }

    private void lookEachSecond(long from, boolean[] done, BooleanSupplier until) {
        var unused =
                cell.world()
                        .at(
                                Math.max(from, cell.world().now() + SECOND / 4),
                                () -> {
                                    done[0] = until.getAsBoolean();
                                    if (!done[0]) {
                                        lookEachSecond(from, done, until);
                                    }
                                });
    }

    private void tell(String name, Window window, List<Long> times) {
        double pools = cell.plan().pools();
        figure(name, "seconds", window.seconds());
        figure(name, "requests", window.requests());
        figure(name, "written", window.written());
        figure(name, "peak", window.peak());
        figure(name, "per-pool", window.requests() / pools);
        figure(name, "taken", times.size());
        say(
                "%-13s %6.1f s: %,8.0f requests/s (%,.0f written), most in a second %,d; store %2.0f %%"
                        + " busy, longest wait %,d ms; %s",
                name,
                window.seconds(),
                window.requests(),
                window.written(),
                window.peak(),
                100 * window.busy(),
                window.longestWait() / 1_000_000,
                taken(name, times));
        if (name.equals("steady")) {
            say(
                    "              each pool: %.2f requests/s (%s)",
                    window.requests() / pools, kinds(window));
            say(
                    "              %.1f MB/s of JSON to the store, %.1f MB/s from it",
                    window.bytesIn() / 1e6, window.bytesOut() / 1e6);
            say(
                    "              pools per 10,000 requests/s of a store: %,.0f",
                    10_000 / (window.requests() / pools));
        }
    }

    private String kinds(Window window) {
        List<String> each = new ArrayList<>();
        window.each()
                .forEach(
                        (kind, rate) ->
                                each.add(
                                        String.format(
                                                Locale.ROOT,
                                                "%s %.3f",
                                                kind.name().toLowerCase(Locale.ROOT),
                                                rate / cell.plan().pools())));
        return String.join(", ", each);
    }

    private String taken(String name, List<Long> times) {
        if (times.isEmpty()) {
            return "no take-over";
        }
        double middle = times.get(times.size() / 2) / (double) SECOND;
        double last = times.get(times.size() - 1) / (double) SECOND;
        figure(name, "p50", middle);
        figure(name, "max", last);
        return String.format(
                Locale.ROOT,
                "%,d take-overs, until a pool has a writer %.1f s (p50), %.1f s (max)",
                times.size(),
                middle,
                last);
    }

    private void whatIsThere() {
        EtcdKeys keys = cell.store().keys();
        figure("stored", "keys", keys.keys());
        figure("stored", "bytes", keys.bytes());
        figure("stored", "leases", keys.leases());
        figure("stored", "watches", cell.store().streams());
        say(
                "stored        %,d keys, %,d bytes in them, %,d leases, %,d watches",
                keys.keys(), keys.bytes(), keys.leases(), cell.store().streams());
    }

    private void figure(String name, String what, double value) {
        figures.put(name + "." + what, value);
    }

    private void say(String format, Object... values) {
        lines.add(String.format(Locale.ROOT, format, values));
    }
}
