package io.farheap.objects.transaction;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Who is told what commits change and free, before it is so. Thread-safe. */
final class CommitWatchers {
    private final List<CommitWatcher> watchers = new CopyOnWriteArrayList<>();

    void add(CommitWatcher watcher) {
        watchers.add(watcher);
    }

    void remove(CommitWatcher watcher) {
        boolean unused = watchers.remove(watcher);
    }

    void tell(HeapWriter writer) {
        if (!watchers.isEmpty()) {
            watchers.forEach(watcher -> tell(watcher, writer));
        }
    }

    private static void tell(CommitWatcher watcher, HeapWriter writer) {
        for (int i = 0; i < writer.written.size(); i++) {
            long unit = writer.written.unit(i);
            if (!Stripes.isLine(unit)) {
                watcher.changes(unit);
            }
        }
        for (int i = 0; i < writer.deleted.size(); i++) {
            watcher.changes(writer.deleted.unit(i));
        }
        for (int i = 0; i < writer.freed.size(); i++) {
            watcher.frees(writer.freed.unit(i));
        }
    }
}
