package io.farheap.simulation;

import io.farheap.simulation.engine.Trace;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Runs one history and tells of it in strings: its classes are not those of who asks. */
final class HistoryReport {
    private HistoryReport() {}

    /** What can be run once. */
    interface Run {
        void run();

        /** Gives back what it used, whatever became of it. */
        void end();

        String summary();
    }

    /**
     * The failure of a history or nothing, its summary, the hash of its trace, what happened how
     * often, and the notes.
     */
    static List<String> of(Run history, Trace trace) {
        String failure = "";
        try {
            history.run();
        } catch (RuntimeException | Error e) {
            StringWriter text = new StringWriter();
            e.printStackTrace(new PrintWriter(text));
            failure = text.toString();
        } finally {
            history.end();
        }
        List<String> result = new ArrayList<>();
        result.add(failure);
        result.add(history.summary());
        result.add(Long.toHexString(trace.hash()));
        result.add(
                trace.counts().entrySet().stream()
                        .map(each -> each.getKey() + "=" + each.getValue())
                        .collect(Collectors.joining(" ")));
        result.addAll(trace.notes());
        return result;
    }
}
