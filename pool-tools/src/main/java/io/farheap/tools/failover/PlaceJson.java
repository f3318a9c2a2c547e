package io.farheap.tools.failover;

import io.farheap.tools.placement.Machine;
import io.farheap.tools.placement.MoveStep;
import io.farheap.tools.placement.NewPool;
import io.farheap.tools.placement.PlacementRules;
import io.farheap.tools.placement.PoolMove;
import io.farheap.tools.report.Output;
import io.farheap.tools.report.Report;
import java.util.List;
import java.util.Map;

/** Where copies go, for a program. */
final class PlaceJson {
    private final Output output;
    private final PlacementRules rules;

    PlaceJson(Output output, PlacementRules rules) {
        this.output = output;
        this.rules = rules;
    }

    void printNew(List<NewPool> pools) {
        try (Report report = output.report()) {
            report.beginList("pools");
            for (NewPool pool : pools) {
                report.item(pool.pool());
                report.line("pool", pool.pool());
                report.line("writer", pool.machines().get(0).node());
                machines(report, "copies", pool.pool(), pool.machines(), true);
                reasons(report, "left out", pool.leftOut());
                report.end();
            }
            report.end();
        }
    }

    /**
     * @param leftOut machines that take no new copy
     */
    void printMoves(List<PoolMove> moves, Map<String, String> leftOut) {
        try (Report report = output.report()) {
            reasons(report, "left out", leftOut);
            report.beginList("pools");
            for (PoolMove move : moves) {
                report.item(move.pool());
                report.line("pool", move.pool());
                report.line("writer", move.writer());
                report.line("no proposal", move.noProposal().isEmpty() ? null : move.noProposal());
                machines(report, "comes", move.pool(), move.comes(), false);
                reasons(report, "leaves", move.leaves());
                report.beginList("steps");
                move.steps().forEach(step -> print(report, step));
                report.end();
                report.end();
            }
            report.end();
        }
    }

    private static void print(Report report, MoveStep step) {
        report.item(step.action().name());
        report.line("action", step.action().name());
        report.line("node", step.node().isEmpty() ? null : step.node());
        report.line("what", step.what());
        report.line("lines", step.lines(), String.join("; ", step.lines()));
        report.line("command", step.command().isEmpty() ? null : step.command());
        report.end();
    }

    /**
     * @param isNew the size was said; that of a pool that is there tells its poolset file alone
     */
    private void machines(
            Report report, String title, String pool, List<Machine> machines, boolean isNew) {
        report.beginList(title);
        for (Machine machine : machines) {
            report.item(machine.node());
            report.line("node", machine.node());
            report.line("room", machine.room());
            if (isNew) {
                report.line("part line", machine.partLine(pool, rules.size()));
            } else {
                report.line("part file", machine.partFile(pool));
            }
            report.line("copy file", machine.copyFile(pool));
            report.line("replica line", machine.replicaLine(pool));
            report.end();
        }
        report.end();
    }

    private static void reasons(Report report, String title, Map<String, String> reasons) {
        report.beginList(title);
        reasons.forEach(
                (node, why) -> {
                    report.item(node);
                    report.line("node", node);
                    report.line("why", why);
                    report.end();
                });
        report.end();
    }
}
