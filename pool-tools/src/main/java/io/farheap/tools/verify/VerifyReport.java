package io.farheap.tools.verify;

import io.farheap.tools.report.Output;
import io.farheap.tools.verify.CopyResult.Difference;
import java.io.PrintWriter;

/** A result for people. */
public final class VerifyReport {
    private static final int MOST_PLACES = 20;

    private final Output output;
    private final PrintWriter out;

    public VerifyReport(Output output) {
        this.output = output;
        this.out = output.writer();
    }

    public void print(VerifyResult result) {
        result.copies().forEach(this::print);
        boolean compared = result.comparedBytes() > 0 && result.copies().size() > 1;
        if (compared && !result.freeMemoryKnown()) {
            out.println("no local copy can be opened: free memory was compared, too");
        }
        out.println("verdict: " + result.verdict());
        if (!result.nextStep().isEmpty()) {
            out.println("next step: " + result.nextStep());
        }
        out.flush();
    }

    private void print(CopyResult copy) {
        out.println(
                "replica "
                        + copy.replica()
                        + ", "
                        + (copy.host().isEmpty() ? "here" : copy.host())
                        + ", "
                        + copy.name()
                        + ": "
                        + output.toned(copy.finding().tone(), copy.finding().word())
                        + numbers(copy)
                        + (copy.explanation() == null ? "" : ": " + copy.explanation()));
        if (copy.differences() != null) {
            copy.differences().stream().limit(MOST_PLACES).forEach(this::print);
            if (copy.differingPlaces() > MOST_PLACES) {
                out.println(
                        "  and " + (copy.differingPlaces() - MOST_PLACES) + " more: see --json");
            }
        }
    }

    private static String numbers(CopyResult copy) {
        StringBuilder text = new StringBuilder();
        if (copy.reference()) {
            text.append(" (the others were compared with it)");
        }
        if (copy.differingPlaces() != null && copy.differingPlaces() > 0) {
            text.append(", differs in ")
                    .append(copy.differingPlaces())
                    .append(copy.differingPlaces() == 1 ? " place, " : " places, ")
                    .append(copy.differingBytes())
                    .append(" bytes");
        }
        if (copy.differingPages() != null) {
            text.append(", differs in ").append(copy.differingPages()).append(" pages of 4 KiB");
        }
        if (copy.unsettledBytes() != null) {
            text.append(", and ")
                    .append(copy.unsettledBytes())
                    .append(" bytes that the next opening settles");
        }
        return text.toString();
    }

    private void print(Difference place) {
        out.println(
                "  image offset "
                        + place.offset()
                        + ", "
                        + place.length()
                        + " bytes: "
                        + (place.meaning() == null ? "not known what lies there" : place.meaning())
                        + (place.file() == null
                                ? ""
                                : " (" + place.file() + " at " + place.fileOffset() + ")"));
    }
}
