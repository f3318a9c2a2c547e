package io.farheap.objects;

import io.farheap.ObjectPool;
import io.farheap.objects.type.Reclaim;

/** Runs {@link Reclaim} on a heap, one at a time. */
final class Reclaiming {
    private Reclaiming() {}

    static ReclaimReport run(ObjectPool pool, ObjectSpace space, boolean isDryRun) {
        synchronized (space) { // two at a time would free one place twice
            return new Reclaim(pool, space.transactions(), space.stored()).run(isDryRun);
        }
    }
}
