package io.farheap.tools.info;

import io.farheap.heap.HeapWalk.BlockType;
import io.farheap.heap.HeapWalk.Zone;
import io.farheap.objects.type.TypeNames;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The parts of a page that show a heap: figures, map, objects by type, units by size. */
final class HeapSections {
    private static final int CELLS_IN_ROW = 64;
    private static final int CELL = 14;
    private static final double AREA_WIDTH = 900;
    private static final double AREA_HEIGHT = 320;
    private static final int MOST_AREAS = 60;

    /** Below these a piece has no room for its name. */
    private static final double NAMED_WIDTH = 70;

    private static final double NAMED_HEIGHT = 18;
    private static final double LETTER = 7;

    private final Markup page;
    private final HeapSurvey survey;
    private final TypeNames names;

    HeapSections(Markup page, HeapSurvey survey, TypeNames names) {
        this.page = page;
        this.survey = survey;
        this.names = names;
    }

    void write() {
        figures();
        map();
        types();
        classes();
    }

    private Tally tally() {
        return survey.tally();
    }

    private void figures() {
        Tally tally = tally();
        long all = tally.totalBytes() + survey.untouchedBytes();
        long free = all - tally.usedBytes();
        page.element("h2", "Heap").begin("dl").newLine();
        figure("heap-bytes", "size", Units.bytes(all));
        figure(
                "used-bytes",
                "in use",
                Units.bytes(tally.usedBytes()) + ", " + Units.share(tally.usedBytes(), all));
        figure("objects", "objects", Units.count(tally.objects.count));
        figure("object-bytes", "their bytes, with headers", Units.bytes(tally.objects.bytes));
        figure("largest-free", "largest free block", Units.bytes(tally.biggestFreeBlock()));
        figure(
                "fragmentation",
                "free bytes that are not in it",
                Units.share(free - Math.min(free, tally.biggestFreeBlock()), free));
        page.end().newLine();
        page.begin("div", "class", "bar").begin("div", "style", width(tally.usedBytes(), all));
        page.text(" ").end().end().newLine();
    }

    private static String width(long part, long all) {
        return String.format(Locale.ROOT, "width:%.2f%%", all == 0 ? 0 : 100.0 * part / all);
    }

    private void figure(String id, String label, String value) {
        page.element("dt", label).element("dd", value, "id", id).newLine();
    }

    // ---- the map ----

    private void map() {
        page.element("h2", "Heap map");
        page.begin("p").text("One cell stands for one chunk of 256 KiB, or for several: ");
        swatch("free", "free");
        swatch("large", "one large object");
        swatch("run5", "units, the darker the fuller");
        swatch("unread", "can't be read");
        page.end().newLine();
        survey.zones().forEach(this::zone);
    }

    private void swatch(String kind, String meaning) {
        page.begin("span", "class", "swatch " + kind).text(" ").end();
        page.element("span", meaning + "  ");
    }

    private void zone(ZoneCells cells) {
        Zone zone = cells.zone();
        if (!zone.initialised()) {
            page.element(
                            "p",
                            "zone "
                                    + zone.index()
                                    + ": "
                                    + zone.possibleChunks()
                                    + " chunks, none was ever used")
                    .newLine();
            return;
        }
        page.element(
                "p",
                "zone "
                        + zone.index()
                        + ": "
                        + zone.chunks()
                        + " chunks"
                        + (cells.chunksPerCell() == 1
                                ? ""
                                : ", " + cells.chunksPerCell() + " to a cell"));
        int rows = Math.ceilDiv(cells.count(), CELLS_IN_ROW);
        page.begin(
                "svg",
                "class",
                "map",
                "role",
                "img",
                "aria-label",
                "map of zone " + zone.index(),
                "viewBox",
                "0 0 " + CELLS_IN_ROW * CELL + " " + rows * CELL);
        for (int cell = 0; cell < cells.count(); cell++) {
            page.begin(
                            "rect",
                            "x",
                            cell % CELLS_IN_ROW * CELL,
                            "y",
                            cell / CELLS_IN_ROW * CELL,
                            "width",
                            CELL - 1,
                            "height",
                            CELL - 1,
                            "class",
                            kind(cells, cell))
                    .element("title", meaning(cells, cell))
                    .end();
        }
        page.end().newLine();
    }

    private static String kind(ZoneCells cells, int cell) {
        if (!cells.isKnown(cell)) {
            return "unread";
        }
        if (!cells.hasRuns(cell) && cells.share(cell) == 0) {
            return "free";
        }
        if (!cells.hasRuns(cell) && cells.share(cell) == 1) {
            return "large";
        }
        return "run" + (int) Math.ceil(cells.share(cell) * 9);
    }

    private static String meaning(ZoneCells cells, int cell) {
        int first = cell * cells.chunksPerCell();
        int last = Math.min(first + cells.chunksPerCell(), cells.zone().chunks()) - 1;
        String chunks = first == last ? "chunk " + first : "chunks " + first + " to " + last;
        return cells.isKnown(cell)
                ? chunks + ": " + Math.round(100 * cells.share(cell)) + " % in use"
                : chunks + ": can't be read";
    }

    // ---- objects ----

    private void types() {
        page.element("h2", "Objects by type");
        List<Map.Entry<Long, Tally.Sum>> types =
                tally().byType.entrySet().stream()
                        .sorted((a, b) -> Long.compare(b.getValue().bytes, a.getValue().bytes))
                        .toList();
        if (types.isEmpty()) {
            page.element("p", "There are none.").newLine();
            return;
        }
        areas(types.subList(0, Math.min(MOST_AREAS, types.size())));
        page.begin("table", "id", "types");
        row("th", "type", "objects", "", "bytes", "");
        for (var type : types) {
            Tally.Sum sum = type.getValue();
            row(
                    "td",
                    name(type.getKey()),
                    Units.count(sum.count),
                    Units.share(sum.count, tally().objects.count),
                    Units.bytes(sum.bytes),
                    Units.share(sum.bytes, tally().objects.bytes));
        }
        page.end().newLine();
    }

    private String name(long type) {
        String name = names.of(type);
        String number = Long.toUnsignedString(type);
        return name == null ? "type " + number : name;
    }

    private void areas(List<Map.Entry<Long, Tally.Sum>> types) {
        List<Areas.Area> areas =
                Areas.of(
                        types.stream().map(type -> type.getValue().bytes).toList(),
                        AREA_WIDTH,
                        AREA_HEIGHT);
        page.begin(
                "svg",
                "class",
                "types",
                "role",
                "img",
                "aria-label",
                "bytes by type",
                "viewBox",
                "0 0 " + (int) AREA_WIDTH + " " + (int) AREA_HEIGHT);
        for (int i = 0; i < areas.size(); i++) {
            area(areas.get(i), i, types.get(i));
        }
        page.end().newLine();
    }

    private void area(Areas.Area area, int index, Map.Entry<Long, Tally.Sum> type) {
        String name = name(type.getKey());
        page.begin("g").element("title", name + ": " + Units.bytes(type.getValue().bytes));
        page.begin(
                        "rect",
                        "x",
                        number(area.x()),
                        "y",
                        number(area.y()),
                        "width",
                        number(area.width()),
                        "height",
                        number(area.height()),
                        "class",
                        "type" + index % 8)
                .end();
        if (area.width() > NAMED_WIDTH && area.height() > NAMED_HEIGHT) {
            int room = (int) ((area.width() - 8) / LETTER);
            String shown = name.length() <= room ? name : name.substring(0, room - 1) + "…";
            page.element("text", shown, "x", number(area.x() + 4), "y", number(area.y() + 14));
        }
        page.end();
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }

    // ---- units ----

    private void classes() {
        page.element("h2", "Units by size");
        page.begin("p")
                .text(
                        "Objects share chunks with others of their size; units of 256 KiB are chunks.")
                .end();
        page.begin("table", "id", "classes");
        row("th", "unit", "units", "in use", "", "bytes not in use");
        tally().classes
                .forEach(
                        (size, units) ->
                                row(
                                        "td",
                                        Units.bytes(size),
                                        Units.count(units.all),
                                        Units.count(units.used),
                                        Units.share(units.used, units.all),
                                        Units.bytes((units.all - units.used) * size)));
        page.end().newLine();
        page.begin("p");
        page.text(
                "Blocks: "
                        + blocks(BlockType.FREE)
                        + " free, "
                        + blocks(BlockType.USED)
                        + " large objects, "
                        + blocks(BlockType.RUN)
                        + " divided into units; "
                        + Units.count(tally().internal.count)
                        + " objects of the heap itself.");
        page.end().newLine();
    }

    private String blocks(BlockType type) {
        Tally.Sum sum = tally().blocks.get(type);
        return Units.count(sum == null ? 0 : sum.count);
    }

    private void row(String cell, String... values) {
        page.begin("tr");
        for (int i = 0; i < values.length; i++) {
            page.element(cell, values[i], "class", i == 0 ? "name" : "figure");
        }
        page.end().newLine();
    }
}
