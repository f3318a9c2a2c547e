package io.farheap.tools.report;

import java.io.PrintWriter;
import java.util.List;

/** Lines of {@code label : value}, grouped under titles, as {@code pmempool info} has them. */
final class TextReport implements Report {
    private static final int LABEL_WIDTH = 25;

    private final PrintWriter out;
    private int depth;
    private boolean first = true;

    TextReport(PrintWriter out) {
        this.out = out;
    }

    @Override
    public void begin(String title) {
        title(title);
        depth++;
    }

    @Override
    public void beginList(String title) {
        begin(title);
    }

    @Override
    public void item(String title) {
        begin(title);
    }

    @Override
    public void end() {
        depth--;
    }

    private void title(String title) {
        if (!first) {
            out.println();
        }
        first = false;
        out.println(indent() + title + ":");
    }

    private String indent() {
        return " ".repeat(depth);
    }

    /** Facts stand as far to the left as their group's title. */
    @Override
    public void line(String label, Object value, String text) {
        first = false;
        String indent = " ".repeat(Math.max(0, depth - 1));
        out.println(
                indent
                        + label
                        + " ".repeat(Math.max(0, LABEL_WIDTH - label.length()))
                        + ": "
                        + text);
    }

    @Override
    public void hidden(String label, Object value) {
        // The title says it.
    }

    @Override
    public void rows(String title, List<String> rows) {
        if (rows.isEmpty()) {
            return;
        }
        title(title);
        rows.forEach(row -> out.println(indent() + row));
    }

    @Override
    public void close() {
        out.flush();
    }
}
