package io.farheap.tools.status;

import io.farheap.agent.service.PrometheusText;
import io.farheap.base.FarheapException;
import io.farheap.live.LiveFigures;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A status as metrics for Prometheus (docs/monitoring.md#without-a-program). */
final class StatusMetrics {
    /** What every such text begins with. */
    static final String BEGIN = PrometheusText.BEGIN + "status_";

    private static final Pattern POOLSET = Pattern.compile("\\{poolset=\"((?:[^\"\\\\]|\\\\.)*)\"");
    private static final int MOST_BEFORE_POOLSET = 16 << 10;

    private final PoolStatus status;
    private final PrometheusText text = new PrometheusText();

    private StatusMetrics(PoolStatus status) {
        this.status = status;
    }

    /**
     * All of it, as one text.
     *
     * @param counted by the program that has the pool open
     */
    static String of(PoolStatus status, Optional<LiveFigures> counted, Instant now) {
        StatusMetrics metrics = new StatusMetrics(status);
        metrics.pool(now);
        metrics.copies();
        new ProgramMetrics(metrics.text, Map.of("poolset", metrics.poolset()), counted).add();
        return metrics.text.toString();
    }

    /**
     * Requires that a file has no other pool's metrics, which would be gone.
     *
     * @param metrics that are to take the place of what is in it
     */
    static void requireSamePool(Path file, String metrics) {
        String other = poolset(start(file));
        // Versions before had the name as it was typed.
        if (other != null && other.startsWith("/") && !normal(other).equals(poolset(metrics))) {
            throw FarheapException.wrongUse(
                    "%s has the metrics of %s, and is not replaced: name another file for each"
                            + " pool, or remove that file",
                    file, other);
        }
    }

    private static String normal(String path) {
        try {
            return Path.of(path).normalize().toString();
        } catch (InvalidPathException e) {
            return path; // no version wrote it
        }
    }

    private static String start(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            return new String(in.readNBytes(MOST_BEFORE_POOLSET), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return ""; // who replaces it says so
        }
    }

    /** Null where there is none. */
    private static String poolset(String metrics) {
        Matcher found = POOLSET.matcher(metrics);
        return metrics.startsWith(BEGIN) && found.find() ? found.group(1) : null;
    }

    /** By one name, whatever directory it was typed in. */
    private String poolset() {
        return Path.of(status.poolset()).toAbsolutePath().normalize().toString();
    }

    private void pool(Instant now) {
        Map<String, String> labels = Map.of("poolset", poolset());
        text.gauge("farheap_status_time_seconds", "When the pool was looked at, since 1970.");
        text.sample(labels, now.getEpochSecond());
        text.gauge("farheap_pool_current", "Whether every copy of the pool is current.");
        text.sample(labels, status.current() ? 1 : 0);
        text.gauge("farheap_pool_open", "Whether a process has the local copy open.");
        text.sample(labels, status.openIn() == null ? 0 : 1);
        text.gauge(
                "farheap_pool_not_closed",
                "Whether nobody has it open and nobody closed it: a crash, or a copy by cp.");
        text.sample(labels, status.notClosed() == null ? 0 : 1);
        text.gauge("farheap_pool_number", "The number of the pool, as its local copy has it.");
        if (status.number() != null) {
            text.sample(labels, status.number());
        }
        text.gauge(
                "farheap_pool_compared_time_seconds",
                "When the program that has it open ended its last comparison of all replicas.");
        if (status.compared() != null) {
            text.sample(labels, Instant.parse(status.compared()).getEpochSecond());
        }
        text.gauge("farheap_pool_lacking", "Whether the poolset file lacks something of the pool.");
        text.sample(labels, status.lacking() == null ? 0 : 1);
    }

    private void copies() {
        text.gauge("farheap_copy_good", "Whether nothing needs to be done about the copy.");
        for (CopyStatus copy : status.replicas()) {
            Map<String, String> labels = labels(copy);
            labels.put("verdict", copy.verdict().name());
            text.sample(labels, copy.isGood() ? 1 : 0);
        }
        known(
                "farheap_copy_number",
                "The number of the pool that the copy has.",
                copy ->
                        copy.slot() == null
                                ? number(copy.number())
                                : Double.valueOf(copy.slot().number()));
        known(
                "farheap_copy_slot_since_time_seconds",
                "When the replica got its state and number, by its target's clock.",
                copy -> copy.slot() == null ? null : seconds(copy.slot().since()));
        known(
                "farheap_copy_epoch",
                "The number of the pool when it was last a member, as the program says.",
                copy -> copy.program() == null ? null : (double) copy.program().epoch());
        known(
                "farheap_copy_since_time_seconds",
                "When the copy came into the state that the program says that it has.",
                copy -> copy.program() == null ? null : seconds(copy.program().since()));
        known(
                "farheap_copy_differences",
                "Ranges that the program has compared and that are not the pool's.",
                copy -> copy.program() == null ? null : (double) copy.program().differences());
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

    private static Double number(Long number) {
        return number == null ? null : number.doubleValue();
    }

    private static Double seconds(String moment) {
        return moment == null ? null : (double) Instant.parse(moment).getEpochSecond();
    }

    /** A family of the copies of which it is known. */
    private void known(String name, String help, Function<CopyStatus, Double> value) {
        text.gauge(name, help);
        for (CopyStatus copy : status.replicas()) {
            Double known = value.apply(copy);
            if (known != null) {
                text.sample(labels(copy), known);
            }
        }
    }

    private Map<String, String> labels(CopyStatus copy) {
        Map<String, String> labels = new LinkedHashMap<>();
        labels.put("poolset", poolset());
        labels.put("replica", Integer.toString(copy.replica()));
        labels.put("host", copy.host());
        labels.put("name", copy.name());
        return labels;
    }
}
