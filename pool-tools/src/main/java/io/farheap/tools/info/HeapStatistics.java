package io.farheap.tools.info;

import io.farheap.heap.HeapWalk;
import io.farheap.heap.HeapWalk.Block;
import io.farheap.heap.HeapWalk.BlockType;
import io.farheap.heap.HeapWalk.HeapObject;
import io.farheap.heap.HeapWalk.Zone;
import io.farheap.objects.type.TypeNames;
import io.farheap.tools.report.Report;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Counts what a walk shows, by zone and in all, and draws the map. */
final class HeapStatistics implements HeapWalk.Visitor {
    private final Report report;
    private final InfoOptions options;
    private final Problems problems;
    private final boolean colours;
    private final Tally all = new Tally();
    private final List<Zone> zones = new ArrayList<>();
    private final List<Tally> tallies = new ArrayList<>();
    private final List<HeapMapPicture> pictures = new ArrayList<>();
    private Block block;
    private final TypeNames names;
    private long inconsistencies;

    HeapStatistics(
            Report report,
            InfoOptions options,
            Problems problems,
            TypeNames names,
            boolean colours) {
        this.names = names;
        this.report = report;
        this.options = options;
        this.problems = problems;
        this.colours = colours;
    }

    @Override
    public void zone(Zone zone) {
        zones.add(zone);
        tallies.add(new Tally());
        pictures.add(new HeapMapPicture(zone, colours));
        if (!zone.initialised() && options.hasZone(zone.index())) {
            all.unused(zone);
        }
    }

    @Override
    public void block(Block seen) {
        block = seen;
        if (options.hasZone(seen.zone())) {
            all.block(seen);
            tallies.get(tallies.size() - 1).block(seen);
            pictures.get(pictures.size() - 1).add(seen);
        }
    }

    @Override
    public void object(HeapObject object) {
        if (options.hasZone(block.zone()) && options.types.contains(object.typeNumber())) {
            long bytes = object.usableSize() + block.headerBytes();
            all.object(object.typeNumber(), bytes, object.internal());
            tallies.get(tallies.size() - 1).object(object.typeNumber(), bytes, object.internal());
        }
    }

    @Override
    public void inconsistency(HeapWalk.Inconsistency inconsistency) {
        inconsistencies++;
        problems.add(inconsistency.message());
    }

    void print() {
        if (options.statistics) {
            statistics();
        }
        if (options.map) {
            map();
        }
    }

    private void map() {
        List<String> rows = new ArrayList<>();
        rows.add(HeapMapPicture.LEGEND);
        for (int z = 0; z < zones.size(); z++) {
            if (options.hasZone(z)) {
                rows.addAll(pictures.get(z).rows());
            }
        }
        report.rows("Heap map", rows);
    }

    private void statistics() {
        report.begin("Statistics");
        sum("Objects", all.objects);
        report.beginList("Objects by type");
        all.byType.forEach(
                (type, sum) -> {
                    String number = Long.toUnsignedString(type);
                    String name = names.of(type);
                    report.item("Type " + number + (name == null ? "" : ", " + name));
                    report.hidden("Type number", number);
                    if (name != null) {
                        report.hidden("Type name", name);
                    }
                    report.line(
                            "Number of objects", sum.count, share(sum.count, all.objects.count));
                    report.line("Number of bytes", sum.bytes, share(sum.bytes, all.objects.bytes));
                    report.end();
                });
        report.end();
        sum("Internal objects", all.internal);
        report.line("Inconsistencies", inconsistencies);
        heap();
        report.end();
    }

    private void sum(String title, Tally.Sum sum) {
        report.begin(title);
        report.line("Number of objects", sum.count);
        report.line("Number of bytes", sum.bytes, options.size(sum.bytes));
        report.end();
    }

    private void heap() {
        long used = zones.stream().filter(Zone::initialised).count();
        report.begin("Heap");
        report.line("Number of zones", zones.size());
        report.line("Number of used zones", used, share(used, zones.size()));
        report.beginList("Zones");
        for (int z = 0; z < zones.size(); z++) {
            boolean empty = tallies.get(z).objects.count == 0 && options.noEmpty;
            if (options.hasZone(z) && zones.get(z).initialised() && !empty) {
                report.item("Zone " + z);
                report.hidden("zone", z);
                blocks(tallies.get(z));
                report.end();
            }
        }
        report.end();
        report.line(
                "Largest free block", all.biggestFreeBlock(), options.size(all.biggestFreeBlock()));
        report.end();
    }

    private void blocks(Tally tally) {
        long count = tally.blocks.values().stream().mapToLong(sum -> sum.count).sum();
        long chunks = tally.blocks.values().stream().mapToLong(sum -> sum.bytes).sum();
        report.begin("Blocks");
        report.line("Number of chunks", count);
        for (BlockType type : tally.blocks.keySet()) {
            long some = tally.blocks.get(type).count;
            report.line(name(type), some, share(some, count));
        }
        report.end();
        report.begin("Sizes");
        report.line("Total chunks size", chunks);
        for (BlockType type : tally.blocks.keySet()) {
            long some = tally.blocks.get(type).bytes;
            report.line(name(type), some, share(some, chunks));
        }
        report.end();
        report.beginList("Allocation classes");
        tally.classes.forEach(this::unitClass);
        report.end();
        report.line("Total bytes", tally.totalBytes(), options.size(tally.totalBytes()));
        report.line(
                "Total used bytes",
                tally.usedBytes(),
                shareOfSize(tally.usedBytes(), tally.totalBytes()));
    }

    private static String name(BlockType type) {
        return type.name().toLowerCase(Locale.ROOT);
    }

    private void unitClass(long size, Tally.Units units) {
        report.item("Units of " + size + " bytes");
        report.line("Unit size", size, options.size(size));
        report.line("Units", units.all);
        report.line("Used units", units.used, share(units.used, units.all));
        report.line("Bytes", units.all * size, options.size(units.all * size));
        report.line(
                "Used bytes", units.used * size, shareOfSize(units.used * size, units.all * size));
        report.end();
    }

    private static String share(long part, long whole) {
        return part + percent(part, whole);
    }

    private String shareOfSize(long part, long whole) {
        return options.size(part) + percent(part, whole);
    }

    private static String percent(long part, long whole) {
        return whole == 0 ? "" : String.format(Locale.ROOT, " [%.1f %%]", 100.0 * part / whole);
    }
}
