package io.farheap.tools.info;

import io.farheap.tools.top.RateLog.Look;
import java.nio.file.Path;
import java.time.Duration;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** How far the replicas were behind over time, as lines of {@code farheap top} say. */
final class LagSection {
    private static final int MOST_COLUMNS = 300;
    private static final int WIDTH = 900;
    private static final int HEIGHT = 120;

    private final Markup page;
    private final Path log;
    private final List<Look> looks;

    /**
     * @param log where the lines were
     * @param looks at least one
     */
    LagSection(Markup page, Path log, List<Look> looks) {
        this.page = page;
        this.log = log;
        this.looks = looks;
    }

    /** Consecutive looks that have one place in the picture. */
    private record Column(List<Look> looks) {
        long mostLag() {
            return looks.stream().mapToLong(LagSection::lag).max().orElse(0);
        }

        boolean isWhole() {
            return looks.stream().allMatch(LagSection::isWhole);
        }

        String times() {
            Look first = looks.get(0);
            Look last = looks.get(looks.size() - 1);
            return first == last ? time(first) : time(first) + " to " + time(last);
        }
    }

    void write() {
        page.element("h2", "Replicas over time");
        page.element("p", "By " + log + ", which must be of this pool.", "id", "lag-log").newLine();
        if (looks.stream().allMatch(look -> look.copies() == 0)) {
            page.element("p", "The pool had no remote replicas then.", "id", "no-lag").newLine();
            return;
        }
        page.element(
                        "p",
                        "What they lacked together, as farheap top has seen it. Red: one was not"
                                + " attached, or what it lacked was not known.")
                .newLine();
        picture();
        figures();
    }

    private static long lag(Look look) {
        return look.lagBytes().orElse(0);
    }

    private static boolean isWhole(Look look) {
        return look.copies() == 0
                || look.attached() == look.copies() && look.lagBytes().isPresent();
    }

    private static String time(Look look) {
        return look.time().format(DateTimeFormatter.ISO_LOCAL_TIME);
    }

    private List<Column> columns() {
        int each = Math.ceilDiv(looks.size(), MOST_COLUMNS);
        List<Column> columns = new ArrayList<>();
        for (int from = 0; from < looks.size(); from += each) {
            columns.add(new Column(looks.subList(from, Math.min(from + each, looks.size()))));
        }
        return columns;
    }

    private void picture() {
        List<Column> columns = columns();
        long most = Math.max(1, looks.stream().mapToLong(LagSection::lag).max().orElse(1));
        double width = (double) WIDTH / columns.size();
        page.begin(
                "svg",
                "id",
                "lag",
                "role",
                "img",
                "aria-label",
                "bytes that replicas lacked, over time",
                "viewBox",
                "0 0 " + WIDTH + " " + HEIGHT);
        for (int i = 0; i < columns.size(); i++) {
            Column column = columns.get(i);
            page.begin("g").element("title", column.times() + ": " + meaning(column));
            if (!column.isWhole()) {
                bar(i * width, width, HEIGHT, "apart");
            }
            bar(i * width, width, HEIGHT * (double) column.mostLag() / most, "lag");
            page.end();
        }
        page.end().newLine();
    }

    private static String meaning(Column column) {
        return Units.bytes(column.mostLag()) + (column.isWhole() ? "" : ", one was not attached");
    }

    private void bar(double x, double width, double height, String kind) {
        page.begin(
                        "rect",
                        "x",
                        number(x),
                        "y",
                        number(HEIGHT - height),
                        "width",
                        number(width),
                        "height",
                        number(height),
                        "class",
                        kind)
                .end();
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.2f", value);
    }

    private void figures() {
        Look worst = looks.stream().max(Comparator.comparingLong(LagSection::lag)).orElseThrow();
        long whole = looks.stream().filter(LagSection::isWhole).count();
        double commits = looks.stream().mapToDouble(Look::commitsPerSecond).average().orElseThrow();
        page.begin("dl").newLine();
        figure(
                "lag-looks",
                "looks",
                Units.count(looks.size())
                        + ", "
                        + time(looks.get(0))
                        + " to "
                        + time(looks.get(looks.size() - 1))
                        + days());
        figure("lag-most", "most bytes lacked", Units.bytes(lag(worst)) + " at " + time(worst));
        figure(
                "lag-whole",
                "looks with all replicas attached",
                Units.count(whole) + ", " + Units.share(whole, looks.size()));
        figure("lag-commits", "commits per second", Units.count(Math.round(commits)));
        page.end().newLine();
    }

    /** The lines have times and no dates. */
    private String days() {
        long nights = 0;
        for (int i = 1; i < looks.size(); i++) {
            Duration step = Duration.between(looks.get(i - 1).time(), looks.get(i).time());
            nights += step.isNegative() ? 1 : 0;
        }
        return nights == 0 ? "" : ", past midnight " + nights + (nights == 1 ? " time" : " times");
    }

    private void figure(String id, String label, String value) {
        page.element("dt", label).element("dd", value, "id", id).newLine();
    }
}
