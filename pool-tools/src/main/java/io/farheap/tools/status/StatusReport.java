package io.farheap.tools.status;

import io.farheap.tools.report.Output;
import java.time.Duration;

/** Prints a status for a person: {@code label : value}, a block for each copy. */
final class StatusReport {
    private final Output output;

    StatusReport(Output output) {
        this.output = output;
    }

    void print(PoolStatus status) {
        line("poolset", status.poolset());
        if (status.number() != null) {
            line("number", status.number());
        }
        line("open in", openIn(status));
        long good = status.replicas().stream().filter(CopyStatus::isGood).count();
        line("copies", status.replicas().size() + ", " + good + " without a fault");
        if (status.notClosed() != null) {
            line("not closed", status.notClosed());
        }
        if (status.compared() != null) {
            line("compared", "all remote replicas, by that process, at " + status.compared());
        }
        if (status.lacking() != null) {
            line("lacking", status.lacking());
        }
        line(
                "looked at",
                "headers and numbers; at what is behind them: farheap check, farheap verify");
        status.replicas().forEach(this::print);
        output.writer().flush();
    }

    private static String openIn(PoolStatus status) {
        if (status.openIn() != null) {
            return "process " + status.openIn();
        }
        return status.openInUnknown() == null
                ? "no process"
                : "not to be found out: " + status.openInUnknown();
    }

    private void print(CopyStatus copy) {
        output.writer().println();
        line("replica " + copy.replica(), where(copy));
        line(
                "verdict",
                output.toned(copy.verdict().tone(), copy.verdict().word())
                        + ": "
                        + copy.explanation());
        if (copy.number() != null) {
            line("number", copy.number());
        }
        if (copy.slot() != null) {
            print(copy.slot());
        }
        if (copy.heldBy() != null) {
            line("held by", copy.heldBy());
        }
        if (copy.program() != null) {
            print(copy.program());
        }
        if (copy.dirtyMapBytes() != null) {
            line(
                    "dirty map",
                    copy.dirtyMapBytes() < 0
                            ? "there is one, and it does not go with the pool's number"
                            : "at most " + copy.dirtyMapBytes() + " bytes differ");
        }
        line("next step", copy.nextStep().isEmpty() ? "none" : copy.nextStep());
    }

    private static String where(CopyStatus copy) {
        return copy.host().isEmpty() ? copy.name() : copy.host() + " " + copy.name();
    }

    private void print(CopyStatus.Slot slot) {
        line("state", slot.state());
        line(
                "number",
                slot.number()
                        + (slot.preparedFor() == null
                                ? ""
                                : ", prepared for " + slot.preparedFor()));
        if (slot.since() != null) {
            line(
                    "since",
                    slot.since() + ", last written " + slot.written() + ", by the target's clock");
        }
        line("records", "received up to " + slot.received() + ", applied up to " + slot.applied());
    }

    private void print(CopyStatus.Program program) {
        line(
                "program says",
                program.state()
                        + " since "
                        + program.since()
                        + ", policy "
                        + program.policy()
                        + ": "
                        + program.reason());
        if (program.lagMillis() > 0 || program.lagBytes() == null || program.lagBytes() > 0) {
            line(
                    "lag",
                    (program.lagBytes() == null ? "unknown" : program.lagBytes())
                            + " bytes, "
                            + text(Duration.ofMillis(program.lagMillis())));
        }
    }

    private static String text(Duration lag) {
        return lag.toSeconds() + "." + lag.toMillisPart() / 100 + " s";
    }

    private void line(String label, Object value) {
        output.writer().printf("%-12s: %s%n", label, value);
    }
}
