package io.farheap.tools.failover;

import io.farheap.availability.DiscardedCopy;
import io.farheap.availability.RecordRepair;
import io.farheap.availability.Repair;
import io.farheap.tools.destruction.Destruction;
import io.farheap.tools.report.Output;
import io.farheap.tools.report.Report;
import java.io.IOException;

/** Shows what is there, asks, and does it. */
final class RepairRun {
    private final RecordRepair repair;
    private final Destruction consent;
    private final Output output;

    RepairRun(RecordRepair repair, Destruction consent, Output output) {
        this.repair = repair;
        this.consent = consent;
        this.output = output;
    }

    /**
     * @param deed as the question says it
     */
    void run(Repair plan, String deed) throws IOException {
        output.say("record: " + plan.found());
        plan.copies().forEach((node, holds) -> output.say("copy of " + node + ": " + holds));
        plan.losses().forEach(loss -> output.say("may be lost: " + loss));
        if (plan.isNeeded()) {
            output.say("new record: " + plan.record());
            consent.agree(deed, "this decides which commits the pool has");
        }
        repair.carryOut(plan);
        output.say(plan.isNeeded() ? "recorded: " + plan.record() : "nothing is to be written");
        if (output.isJson()) {
            print(plan);
        }
    }

    private void print(Repair plan) {
        try (Report report = output.report()) {
            report.line("found", plan.found());
            report.line("record", plan.record());
            report.line("changed", plan.isNeeded());
            report.beginList("copies");
            plan.copies()
                    .forEach(
                            (node, holds) -> {
                                report.item(node);
                                report.line("node", node);
                                report.line("holds", holds);
                                report.end();
                            });
            report.end();
            report.line("may be lost", plan.losses());
        }
    }

    /**
     * @param named by the person: the uuid of the copy
     */
    void discard(String named) throws IOException {
        DiscardedCopy copy = repair.apart();
        String node = copy.node();
        output.say("copy of " + node + ", set apart in term " + copy.term() + ": " + copy.holds());
        copy.requireMayGo(named);
        consent.agree("give up the copy of " + node, "this gives up the copy of " + node);
        repair.discard(copy, named);
        output.say("the copy of " + node + " is given up: the writer brings it up to date");
    }
}
