package io.farheap.objects.collection;

import java.util.concurrent.ConcurrentMap;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;

/** What threads may do to one map of a few keys, each call by itself. */
@Param(name = "key", gen = IntGen.class, conf = "1:4")
@Param(name = "value", gen = IntGen.class, conf = "1:3")
public abstract class MapOperations {
    final ConcurrentMap<Long, Long> map;

    MapOperations(ConcurrentMap<Long, Long> map) {
        this.map = map;
    }

    @Operation
    public Long get(@Param(name = "key") int key) {
        return map.get((long) key);
    }

    @Operation
    public Long put(@Param(name = "key") int key, @Param(name = "value") int value) {
        return map.put((long) key, (long) value);
    }

    @Operation
    public Long remove(@Param(name = "key") int key) {
        return map.remove((long) key);
    }

    @Operation
    public boolean removeOne(@Param(name = "key") int key, @Param(name = "value") int value) {
        return map.remove((long) key, (long) value);
    }

    @Operation
    public Long putIfAbsent(@Param(name = "key") int key, @Param(name = "value") int value) {
        return map.putIfAbsent((long) key, (long) value);
    }

    @Operation
    public Long replace(@Param(name = "key") int key, @Param(name = "value") int value) {
        return map.replace((long) key, (long) value);
    }

    @Operation
    public boolean replaceOne(@Param(name = "key") int key, @Param(name = "value") int value) {
        return map.replace((long) key, (long) value, value + 1L);
    }

    @Operation
    public Long merge(@Param(name = "key") int key, @Param(name = "value") int value) {
        return map.merge((long) key, (long) value, (old, more) -> old == 3 ? null : old + more);
    }

    @Operation
    public Long compute(@Param(name = "key") int key) {
        return map.compute((long) key, (same, old) -> old == null ? same : null);
    }

    @Operation
    public Long computeIfAbsent(@Param(name = "key") int key, @Param(name = "value") int value) {
        return map.computeIfAbsent((long) key, same -> same + value);
    }

    @Operation
    public Long computeIfPresent(@Param(name = "key") int key) {
        return map.computeIfPresent((long) key, (same, old) -> old > 2 ? null : old + 1);
    }

    @Operation
    public int size() {
        return map.size();
    }
}
