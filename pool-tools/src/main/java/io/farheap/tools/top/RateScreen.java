package io.farheap.tools.top;

import io.farheap.base.ReplicaStatus;
import io.farheap.replication.status.ProgramStatus;
import io.farheap.tools.report.Terminal;
import io.farheap.tools.report.Tone;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
import java.util.OptionalLong;

/** One look as a screen. */
final class RateScreen {
    private RateScreen() {}

    /**
     * @param said of remote replicas; null: nothing
     */
    static void print(PrintWriter out, Rates rates, ProgramStatus said) {
        out.println();
        out.println("                      per second   per commit            total");
        line(out, rates, "commits", "commits");
        line(out, rates, "readOnlyTransactions", "read-only");
        line(out, rates, "aborts", "rolled back");
        line(out, rates, "flushes", "flushes");
        line(out, rates, "fences", "fences");
        if (rates.total("diskSyncs") > 0) {
            line(out, rates, "diskSyncs", "disk syncs");
            line(out, rates, "diskBytes", "bytes written");
            line(out, rates, "checkpoints", "checkpoints");
            line(out, rates, "diskWaits", "waits for room");
        }
        if (rates.total("records") > 0) {
            line(out, rates, "durabilityWaits", "replica waits");
            line(out, rates, "doorbells", "doorbells");
            line(out, rates, "replicaBytes", "bytes sent");
        }
        times(out, rates);
        last(out, rates);
        if (rates.has("heapUsedBytes")) {
            space(out, rates);
        }
        if (said != null) {
            out.println();
            out.println("replica                        state       policy      lag bytes   lag");
            said.replicas().forEach(copy -> print(out, copy));
        }
    }

    /** Of what ended between the looks; of a program of another version nothing may be known. */
    private static void times(PrintWriter out, Rates rates) {
        if (rates.quantile("commitNanos", 0.5).isPresent()) {
            out.println();
            out.println("time taken                   p50          p99");
            time(out, rates, "commitNanos", "commits");
            time(out, rates, "replicaWaitNanos", "replica waits");
        }
    }

    private static void time(PrintWriter out, Rates rates, String name, String label) {
        OptionalLong median = rates.quantile(name, 0.5);
        if (median.isPresent()) {
            out.printf(
                    "%-18s %13s %12s%n",
                    label,
                    readable(median.getAsLong()),
                    readable(rates.quantile(name, 0.99).orElseThrow()));
        }
    }

    /** What a disk journal did last, which may have been long before the look. */
    private static void last(PrintWriter out, Rates rates) {
        if (rates.has("lastDiskSyncEndedNanos")) {
            out.println();
        }
        last(out, rates, "lastDiskSync", "last disk sync");
        last(out, rates, "lastCheckpoint", "last checkpoint");
    }

    private static void last(PrintWriter out, Rates rates, String name, String label) {
        if (rates.has(name + "EndedNanos")) {
            out.printf(
                    "%-18s took %s, ended %s ago%n",
                    label,
                    readable(rates.total(name + "TookNanos")),
                    readable(rates.nanosSince(name + "EndedNanos")));
        }
    }

    /** With three digits. */
    static String readable(long nanos) {
        double value = nanos / 1e3;
        String unit = "µs";
        if (value >= 999.5) {
            value /= 1e3;
            unit = "ms";
        }
        if (value >= 999.5) {
            value /= 1e3;
            unit = "s";
        }
        String format = value < 9.995 ? "%.2f %s" : value < 99.95 ? "%.1f %s" : "%.0f %s";
        return String.format(Locale.ROOT, format, value, unit);
    }

    private static void space(PrintWriter out, Rates rates) {
        long used = rates.total("heapUsedBytes");
        long all = used + rates.total("heapFreeBytes");
        out.println();
        out.printf(
                Locale.ROOT,
                "heap: %,d of %,d bytes in use (%.1f%%), largest free block %,d%n",
                used,
                all,
                all == 0 ? 0 : 100.0 * used / all,
                rates.total("heapLargestFreeBytes"));
    }

    private static void line(PrintWriter out, Rates rates, String name, String label) {
        out.printf(
                Locale.ROOT,
                "%-18s %,13.1f %,12.2f %,16d%n",
                label,
                rates.perSecond(name),
                rates.perCommit(name),
                rates.total(name));
    }

    private static void print(PrintWriter out, ProgramStatus.Copy copy) {
        String state = String.format("%-11s", copy.state().name().toLowerCase(Locale.ROOT));
        Tone tone = copy.state() == ReplicaStatus.State.ATTACHED ? Tone.GOOD : Tone.WARNING;
        out.printf(
                Locale.ROOT,
                "%-30s %s %-10s %10s   %s%n",
                copy.replica(),
                Terminal.showsColours() ? tone.paint(state) : state,
                copy.policy().name().toLowerCase(Locale.ROOT),
                copy.lagBytes() < 0 ? "unknown" : String.format("%,d", copy.lagBytes()),
                Duration.ofMillis(copy.lagMillis()).toSeconds() + " s");
    }
}
