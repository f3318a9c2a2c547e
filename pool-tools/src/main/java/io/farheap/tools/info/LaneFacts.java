package io.farheap.tools.info;

import io.farheap.base.FarheapException;
import io.farheap.layout.LaneLayout;
import io.farheap.tools.report.Report;
import io.farheap.ulog.LaneArea;
import io.farheap.ulog.LaneInspection;
import io.farheap.ulog.LogState;
import java.util.List;

/** Lanes, their logs and what recovery would apply. */
final class LaneFacts {
    private final Report report;
    private final InfoOptions options;
    private final Problems problems;

    LaneFacts(Report report, InfoOptions options, Problems problems) {
        this.report = report;
        this.options = options;
        this.problems = problems;
    }

    void lanes(LaneArea area) {
        LaneInspection lanes = new LaneInspection(area);
        report.beginList("Lanes");
        for (int lane = 0; lane < area.count(); lane++) {
            if (options.lanes.contains(lane)) {
                lane(lanes, lane);
            }
        }
        report.end();
    }

    private void lane(LaneInspection lanes, int lane) {
        List<LogState> logs;
        try {
            logs = lanes.logs(lane);
        } catch (FarheapException e) {
            problems.add(e.getMessage());
            report.item("Lane " + lane);
            report.hidden("lane", lane);
            report.line("damaged", e.getMessage());
            report.end();
            return;
        }
        logs.forEach(log -> requireCapacity(lane, log));
        boolean pending = logs.stream().anyMatch(LogState::needsRecovery);
        if (options.recovery && !pending) {
            return;
        }
        report.item("Lane " + lane);
        report.hidden("lane", lane);
        report.line("Needs recovery", pending, pending ? "yes" : "no");
        logs.forEach(this::log);
        report.end();
    }

    /** Whoever has used a redo log leaves other numbers there, and never in an undo log. */
    private void requireCapacity(int lane, LogState log) {
        if (log.kind() == LogState.Kind.UNDO && log.capacity() != LaneLayout.UNDO_CAPACITY) {
            problems.add(
                    title(log.kind())
                            + " of lane "
                            + lane
                            + " has a capacity of "
                            + log.capacity());
        }
    }

    private void log(LogState log) {
        report.begin(title(log.kind()));
        report.hex("Offset", log.offset());
        report.hex("Checksum", log.checksum());
        report.line("Capacity", log.capacity());
        report.line("Generation", Long.toUnsignedString(log.genNum()));
        report.hex("Flags", log.flags());
        if (!log.extensions().isEmpty()) {
            List<String> extensions = log.extensions().stream().map(Report::hex).toList();
            report.line("Extensions", extensions, String.join(" ", extensions));
        }
        report.rows("Log entries", log.entries().stream().map(LaneFacts::text).toList());
        report.end();
    }

    private static String title(LogState.Kind kind) {
        return switch (kind) {
            case INTERNAL -> "Internal Redo Log";
            case EXTERNAL -> "External Redo Log";
            case UNDO -> "Undo Log";
        };
    }

    private static String text(LogState.Entry entry) {
        boolean word = !entry.operation().startsWith("BUF");
        return entry.operation()
                + " Offset: "
                + String.format("0x%016x", entry.target())
                + (word ? " Value: " + Report.hex(entry.value()) : " Size: " + entry.length());
    }
}
