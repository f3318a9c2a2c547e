package io.farheap.objects;

import io.farheap.ObjectPool;
import io.farheap.objects.type.Reclaim;
import io.farheap.objects.type.UnreachableObjects;

/** Runs {@link Reclaim} on a heap. */
final class Reclaiming {
    private Reclaiming() {}

    static ReclaimReport run(ObjectPool pool, ObjectSpace space, boolean isDryRun) {
        Reclaim reclaim = new Reclaim(pool, space.transactions(), space);
        return new ReclaimReport(
                reclaim.run(isDryRun).stream().map(Reclaiming::figures).toList(), !isDryRun);
    }

    private static ReclaimReport.OfType figures(UnreachableObjects found) {
        return new ReclaimReport.OfType(found.type(), found.objects(), found.bytes());
    }
}
