package io.farheap.heap;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Everything that {@link HeapWalk} tells of a heap, in lists. */
record WalkResult(
        List<HeapWalk.Zone> zones,
        List<HeapWalk.Block> blocks,
        List<HeapWalk.HeapObject> objects,
        List<HeapWalk.Inconsistency> inconsistencies) {

    static WalkResult of(MemorySegment image, long heapOffset, long heapSize) {
        WalkResult result =
                new WalkResult(
                        new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        HeapWalk.walk(image, heapOffset, heapSize, result.collector());
        return result;
    }

    private HeapWalk.Visitor collector() {
        return new HeapWalk.Visitor() {
            @Override
            public void zone(HeapWalk.Zone zone) {
                zones.add(zone);
            }

            @Override
            public void block(HeapWalk.Block block) {
                blocks.add(block);
            }

            @Override
            public void object(HeapWalk.HeapObject object) {
                objects.add(object);
            }

            @Override
            public void inconsistency(HeapWalk.Inconsistency inconsistency) {
                inconsistencies.add(inconsistency);
            }
        };
    }
}
