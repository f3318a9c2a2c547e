package io.farheap.objects.transaction;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongConsumer;

/** Who is told what commits free, before it can be given out again. Thread-safe. */
final class FreeWatchers {
    private final List<LongConsumer> watchers = new CopyOnWriteArrayList<>();

    void add(LongConsumer watcher) {
        watchers.add(watcher);
    }

    void remove(LongConsumer watcher) {
        boolean unused = watchers.remove(watcher);
    }

    void tell(WrittenUnits freed) {
        for (int i = 0; i < freed.size() && !watchers.isEmpty(); i++) {
            long place = freed.unit(i);
            watchers.forEach(watcher -> watcher.accept(place));
        }
    }
}
