package io.farheap.simulation;

import io.farheap.replication.stream.LagBound;
import io.farheap.simulation.engine.Happening;
import io.farheap.simulation.engine.World;
import java.util.ArrayList;
import java.util.List;

/** Which commits a copy lacks that they did not wait for, and whether it may. */
final class Lack {
    /** A record has so many bytes at least, beside what its commit wrote into an object. */
    private static final long RECORD_BYTES = 64;

    /** From a claim until the one is told who sends it on. */
    private static final long SLACK_NANOS = 10_000_000;

    private final Ledger ledger;
    private final LagBound bound;
    private final long stoppedNanos;
    private final List<Ledger.Returned> missing = new ArrayList<>();

    /**
     * @param stoppedNanos how long the program stood still in all
     */
    Lack(Ledger ledger, LagBound bound, long stoppedNanos) {
        this.ledger = ledger;
        this.bound = bound;
        this.stoppedNanos = stoppedNanos;
    }

    /** What is wrong with a row, whatever it lacks; null: nothing. */
    String fault(int thread, Row shown) {
        if (shown.attempt() >= ledger.acknowledged(thread).attempt()) {
            return ledger.fault(thread, shown);
        }
        List<Ledger.Returned> later = ledger.after(thread, shown);
        if (later == null) {
            return "thread " + thread + ": it shows " + shown + ", which never returned";
        }
        missing.addAll(later);
        return null;
    }

    /** Whether it lacks more than the bound allows: what is wrong with that; null: nothing. */
    String fault() {
        if (missing.isEmpty()) {
            return null;
        }
        World.current().count(Happening.LAGGED);
        long bytes = 0;
        long first = Long.MAX_VALUE;
        long last = 0;
        for (Ledger.Returned each : missing) {
            Row row = each.row();
            boolean makesObject = row.objectOf() == row.attempt();
            bytes += RECORD_BYTES + (makesObject ? Cells.sizeOf(row.attempt()) : 0);
            first = Math.min(first, each.at());
            last = Math.max(last, each.begun());
        }
        // One record may be larger than the bound, alone.
        boolean tooManyBytes = missing.size() > 1 && bytes > bound.bytes();
        // The last one was claimed after it began, the first one before it returned.
        boolean tooOld = last - first > bound.time().toNanos() + SLACK_NANOS + stoppedNanos;
        return tooManyBytes || tooOld
                ? "lags too far: "
                        + missing.size()
                        + " commits of "
                        + bytes
                        + " bytes or more, begun in "
                        + (last - first) / 1_000_000
                        + " ms; bound "
                        + bound
                : null;
    }
}
