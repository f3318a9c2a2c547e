package io.farheap.objects.collection;

import java.util.Map.Entry;
import java.util.concurrent.ConcurrentNavigableMap;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;

/** As {@link MapOperations}, and what needs an order. */
public abstract class SortedMapOperations extends MapOperations {
    private final ConcurrentNavigableMap<Long, Long> sorted;

    SortedMapOperations(ConcurrentNavigableMap<Long, Long> map) {
        super(map);
        this.sorted = map;
    }

    private static String text(Entry<Long, Long> entry) {
        return entry == null ? "none" : entry.getKey() + "=" + entry.getValue();
    }

    @Operation
    public String first() {
        return text(sorted.firstEntry());
    }

    @Operation
    public String last() {
        return text(sorted.lastEntry());
    }

    @Operation
    public String ceiling(@Param(name = "key") int key) {
        return text(sorted.ceilingEntry((long) key));
    }

    @Operation
    public String lower(@Param(name = "key") int key) {
        return text(sorted.lowerEntry((long) key));
    }

    @Operation
    public String pollFirst() {
        return text(sorted.pollFirstEntry());
    }

    @Operation
    public String pollLast() {
        return text(sorted.pollLastEntry());
    }
}
