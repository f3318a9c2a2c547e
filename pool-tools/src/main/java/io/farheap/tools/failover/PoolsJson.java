package io.farheap.tools.failover;

import io.farheap.availability.CataloguedPool;
import io.farheap.tools.report.Output;
import io.farheap.tools.report.Report;
import java.util.List;

/** The catalogue for a program: null is what is not known. */
final class PoolsJson {
    private PoolsJson() {}

    static void print(Output output, List<CataloguedPool> shown, int all, int concerned) {
        try (Report report = output.report()) {
            report.line("pools in store", all);
            report.line("pools wanting attention", concerned);
            report.beginList("pools");
            for (CataloguedPool pool : shown) {
                report.item(pool.pool());
                print(report, pool);
                report.end();
            }
            report.end();
        }
    }

    private static void print(Report report, CataloguedPool pool) {
        boolean record = !pool.unreadable().containsKey("record");
        boolean lead = !pool.unreadable().containsKey("lead");
        boolean order = !pool.unreadable().containsKey("order");
        report.line("cluster", pool.cluster());
        report.line("pool", pool.pool());
        report.line("term", record ? pool.term() : null);
        report.line("writer", record ? pool.writer() : null);
        report.line("set", record ? pool.set() : null);
        report.line("leader", lead ? pool.leader() : null);
        report.line("leader term", lead ? pool.leaderTerm() : null);
        report.line("endpoint", lead ? pool.endpoint() : null);
        report.line("since", pool.since().map(Object::toString).orElse(null));
        report.line("nodes", pool.nodes().isEmpty() ? null : pool.nodes());
        report.line("min copies", pool.minCopies() == 0 ? null : pool.minCopies());
        report.line("degraded", pool.degraded().orElse(null));
        report.line("waiting", pool.waiting());
        report.line("paused", order ? pool.paused() : null);
        report.line("ordered", order ? pool.ordered() : null);
        report.line("attention", pool.attention());
    }
}
