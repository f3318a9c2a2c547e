package io.farheap.tools.info;

import io.farheap.objects.type.UnreachableObjects;
import java.util.List;

/** The typed objects that a pool's root does not reach. */
final class UnreachableSection {
    private final Markup page;

    UnreachableSection(Markup page) {
        this.page = page;
    }

    /**
     * @param found what a dry run of reclaim finds
     */
    void write(List<UnreachableObjects> found, String poolset) {
        title();
        if (found.isEmpty()) {
            page.element("p", "There are none: the root reaches all.", "id", "all-reached")
                    .newLine();
            return;
        }
        page.begin("table", "id", "unreachable").begin("tr");
        page.element("th", "type").element("th", "objects", "class", "figure");
        page.element("th", "bytes", "class", "figure").end().newLine();
        for (UnreachableObjects each : found) {
            page.begin("tr").element("td", each.type());
            page.element("td", Units.count(each.objects()), "class", "figure");
            page.element("td", Units.bytes(each.bytes()), "class", "figure").end().newLine();
        }
        page.end();
        page.element("p", "The program leaves them, or farheap reclaim " + poolset + " frees them.")
                .newLine();
    }

    /** Where nobody has looked for them. */
    void writeUnknown(String poolset) {
        title();
        page.element(
                        "p",
                        "Not looked for: that needs a pool that is closed. farheap reclaim -d "
                                + poolset
                                + " finds them then, and PersistentHeap.unreachable in the program.",
                        "id",
                        "not-looked-for")
                .newLine();
    }

    private void title() {
        page.element("h2", "Objects that the root does not reach");
    }
}
