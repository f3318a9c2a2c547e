package io.farheap.heap;

import io.farheap.ulog.RedoOperations;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds better places for objects in runs that are at most half full: in fuller runs of the same
 * class, so that the emptiest ones become empty. Runs keep the order of fullness they had when the
 * compaction began, and objects go only to runs before their own: nothing goes back and forth.
 *
 * <p>One thread's; others may allocate and free meanwhile.
 */
public final class Compaction {
    /** From fullest to emptiest, of one class. */
    private static final class Targets {
        private final List<HeapRun> runs = new ArrayList<>();

        /** No run before this one has a free unit any more. */
        private int first;
    }

    private final HeapMap map;
    private final Map<AllocationClass, Targets> targets = new HashMap<>();

    Compaction(HeapMap map) {
        this.map = map;
        List<HeapRun> all = new ArrayList<>();
        for (HeapZone zone : map.zones) {
            all.addAll(HeapMap.runsOf(zone));
        }
        Map<HeapRun, Double> fullness = new HashMap<>();
        all.forEach(run -> fullness.put(run, run.freeUnits() / (double) run.geometry.units));
        all.sort(
                Comparator.<HeapRun, Double>comparing(fullness::get)
                        .thenComparing(run -> run.geometry.runOffset));
        for (HeapRun run : all) {
            AllocationClass its = map.classes().matching(run.geometry);
            if (its != null) {
                targets.computeIfAbsent(its, c -> new Targets()).runs.add(run);
            }
        }
    }

    /**
     * Reserves a better place for an object and gives it the same header; {@link
     * Reservation#usableSize} is the same too.
     *
     * @param out is filled unless false is returned
     * @return false when the object can stay: it is not in a run, in one more than half full, in
     *     one of no known class, is internal, or no fuller run has room
     * @throws io.farheap.base.FarheapException WRONG_USE when no published object starts there
     */
    public boolean reserve(long userOffset, Reservation out) {
        HeapZone zone = map.zoneOf(userOffset);
        HeapRun run = zone == null ? null : zone.runAt(HeapMap.chunkOf(zone, userOffset));
        if (run == null || 2 * run.freeUnits() < run.geometry.units) {
            return false;
        }
        Targets its = targets.get(map.classes().matching(run.geometry));
        if (its == null) {
            return false;
        }
        RunGeometry geometry = run.geometry;
        long real = userOffset - geometry.headerSize;
        int unit = geometry.unitAt(real);
        map.load(run);
        if (unit < 0 || !run.startsObject(unit) || !run.published(map.memory, unit)) {
            throw HeapErrors.notAnObject(userOffset);
        }
        int units = RunObjects.unitsOf(map.memory, geometry, unit);
        int flags = ObjectHeader.flags(map.memory, real, geometry.headerSize);
        if ((flags & Heap.INTERNAL) != 0 || !take(its, run, units, out.place())) {
            return false;
        }
        Place place = out.place();
        out.word(RedoOperations.Kind.OR, place.bitmapWord(), place.mask());
        ObjectHeader.write(
                map.memory,
                place.headerSize,
                place.realOffset,
                place.realSize,
                ObjectHeader.typeNumber(map.memory, real, geometry.headerSize),
                flags);
        return true;
    }

    private boolean take(Targets its, HeapRun source, int units, Place out) {
        for (int i = its.first; i < its.runs.size(); i++) {
            HeapRun target = its.runs.get(i);
            if (target == source) {
                return false;
            }
            if (target.freeUnits() == 0 && i == its.first) {
                its.first++;
            } else if (map.takeFrom(target, units, out)) {
                return true;
            }
        }
        return false;
    }
}
