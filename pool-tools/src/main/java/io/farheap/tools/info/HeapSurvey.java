package io.farheap.tools.info;

import io.farheap.heap.HeapWalk;
import io.farheap.heap.HeapWalk.Block;
import io.farheap.heap.HeapWalk.HeapObject;
import io.farheap.heap.HeapWalk.Zone;
import java.util.ArrayList;
import java.util.List;

/** What a page shows of a heap: counts, and how full each place of it is. */
final class HeapSurvey implements HeapWalk.Visitor {
    private static final int MOST_CELLS = 1024;

    private final Problems problems;
    private final Tally tally = new Tally();
    private final List<ZoneCells> zones = new ArrayList<>();
    private Block block;

    HeapSurvey(Problems problems) {
        this.problems = problems;
    }

    @Override
    public void zone(Zone zone) {
        zones.add(new ZoneCells(zone, MOST_CELLS));
        if (!zone.initialised()) {
            tally.unused(zone);
        }
    }

    @Override
    public void block(Block seen) {
        block = seen;
        tally.block(seen);
        zones.get(zones.size() - 1).add(seen);
    }

    @Override
    public void object(HeapObject object) {
        tally.object(
                object.typeNumber(), object.usableSize() + block.headerBytes(), object.internal());
    }

    @Override
    public void inconsistency(HeapWalk.Inconsistency inconsistency) {
        problems.add(inconsistency.message());
    }

    Tally tally() {
        return tally;
    }

    /** One for each zone, also for those that were never used. */
    List<ZoneCells> zones() {
        return zones;
    }

    /** Bytes of zones that were never used. */
    long untouchedBytes() {
        return zones.stream()
                .map(ZoneCells::zone)
                .filter(zone -> !zone.initialised())
                .mapToLong(zone -> zone.possibleChunks() * Tally.CHUNK_BYTES)
                .sum();
    }
}
