package io.farheap.tools.top;

import io.farheap.base.ReplicaStatus;
import io.farheap.replication.status.ProgramStatus;
import java.time.LocalTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.OptionalLong;

/** One look as a line. */
final class RateLine {
    static final String TITLES =
            "time      commits/s  aborts/s  fences/commit  syncs/s  replica-MB/s  attached "
                    + " lag-bytes  commit-p50-us  commit-p99-us  replica-p50-us  replica-p99-us";

    private RateLine() {}

    /**
     * @param said of remote replicas; null: nothing
     */
    static String of(LocalTime time, Rates rates, ProgramStatus said) {
        int copies = said == null ? 0 : said.replicas().size();
        long attached =
                said == null
                        ? 0
                        : said.replicas().stream()
                                .filter(copy -> copy.state() == ReplicaStatus.State.ATTACHED)
                                .count();
        return String.format(
                Locale.ROOT,
                "%s  %9.0f  %8.1f  %13.2f  %7.1f  %12.2f  %8s  %9s  %13s  %13s  %14s  %14s",
                time.format(DateTimeFormatter.ISO_LOCAL_TIME),
                rates.perSecond("commits"),
                rates.perSecond("aborts"),
                rates.perCommit("fences"),
                rates.perSecond("diskSyncs"),
                rates.perSecond("replicaBytes") / 1e6,
                attached + "/" + copies,
                lag(said),
                micros(rates.quantile("commitNanos", 0.5)),
                micros(rates.quantile("commitNanos", 0.99)),
                micros(rates.quantile("replicaWaitNanos", 0.5)),
                micros(rates.quantile("replicaWaitNanos", 0.99)));
    }

    private static String micros(OptionalLong nanos) {
        return nanos.isEmpty() ? "-" : String.format(Locale.ROOT, "%.2f", nanos.getAsLong() / 1e3);
    }

    private static String lag(ProgramStatus said) {
        if (said == null || said.replicas().isEmpty()) {
            return "-";
        }
        boolean known = said.replicas().stream().allMatch(copy -> copy.lagBytes() >= 0);
        return known
                ? Long.toString(said.replicas().stream().mapToLong(copy -> copy.lagBytes()).sum())
                : "unknown";
    }
}
