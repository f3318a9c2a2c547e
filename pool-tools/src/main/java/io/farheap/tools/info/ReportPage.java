package io.farheap.tools.info;

import io.farheap.tools.status.CopyStatus;
import io.farheap.tools.status.PoolStatus;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/** One self-contained page about a pool: what it is, its copies, and what lies in its heap. */
final class ReportPage {
    /** What every such page begins with. */
    static final String BEGIN = "<!DOCTYPE html>\n<!-- farheap report -->\n";

    private static final String STYLE =
            """
            :root { color-scheme: light dark; --ink: #1b1f24; --paper: #ffffff; --faint: #e6e9ed; --line: #c9ced6; }
            @media (prefers-color-scheme: dark) {
              :root { --ink: #e4e7eb; --paper: #16191d; --faint: #2a2f36; --line: #3b424b; }
            }
            body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
              max-width: 60em; margin: 2em auto; padding: 0 1em; }
            h1 { font-size: 1.5em; margin-bottom: 0; }
            h2 { font-size: 1.15em; margin-top: 2em; border-bottom: 1px solid var(--line); }
            dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.1em 1.5em; } dt { color: gray; }
            dd { margin: 0; }
            table { border-collapse: collapse; width: 100%; margin-top: 0.8em; }
            th { text-align: left; color: gray; font-weight: normal; }
            td, th { border-bottom: 1px solid var(--faint); padding: 0.2em 0.8em 0.2em 0; vertical-align: top;
              overflow-wrap: anywhere; }
            .figure { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
            .bar { height: 12px; background: var(--faint); border-radius: 3px; overflow: hidden; }
            .bar div { height: 12px; background: #2f6fb3; }
            .good { color: #1a7f4b; font-weight: bold; } .warning { color: #b26a00; font-weight: bold; }
            .bad { color: #c62828; font-weight: bold; }
            svg { width: 100%; height: auto; display: block; } svg text { font-size: 12px; fill: #ffffff; }
            .swatch { display: inline-block; width: 0.9em; height: 0.9em; margin-right: 0.3em; }
            rect.free { fill: var(--faint); } rect.large { fill: #1f4e8c; } rect.unread { fill: #c62828; }
            span.free { background: var(--faint); } span.large { background: #1f4e8c; }
            span.unread { background: #c62828; } span.run5 { background: #4aa37c; }
            .run0 { fill: #d7efe3; } .run1 { fill: #c0e4d2; } .run2 { fill: #a8d9c0; } .run3 { fill: #8fcbad; }
            .run4 { fill: #71ba97; } .run5 { fill: #4aa37c; }
            .run6 { fill: #379068; } .run7 { fill: #2a7c57; } .run8 { fill: #1e6746; } .run9 { fill: #135236; }
            rect.lag { fill: #2f6fb3; } rect.apart { fill: #c62828; opacity: 0.35; }
            svg#lag { background: var(--faint); }
            svg.types rect { stroke: var(--paper); } .type0 { fill: #2f6fb3; } .type1 { fill: #2a7c57; }
            .type2 { fill: #8a5a9e; } .type3 { fill: #b26a00; }
            .type4 { fill: #3d7f8c; } .type5 { fill: #a3483f; } .type6 { fill: #5b6b2f; } .type7 { fill: #5a6472; }
            """;

    private final Markup page = new Markup();

    /**
     * The whole page.
     *
     * @param facts labels and values, in turn
     * @param overTime writes what is known of earlier
     * @param heap writes what lies in it
     * @param noHeap why its heap is not shown; null: it is
     */
    String of(
            PoolStatus status,
            Instant now,
            List<String> facts,
            Runnable overTime,
            Runnable heap,
            String noHeap,
            Problems problems) {
        page.begin("html", "lang", "en").begin("head");
        page.begin("meta", "charset", "utf-8").end();
        page.begin("meta", "name", "viewport", "content", "width=device-width").end();
        page.element("title", "Farheap: " + status.poolset()).element("style", STYLE).end();
        page.newLine().begin("body").element("h1", status.poolset());
        page.element(
                        "p",
                        "as it was found at "
                                + now.truncatedTo(ChronoUnit.SECONDS)
                                + " by farheap report")
                .newLine();
        page.begin("dl");
        for (int i = 0; i < facts.size(); i += 2) {
            page.element("dt", facts.get(i)).element("dd", facts.get(i + 1)).newLine();
        }
        page.end();
        copies(status);
        overTime.run();
        if (noHeap == null) {
            heap.run();
        } else {
            page.element("h2", "Heap").element("p", noHeap, "id", "no-heap").newLine();
        }
        problems(problems.sentences());
        page.end().end();
        return BEGIN + page + "\n";
    }

    Markup markup() {
        return page;
    }

    private void copies(PoolStatus status) {
        page.element("h2", "Copies");
        if (status.lacking() != null) {
            page.element("p", status.lacking(), "class", "warning");
        }
        if (status.notClosed() != null) {
            page.element("p", "It was not closed: " + status.notClosed(), "class", "warning");
        }
        page.begin("table", "id", "copies").begin("tr");
        for (String title : List.of("replica", "where", "verdict", "lacks", "next step")) {
            page.element("th", title);
        }
        page.end().newLine();
        status.replicas().forEach(this::copy);
        page.end().newLine();
        if (status.replicas().stream().anyMatch(copy -> !copy.host().isEmpty())) {
            page.element("p", comparison(status), "id", "compared").newLine();
        }
    }

    private static String comparison(PoolStatus status) {
        String verify = "farheap verify " + status.poolset() + " compares all copies.";
        if (status.compared() != null) {
            return "The program that has the pool open ended its last comparison of all remote"
                    + " replicas with the pool at "
                    + status.compared()
                    + ".";
        }
        return status.openIn() == null
                ? "When their bytes were compared last is not known. " + verify
                : "The program that has the pool open tells of no comparison of all remote"
                        + " replicas, so far. Once it is closed, "
                        + verify;
    }

    private void copy(CopyStatus copy) {
        page.begin("tr").element("td", Integer.toString(copy.replica()));
        page.element("td", (copy.host().isEmpty() ? "" : copy.host() + " ") + copy.name());
        page.begin("td");
        page.element("span", copy.verdict().word(), "class", tone(copy));
        page.text(": " + copy.explanation()).end();
        page.element("td", lack(copy));
        page.element("td", copy.nextStep().isEmpty() ? "none" : copy.nextStep()).end().newLine();
    }

    private static String tone(CopyStatus copy) {
        return switch (copy.verdict().tone()) {
            case GOOD -> "good";
            case WARNING -> "warning";
            case BAD -> "bad";
        };
    }

    private static String lack(CopyStatus copy) {
        if (copy.program() != null && copy.program().lagBytes() != null) {
            return Units.bytes(copy.program().lagBytes());
        }
        if (copy.dirtyMapBytes() != null && copy.dirtyMapBytes() >= 0) {
            return "at most " + Units.bytes(copy.dirtyMapBytes());
        }
        return copy.verdict().isGood() ? "nothing" : "not known";
    }

    private void problems(List<String> sentences) {
        if (!sentences.isEmpty()) {
            page.element("h2", "What could not be read, or is not as it should be");
            page.begin("ul", "id", "problems");
            sentences.forEach(sentence -> page.element("li", sentence));
            page.end().newLine();
        }
    }
}
