package io.farheap.objects.type;

import io.farheap.objects.transaction.CommitWatcher;

/**
 * What commits changed and freed since before it was listed: first what objects own is listed, then
 * objects are. Threads that commit seldom wait for each other here: there is a lock for each part
 * of the pool. Thread-safe.
 */
final class ChangedPlaces implements CommitWatcher {
    private static final int PARTS = 64;

    /** Of bytes that lie together: a page of {@link OffsetSet}. */
    private static final int PART_SHIFT = 12;

    /** What was changed and freed in some parts of the pool. */
    private static final class Part {
        final OffsetSet freedSinceBlocks = new OffsetSet();
        final OffsetSet freedSinceObjects = new OffsetSet();
        final OffsetSet changed = new OffsetSet();
    }

    private final Part[] parts = new Part[PARTS];
    private volatile boolean areObjectsNext;

    ChangedPlaces() {
        for (int i = 0; i < PARTS; i++) {
            parts[i] = new Part();
        }
    }

    private Part part(long offset) {
        return parts[(int) (offset >>> PART_SHIFT) & PARTS - 1];
    }

    @Override
    public void changes(long object) {
        if (areObjectsNext) {
            Part part = part(object);
            synchronized (part) {
                boolean unused = part.changed.add(object);
            }
        }
    }

    @Override
    public void frees(long object) {
        Part part = part(object);
        synchronized (part) {
            boolean unused = part.freedSinceBlocks.add(object);
            if (areObjectsNext) {
                unused = part.freedSinceObjects.add(object);
            }
        }
    }

    /** What objects own is listed; once commits under way have ended, objects are. */
    void beginObjects() {
        areObjectsNext = true;
    }

    boolean isFreed(long place, boolean isObject) {
        Part part = part(place);
        synchronized (part) {
            return (isObject ? part.freedSinceObjects : part.freedSinceBlocks).contains(place);
        }
    }

    /** Whether what was listed as an object was changed since. */
    boolean isChanged(long place) {
        Part part = part(place);
        synchronized (part) {
            return part.changed.contains(place);
        }
    }
}
