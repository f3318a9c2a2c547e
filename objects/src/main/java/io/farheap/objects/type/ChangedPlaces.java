package io.farheap.objects.type;

import io.farheap.objects.transaction.CommitWatcher;

/**
 * What commits changed and freed since before it was listed: first what objects own is listed, then
 * objects are. Thread-safe.
 */
final class ChangedPlaces implements CommitWatcher {
    private final OffsetSet freedSinceBlocks = new OffsetSet();
    private final OffsetSet freedSinceObjects = new OffsetSet();
    private final OffsetSet changed = new OffsetSet();
    private boolean areObjectsNext;

    @Override
    public synchronized void changes(long object) {
        if (areObjectsNext) {
            boolean unused = changed.add(object);
        }
    }

    @Override
    public synchronized void frees(long object) {
        boolean unused = freedSinceBlocks.add(object);
        if (areObjectsNext) {
            unused = freedSinceObjects.add(object);
        }
    }

    /** What objects own is listed; once commits under way have ended, objects are. */
    synchronized void beginObjects() {
        areObjectsNext = true;
    }

    synchronized boolean isFreed(long place, boolean isObject) {
        return (isObject ? freedSinceObjects : freedSinceBlocks).contains(place);
    }

    /** Whether what was listed as an object was changed since. */
    synchronized boolean isChanged(long place) {
        return changed.contains(place);
    }
}
