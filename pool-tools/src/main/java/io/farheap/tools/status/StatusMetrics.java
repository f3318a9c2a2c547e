package io.farheap.tools.status;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A status in the text format that Prometheus reads, version 0.0.4, without times of samples: as
 * the textfile collector of its node exporter wants them (docs/monitoring.md#without-a-program).
 */
final class StatusMetrics {
    /** What every such text begins with. */
    static final String BEGIN = "# HELP farheap_";

    private final PoolStatus status;
    private final List<String> lines = new ArrayList<>();

    private StatusMetrics(PoolStatus status) {
        this.status = status;
    }

    /** All of it, as one text. */
    static String of(PoolStatus status, Instant now) {
        StatusMetrics metrics = new StatusMetrics(status);
        metrics.pool(now);
        metrics.copies();
        return String.join("\n", metrics.lines) + "\n";
    }

    private void pool(Instant now) {
        Map<String, String> labels = Map.of("poolset", status.poolset());
        family("farheap_status_time_seconds", "When the pool was looked at, since 1970.");
        sample("farheap_status_time_seconds", labels, now.getEpochSecond());
        family("farheap_pool_current", "Whether every copy of the pool is current.");
        sample("farheap_pool_current", labels, status.current() ? 1 : 0);
        family("farheap_pool_open", "Whether a process has the local copy open.");
        sample("farheap_pool_open", labels, status.openIn() == null ? 0 : 1);
        family("farheap_pool_lacking", "Whether the poolset file lacks something of the pool.");
        sample("farheap_pool_lacking", labels, status.lacking() == null ? 0 : 1);
    }

    private void copies() {
        family("farheap_copy_good", "Whether nothing needs to be done about the copy.");
        for (CopyStatus copy : status.replicas()) {
            Map<String, String> labels = labels(copy);
            labels.put("verdict", copy.verdict().name());
            sample("farheap_copy_good", labels, copy.isGood() ? 1 : 0);
        }
        known(
                "farheap_copy_dirty_bytes",
                "At most so many bytes differ from the pool, as the copy's dirty map says.",
                copy ->
                        copy.dirtyMapBytes() == null || copy.dirtyMapBytes() < 0
                                ? null
                                : copy.dirtyMapBytes().doubleValue());
        known(
                "farheap_copy_lag_bytes",
                "At most so many bytes differ from the pool, as the program says that has it open.",
                copy ->
                        copy.program() == null || copy.program().lagBytes() == null
                                ? null
                                : copy.program().lagBytes().doubleValue());
        known(
                "farheap_copy_lag_seconds",
                "How long it has been without what was committed, as that program says.",
                copy -> copy.program() == null ? null : copy.program().lagMillis() / 1000.0);
        known(
                "farheap_copy_unapplied_records",
                "Records in the replica's journal that are not in its files yet.",
                copy ->
                        copy.slot() == null
                                ? null
                                : (double) (copy.slot().received() - copy.slot().applied()));
    }

    /** A family of the copies of which it is known. */
    private void known(String name, String help, Function<CopyStatus, Double> value) {
        family(name, help);
        for (CopyStatus copy : status.replicas()) {
            Double known = value.apply(copy);
            if (known != null) {
                sample(name, labels(copy), known);
            }
        }
    }

    private Map<String, String> labels(CopyStatus copy) {
        Map<String, String> labels = new LinkedHashMap<>();
        labels.put("poolset", status.poolset());
        labels.put("replica", Integer.toString(copy.replica()));
        labels.put("host", copy.host());
        labels.put("name", copy.name());
        return labels;
    }

    private void family(String name, String help) {
        lines.add("# HELP " + name + " " + help);
        lines.add("# TYPE " + name + " gauge");
    }

    private void sample(String name, Map<String, String> labels, double value) {
        lines.add(
                labels.entrySet().stream()
                        .map(label -> label.getKey() + "=\"" + escaped(label.getValue()) + "\"")
                        .collect(Collectors.joining(",", name + "{", "} " + number(value))));
    }

    private static String escaped(String label) {
        return label.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    }

    private static String number(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1L << 53
                ? Long.toString((long) value)
                : Double.toString(value);
    }
}
