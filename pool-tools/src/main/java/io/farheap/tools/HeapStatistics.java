package io.farheap.tools;

import io.farheap.heap.HeapWalk;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;

/** Counts what a heap walk shows; prints each object as it comes, if asked to. */
final class HeapStatistics implements HeapWalk.Visitor {
    /** How many, and their bytes. */
    private record Sum(long count, long bytes) {
        static final Sum NONE = new Sum(0, 0);

        Sum plus(long count, long bytes) {
            return new Sum(this.count + count, this.bytes + bytes);
        }
    }

    private final Report objects;
    private final Map<Long, Sum> byType = new TreeMap<>(Long::compareUnsigned);
    private final Map<HeapWalk.BlockType, Sum> blocks = new EnumMap<>(HeapWalk.BlockType.class);
    private final Map<Long, Sum> unitsUsedOfAll = new TreeMap<>();
    private Sum all = Sum.NONE;
    private Sum internal = Sum.NONE;
    private int zones;
    private int initialisedZones;
    private int inconsistencies;

    /**
     * @param objects where each object is printed, or null
     */
    HeapStatistics(Report objects) {
        this.objects = objects;
        if (objects != null) {
            objects.title("Objects");
        }
    }

    @Override
    public void zone(HeapWalk.Zone zone) {
        zones++;
        initialisedZones += zone.initialised() ? 1 : 0;
    }

    @Override
    public void block(HeapWalk.Block block) {
        blocks.merge(
                block.type(), new Sum(1, block.chunks()), (a, b) -> a.plus(b.count(), b.bytes()));
        HeapWalk.Run run = block.run();
        if (run != null) {
            unitsUsedOfAll.merge(
                    run.unitSize(),
                    new Sum(run.usedUnits(), run.units()),
                    (a, b) -> a.plus(b.count(), b.bytes()));
        }
    }

    @Override
    public void object(HeapWalk.HeapObject object) {
        if (object.internal()) {
            internal = internal.plus(1, object.usableSize());
            return;
        }
        all = all.plus(1, object.usableSize());
        byType.merge(
                object.typeNumber(),
                new Sum(1, object.usableSize()),
                (a, b) -> a.plus(b.count(), b.bytes()));
        if (objects != null) {
            objects.line(
                    Report.hex(object.userOffset()),
                    "type "
                            + Long.toUnsignedString(object.typeNumber())
                            + ", "
                            + object.usableSize()
                            + " bytes");
        }
    }

    @Override
    public void inconsistency(HeapWalk.Inconsistency inconsistency) {
        inconsistencies++;
    }

    void print(Report report) {
        report.title("Statistics");
        report.line("Objects", sum(all));
        byType.forEach(
                (type, sum) -> report.line("  type " + Long.toUnsignedString(type), sum(sum)));
        report.line("Internal objects", sum(internal));
        report.line("Zones", zones + ", " + initialisedZones + " in use");
        blocks.forEach(
                (type, sum) ->
                        report.line(
                                "Blocks " + type,
                                sum.count() + ", " + sum.bytes() + " chunks of 256 KiB"));
        unitsUsedOfAll.forEach(
                (size, sum) ->
                        report.line(
                                "Runs of " + size + " bytes",
                                sum.count() + " of " + sum.bytes() + " units used"));
        report.line(
                "Inconsistencies",
                inconsistencies == 0 ? "none" : inconsistencies + "; see farheap check");
    }

    private static String sum(Sum sum) {
        return sum.count() + ", " + sum.bytes() + " bytes";
    }
}
