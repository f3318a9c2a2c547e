package io.farheap.tools.status;

import io.farheap.agent.service.PrometheusText;
import io.farheap.live.LiveFigures;
import java.util.Map;
import java.util.Optional;

/**
 * What the program counts that has a pool open, by the names that Micrometer gives it in the
 * program itself (docs/monitoring.md#in-a-program).
 */
final class ProgramMetrics {
    private final PrometheusText text;
    private final Map<String, String> labels;
    private final Optional<LiveFigures> counted;

    ProgramMetrics(PrometheusText text, Map<String, String> labels, Optional<LiveFigures> counted) {
        this.text = text;
        this.labels = labels;
        this.counted = counted;
    }

    void add() {
        counter("commits_total", "Transactions that changed something.", "commits");
        counter(
                "transactions_readonly_total",
                "Transactions that changed nothing.",
                "readOnlyTransactions");
        counter("aborts_total", "Transactions rolled back.", "aborts");
        counter("flushes_total", "Write-backs started.", "flushes");
        counter("fences_total", "Waits for the local medium.", "fences");
        counter("replication_records_total", "Records for the replicas.", "records");
        counter("replication_waits_total", "Waits for the replicas.", "durabilityWaits");
        counter("replication_doorbells_total", "Chains of work requests.", "doorbells");
        counter("replication_sent_bytes_total", "Bytes to remote replicas.", "replicaBytes");
        counter("disk_syncs_total", "Waits for the disk journal.", "diskSyncs");
        counter("disk_written_bytes_total", "Bytes to the disk journal.", "diskBytes");
        counter("disk_checkpoints_total", "Checkpoints.", "checkpoints");
        counter("disk_checkpoint_pages_total", "Pages of checkpoints.", "checkpointPages");
        counter("disk_full_total", "Waits for room in the disk journal.", "diskWaits");
        gauge("heap_used_bytes", "Of the heap: in use.", "heapUsedBytes");
        gauge("heap_free_bytes", "Of the heap: free.", "heapFreeBytes");
        gauge("heap_largest_free_bytes", "Of the largest free block.", "heapLargestFreeBytes");
    }

    private void counter(String name, String help, String figure) {
        text.counter("farheap_" + name, help);
        sample(figure);
    }

    private void gauge(String name, String help, String figure) {
        text.gauge("farheap_" + name, help);
        sample(figure);
    }

    /** A program of another version may not tell it. */
    private void sample(String figure) {
        counted.map(figures -> figures.counts().get(figure))
                .ifPresent(value -> text.sample(labels, value));
    }
}
