package io.farheap.tools;

import java.io.PrintWriter;

/** Lines of {@code label : value}, grouped under titles, as {@code pmempool info} has them. */
final class Report {
    private final PrintWriter out;
    private boolean first = true;

    Report(PrintWriter out) {
        this.out = out;
    }

    void title(String title) {
        if (!first) {
            out.println();
        }
        first = false;
        out.println(title + ":");
    }

    void line(String label, Object value) {
        out.printf("%-25s: %s%n", label, value);
    }

    static String hex(long value) {
        return "0x" + Long.toHexString(value);
    }
}
