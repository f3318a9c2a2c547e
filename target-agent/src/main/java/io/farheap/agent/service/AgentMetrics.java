package io.farheap.agent.service;

import io.farheap.agent.service.ServiceFigures.Replica;
import io.farheap.agent.store.ReplicaFigures;
import io.farheap.agent.store.ReplicaFigures.Progress;
import io.farheap.replication.journal.ReplicaState;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** What an agent that listens tells Prometheus (docs/monitoring.md#agent). */
final class AgentMetrics {
    /** What every such text begins with. */
    static final String BEGIN = PrometheusText.BEGIN + "agent_";

    private final String agent;
    private final long startMillis;
    private final PrometheusText text = new PrometheusText();

    private AgentMetrics(String agent, long startMillis) {
        this.agent = agent;
        this.startMillis = startMillis;
    }

    /**
     * All of it, as one text.
     *
     * @param agent where it listens
     * @param startMillis since when
     * @param certificateExpiry when nobody trusts its certificate any more
     */
    static String of(
            String agent,
            long startMillis,
            Instant certificateExpiry,
            ServiceFigures figures,
            long nowMillis) {
        AgentMetrics metrics = new AgentMetrics(agent, startMillis);
        metrics.service(certificateExpiry, figures, nowMillis);
        metrics.replicas(figures.replicas());
        return metrics.text.toString();
    }

    private void service(Instant certificateExpiry, ServiceFigures figures, long nowMillis) {
        Map<String, String> labels = Map.of("agent", agent);
        text.gauge("farheap_agent_time_seconds", "When the agent told this, since 1970.");
        text.sample(labels, nowMillis / 1000.0);
        text.gauge("farheap_agent_start_time_seconds", "When the agent was started, since 1970.");
        text.sample(labels, startMillis / 1000.0);
        text.gauge(
                "farheap_agent_certificate_expiry_time_seconds",
                "When its certificate expires, or one between it and an authority, since 1970.");
        text.sample(labels, certificateExpiry.getEpochSecond());
        text.gauge("farheap_agent_sessions_open", "Sessions of initiators now.");
        text.sample(labels, figures.sessions());
        text.counter("farheap_agent_sessions_begun_total", "Sessions that have begun.");
        text.sample(labels, figures.sessionsBegun());
        text.counter(
                "farheap_agent_sessions_broken_total",
                "Sessions that ended without a word, by a fault, or for another initiator.");
        text.sample(labels, figures.sessionsBroken());
        text.counter(
                "farheap_agent_connections_refused_total",
                "Connections that said something and did not become a session or data.");
        text.sample(labels, figures.connectionsRefused());
    }

    private void replicas(List<Replica> replicas) {
        text.gauge("farheap_agent_replica_held", "Whether an initiator has the replica.");
        replicas.forEach(each -> text.sample(labels(each), each.held() ? 1 : 0));
        text.gauge(
                "farheap_agent_replica_insync",
                "Whether its state is INSYNC: it was brought up to date and is a replica.");
        for (Replica each : replicas) {
            each.figures()
                    .ifPresent(
                            figures -> {
                                Map<String, String> labels = labels(each);
                                labels.put("state", figures.state().name());
                                text.sample(labels, figures.state() == ReplicaState.INSYNC ? 1 : 0);
                            });
        }
        text.gauge("farheap_agent_replica_epoch", "The number of the pool that it has.");
        for (Replica each : replicas) {
            each.figures().ifPresent(figures -> text.sample(labels(each), figures.epoch()));
        }
        text.counter(
                "farheap_agent_replica_records_total",
                "Records of its epoch that are durable in its journal or its files.");
        progress(replicas, Progress::received);
        text.counter("farheap_agent_replica_bytes_total", "The bytes of these records.");
        progress(replicas, Progress::receivedBytes);
        text.gauge(
                "farheap_copy_unapplied_records",
                "Records in the replica's journal that are not in its files yet.");
        progress(replicas, Progress::unapplied);
        text.gauge("farheap_agent_replica_journal_bytes", "The room of its journal.");
        progress(replicas, Progress::journalBytes);
        text.gauge(
                "farheap_agent_replica_journal_used_bytes",
                "The room that records have which are not in its files yet.");
        progress(replicas, Progress::usedBytes);
    }

    private void progress(List<Replica> replicas, ToDoubleFunction<Progress> value) {
        for (Replica each : replicas) {
            each.figures()
                    .flatMap(ReplicaFigures::progress)
                    .ifPresent(
                            progress -> text.sample(labels(each), value.applyAsDouble(progress)));
        }
    }

    /** The agent's, and those that {@code farheap status} gives the same replica. */
    private Map<String, String> labels(Replica replica) {
        Map<String, String> labels = new LinkedHashMap<>();
        labels.put("agent", agent);
        labels.put("poolset", replica.poolset().toString());
        labels.put("replica", "0");
        labels.put("host", "");
        labels.put("name", replica.part().toString());
        return labels;
    }
}
